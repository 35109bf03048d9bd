"""A single convolution, built for this machine and applied to random numbers, for measurements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tvm
from tvm.target import Target
from tvm.tirx import PrimFunc

from engine.compiler.kernels.convolution import ConvWorkload, WeightAt, transposed_weight_at, weight_at
from engine.compiler.kernels.cpu.conv_choice import conv_kernel, packing_kernel, plan_for
from engine.compiler.kernels.cpu.register_tile import Microkernel
from engine.compiler.kernels.epilogue import Epilogue

Convolve = Callable[[], object]
"""Computes a convolution once."""


class Convolution:
    """A compiled convolution with bias, and its packed weight; shapes are those of weight, input and output."""

    def __init__(
        self, library: Any, packed: Sequence[int], weight: Sequence[int], source: Sequence[int], target: Sequence[int]
    ) -> None:
        self._library = library
        self._source, self._target = source, target
        self._weight = tvm.runtime.tensor(np.empty(packed, np.float32))
        library["pack"](_random(weight), self._weight)

    def prepared(self) -> Convolve:
        """A function that computes the convolution on its own arrays; it has been called once already."""
        x, bias = _random(self._source), _random(self._target[1:2])
        y = tvm.runtime.tensor(np.empty(self._target, np.float32))

        def convolve() -> None:
            self._library["run"](x, self._weight, bias, y)

        convolve()
        return convolve


def convolution(target: Target, sizes: ConvWorkload, length: int, microkernel: Microkernel) -> Convolution:
    """A convolution with bias of an input of `length` positions; a transposed one has all taps in every phase."""
    plan = plan_for(sizes, microkernel)
    shape, value_at = _weight(sizes)
    reach = sizes.dilation * (sizes.taps - 1)
    columns = (length + 2 * sizes.padding - reach - 1) // sizes.stride + 1
    return Convolution(
        _library(target, pack=packing_kernel(plan, shape, value_at), run=conv_kernel(plan, Epilogue(True))),
        plan.packed_shape,
        shape,
        (1, sizes.channels, length),
        (1, sizes.out_channels, columns * sizes.upsampling - 2 * sizes.trim),
    )


def _weight(sizes: ConvWorkload) -> tuple[tuple[int, int, int], WeightAt]:
    """The shape of the weight of a convolution, and the function that reads it."""
    if sizes.upsampling == 1:
        return (sizes.out_channels, sizes.channels, sizes.taps), weight_at
    kernel_size = sizes.taps * sizes.upsampling
    return (sizes.channels, sizes.out_channels, kernel_size), transposed_weight_at(sizes, kernel_size)


def _random(shape: Sequence[int]) -> Any:
    return tvm.runtime.tensor(np.random.default_rng(0).standard_normal(shape, np.float32))


def _library(target: Target, **kernels: PrimFunc) -> Any:
    named = {name: kernel.with_attr("global_symbol", name) for name, kernel in kernels.items()}
    return tvm.compile(tvm.IRModule(named), target=target)
