"""Builds a kernel for Metal and runs it on numpy arrays on the Metal device."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tvm
from tvm.tirx import PrimFunc

from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.metal_passes import spell_constants
from engine.compiler.passes import apply
from engine.compiler.targets import metal_called_from
from tests.metal_device import metal_device

Kernel = Callable[..., np.ndarray]
GROUP = Threadgroup()
TOLERANCE = {"atol": 2e-5, "rtol": 1e-4}


def built(function: PrimFunc, dtype: str = "float32") -> Kernel:
    """A callable (output shape, inputs...) -> output; float outputs start as NaN: nothing may be left unwritten.

    Every access is checked: none may leave its buffer or race with a different thread's.
    """
    device = metal_device().device()
    run = _loaded(tvm.IRModule({"main": function}))["main"]

    def kernel(shape: tuple[int, ...], *inputs: np.ndarray | int) -> np.ndarray:
        start = np.full(shape, np.nan if dtype == "float32" else 0, dtype)
        output = tvm.runtime.tensor(start, device)
        run(
            *(
                value if isinstance(value, int) else tvm.runtime.tensor(np.ascontiguousarray(value), device)
                for value in inputs
            ),
            output,
        )
        return output.numpy()

    return kernel


def _loaded(module: tvm.IRModule) -> tvm.runtime.Module:
    """The module as any device loads it: from a file."""
    target = metal_called_from({"kind": "llvm"})
    module = apply(module, [spell_constants], target)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "kernel.so")
        tvm.compile(module, target=target).export_library(path)
        return tvm.runtime.load_module(path)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """Standard normal numbers."""
    return np.random.default_rng(seed).standard_normal(shape, np.float32)
