"""One convolution by itself, built for this machine, on random numbers.

It does not know how long it takes, nor what for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tvm
from tvm.target import Target
from tvm.tirx import PrimFunc

from engine.compiler.correlation import Correlation, Ending
from engine.compiler.schedules import conv1d, conv_transpose1d
from engine.ops.microkernel_tir import Microkernel

Convolve = Callable[[], object]
"""Computes a convolution once more."""


class Convolution:
    """A convolution with bias, built, and its packed weight; shapes are those of the weight, the input, the output."""

    def __init__(
        self, library: Any, packed: Sequence[int], weight: Sequence[int], source: Sequence[int], target: Sequence[int]
    ) -> None:
        self._library = library
        self._source, self._target = source, target
        self._weight = tvm.runtime.tensor(np.empty(packed, np.float32))
        library["pack"](_random(weight), self._weight)

    def prepared(self) -> Convolve:
        """The convolution on arrays of its own, as soon as it has run once."""
        x, bias = _random(self._source), _random(self._target[1:2])
        y = tvm.runtime.tensor(np.empty(self._target, np.float32))

        def convolve() -> None:
            self._library["run"](x, self._weight, bias, y)

        convolve()
        return convolve


def convolution(target: Target, sizes: Correlation, length: int, microkernel: Microkernel) -> Convolution:
    """A convolution with bias of an input of `length` positions."""
    reach = sizes.dilation * (sizes.taps - 1)
    outputs = (length + 2 * sizes.padding - reach - 1) // sizes.stride + 1
    return Convolution(
        _library(
            target,
            pack=conv1d.pack_weight(sizes, microkernel),
            run=conv1d.conv1d(sizes, Ending(True), microkernel),
        ),
        conv1d.packed_shape(sizes, microkernel),
        (sizes.out_channels, sizes.channels, sizes.taps),
        (1, sizes.channels, length),
        (1, sizes.out_channels, outputs),
    )


def transposed_convolution(
    target: Target,
    channels: int,
    out_channels: int,
    kernel_size: int,
    stride: int,
    padding: int,
    length: int,
    microkernel: Microkernel,
) -> Convolution:
    """A transposed convolution with bias of an input of `length` positions."""
    sizes = (channels, out_channels, kernel_size, stride)
    return Convolution(
        _library(
            target,
            pack=conv_transpose1d.pack_weight(*sizes, microkernel),
            run=conv_transpose1d.conv_transpose1d(*sizes, padding, True, microkernel),
        ),
        conv_transpose1d.packed_shape(*sizes, microkernel),
        (channels, out_channels, kernel_size),
        (1, channels, length),
        (1, out_channels, (length - 1) * stride - 2 * padding + kernel_size),
    )


def _random(shape: Sequence[int]) -> Any:
    return tvm.runtime.tensor(np.random.default_rng(0).standard_normal(shape, np.float32))


def _library(target: Target, **kernels: PrimFunc) -> Any:
    named = {name: kernel.with_attr("global_symbol", name) for name, kernel in kernels.items()}
    return tvm.compile(tvm.IRModule(named), target=target)
