"""The convolutions of a traced stage at given input lengths: their sizes, and how often each occurs.

Depthwise convolutions are left out: they are not matrix products.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import fx
from torch.export import ExportedProgram

from engine.compiler.kernels.convolution import ConvWorkload, transposed
from engine.compiler.traced_graph import Numbers, number_of, numbers_of, operator_name, shape_of

_PLAIN, _TRANSPOSED = "conv1d.default", "conv_transpose1d.default"
_GROUPS = 6
"""The index of this argument of both operators."""


@dataclass(frozen=True)
class ConvolutionLayer:
    """A convolution of an input of `length` positions; a transposed one has no dilation."""

    channels: int
    out_channels: int
    kernel_size: int
    stride: int
    padding: int
    dilation: int
    is_transposed: bool
    length: int

    @property
    def flop(self) -> int:
        """Floating-point operations: a multiplication and an addition per weight and position."""
        return 2 * self.channels * self.out_channels * self.kernel_size * self._positions

    @property
    def _positions(self) -> int:
        if self.is_transposed:
            return self.length
        reach = self.dilation * (self.kernel_size - 1) + 1
        return (self.length + 2 * self.padding - reach) // self.stride + 1


def convolution_layers(program: ExportedProgram, shapes: Sequence[Sequence[int]]) -> Counter[ConvolutionLayer]:
    """A stage's convolutions and the number of each, in order; `shapes` are those of the stage's inputs."""
    numbers = numbers_of(program, shapes)
    nodes = filter(_is_convolution, program.graph.nodes)
    return Counter(_layer(node, numbers) for node in nodes)


def workload_of(layer: ConvolutionLayer) -> ConvWorkload:
    """The workload of a layer, transposed or not."""
    if layer.is_transposed:
        return transposed(layer.channels, layer.out_channels, layer.kernel_size, layer.stride, layer.padding)
    return ConvWorkload(
        layer.channels, layer.out_channels, layer.kernel_size, layer.dilation, layer.stride, layer.padding
    )


def _is_convolution(node: fx.Node) -> bool:
    return operator_name(node) in (_PLAIN, _TRANSPOSED) and _argument(node, _GROUPS, 1) == 1


def _layer(node: fx.Node, numbers: Numbers) -> ConvolutionLayer:
    is_transposed = operator_name(node) == _TRANSPOSED
    one, other, kernel_size = map(int, shape_of(node.args[1]))
    return ConvolutionLayer(
        channels=one if is_transposed else other,
        out_channels=other if is_transposed else one,
        kernel_size=kernel_size,
        stride=_argument(node, 3, 1),
        padding=_argument(node, 4, 0),
        dilation=1 if is_transposed else _argument(node, 5, 1),
        is_transposed=is_transposed,
        length=number_of(shape_of(node.args[0])[2], numbers),
    )


def _argument(node: fx.Node, position: int, default: int) -> int:
    """A number, or the only one of a list; the default if the argument is left out."""
    given: Any = node.args[position] if len(node.args) > position else default
    return int(given[0] if isinstance(given, (list, tuple)) else given)
