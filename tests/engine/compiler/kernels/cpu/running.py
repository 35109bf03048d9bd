"""Builds a kernel for this machine and runs it on numpy arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import tvm
from tvm.target import Target
from tvm.tirx import PrimFunc

from engine.compiler.kernels.cpu.register_tile import AVX2, NEON, Microkernel, microkernel_for
from engine.compiler.targets import host_cpu

Kernel = Callable[..., np.ndarray]


@functools.cache
def host() -> Target:
    return host_cpu()


def host_microkernel() -> Microkernel:
    return microkernel_for(host())


NARROW = (AVX2, NEON)
"""Register tiles of other CPUs; the compiler splits or widens their vectors to run here."""


def built(function: PrimFunc) -> Kernel:
    """A callable (output shape, inputs...) -> output of `dtype`; it starts as NaN, so that unwritten values show."""
    run = tvm.compile(tvm.IRModule({"main": function}), target=host())["main"]

    def kernel(shape: tuple[int, ...], *inputs: np.ndarray | int, dtype: npt.DTypeLike = np.float32) -> np.ndarray:
        output = tvm.runtime.tensor(np.full(shape, np.nan, dtype))
        run(
            *(value if isinstance(value, int) else tvm.runtime.tensor(np.ascontiguousarray(value)) for value in inputs),
            output,
        )
        return output.numpy()

    return kernel


def error_half_ulps(found: np.ndarray, exact: np.ndarray) -> float:
    """The rms error of float32 results in half ulps of their rms (2^-24): 0.4 if each was rounded once."""
    return float(np.sqrt(np.mean((found - exact) ** 2) / np.mean(exact**2)) * 2**24)
