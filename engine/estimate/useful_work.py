"""What the mathematics of a stage needs: every weight of a convolution or matrix product once per position.

A kernel that multiplies with padding, or with zeros between values, does more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import Any

from torch import fx
from torch.export import ExportedProgram

from engine.compiler.traced_graph import number_of, numbers_of, operator_name, shape_of

_LSTMS = ("lstm_forward_packed.default", "lstm_forward_packed_bidirectional.default")
_WEIGHT = 1
_LSTM_WEIGHTS = slice(2, None)


def useful_flop(program: ExportedProgram, shapes: Sequence[Sequence[int]]) -> dict[str, float]:
    """Floating-point operations by the name of the parameter whose weights they multiply with.

    `shapes` are those of the stage's inputs, in order.
    """
    numbers = numbers_of(program, shapes)
    names = program.graph_signature.inputs_to_parameters
    needed: Counter[str] = Counter()
    for node in program.graph.nodes:
        for weight, positions in _products(node):
            for source in _placeholders(weight):
                if source.name in names and len(shape_of(source)) > 1:
                    needed[names[source.name]] += 2 * prod(shape_of(source)) * number_of(positions, numbers)
    return dict(needed)


def _placeholders(node: fx.Node) -> list[fx.Node]:
    """The inputs that a weight is made of: one, or the parts that were joined."""
    if node.op == "placeholder":
        return [node]
    return [found for source in node.all_input_nodes for found in _placeholders(source)]


def _products(node: fx.Node) -> list[tuple[Any, Any]]:
    """The weights that a node multiplies with, each with the number of positions it is applied at; none for others."""
    arguments: tuple[Any, ...] = node.args
    match operator_name(node):
        case "conv1d.default":
            batch, _, outputs = shape_of(node)
            return [(arguments[_WEIGHT], batch * outputs)]
        case "conv_transpose1d.default":
            batch, _, inputs = shape_of(arguments[0])
            return [(arguments[_WEIGHT], batch * inputs)]
        case "linear.default":
            return [(arguments[_WEIGHT], prod(shape_of(node)[:-1]))]
        case name if name in _LSTMS:
            batch, time, _ = shape_of(node)
            return [(weight, batch * time) for weight in arguments[_LSTM_WEIGHTS] if len(shape_of(weight)) > 1]
    return []
