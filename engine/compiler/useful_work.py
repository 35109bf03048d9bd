"""What the mathematics of a stage needs: every weight of a convolution or matrix product once per position.

It does not know kernels: a kernel that multiplies with padding, or with zeros between values, does more than this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from torch import fx
from torch.export import ExportedProgram

_LSTMS = ("lstm_forward_packed.default", "lstm_forward_packed_bidirectional.default")
_WEIGHT = 1
_LSTM_WEIGHTS = slice(2, None)


def useful_flop(program: ExportedProgram, shapes: Sequence[Sequence[int]]) -> dict[str, float]:
    """Floating-point operations by the name of the parameter whose weights they multiply with.

    `shapes` are those of the stage's inputs, in order.
    """
    symbols = _symbols(program, shapes)
    names = program.graph_signature.inputs_to_parameters
    needed: Counter[str] = Counter()
    for node in program.graph.nodes:
        for weight, positions in _products(node):
            if weight.name in names:
                needed[names[weight.name]] += 2 * prod(_shape(weight)) * _number(positions, symbols)
    return dict(needed)


def _products(node: fx.Node) -> list[tuple[Any, Any]]:
    """The weights that a node multiplies with, each with the number of positions it is applied at."""
    arguments: tuple[Any, ...] = node.args
    match getattr(node.target, "__name__", ""):
        case "conv1d.default":
            batch, _, outputs = _shape(node)
            return [(arguments[_WEIGHT], batch * outputs)]
        case "conv_transpose1d.default":
            batch, _, inputs = _shape(arguments[0])
            return [(arguments[_WEIGHT], batch * inputs)]
        case "linear.default":
            return [(arguments[_WEIGHT], prod(_shape(node)[:-1]))]
        case name if name in _LSTMS:
            batch, time, _ = _shape(node)
            return [(weight, batch * time) for weight in arguments[_LSTM_WEIGHTS] if len(_shape(weight)) > 1]
    return []


def _shape(node: Any) -> Sequence[Any]:
    shape: Sequence[Any] = node.meta["val"].shape
    return shape


def _symbols(program: ExportedProgram, shapes: Sequence[Sequence[int]]) -> dict[Any, int]:
    """The symbolic lengths of the trace, read off the inputs."""
    given = program.graph_signature.user_inputs
    inputs = [node for node in program.graph.nodes if node.op == "placeholder" and node.name in given]
    pairs = [pair for node, shape in zip(inputs, shapes, strict=True) for pair in zip(_shape(node), shape, strict=True)]
    return {
        extent.node.expr: number
        for extent, number in pairs
        if not isinstance(extent, int) and extent.node.expr.is_symbol
    }


def _number(extent: Any, symbols: Mapping[Any, int]) -> int:
    return extent if isinstance(extent, int) else int(extent.node.expr.subs(symbols))
