"""The operators and the lengths of a traced stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import fx
from torch.export import ExportedProgram


def operator_name(node: Any) -> str:
    """Torch's name of a node's operator; empty for anything that is not the node of an operator."""
    return getattr(getattr(node, "target", None), "__name__", "")


Numbers = Mapping[Any, int]
"""The values of a trace's symbols for given input shapes."""


def numbers_of(program: ExportedProgram, shapes: Sequence[Sequence[int]]) -> Numbers:
    """The symbolic lengths of the trace, read off the shapes of the stage's inputs, in order."""
    pairs = [
        pair
        for node, shape in zip(_inputs(program), shapes, strict=True)
        for pair in zip(shape_of(node), shape, strict=True)
    ]
    return {
        extent.node.expr: number
        for extent, number in pairs
        if not isinstance(extent, int) and extent.node.expr.is_symbol
    }


def example_shapes(program: ExportedProgram) -> list[list[int]]:
    """The shapes of the inputs that the stage was traced with."""
    return [
        [extent if isinstance(extent, int) else int(extent.node.hint) for extent in shape_of(node)]
        for node in _inputs(program)
    ]


def shape_of(node: Any) -> Sequence[Any]:
    """The extents of a node's result, some symbolic."""
    shape: Sequence[Any] = node.meta["val"].shape
    return shape


def number_of(extent: Any, numbers: Numbers) -> int:
    """The value of an extent, given those of the symbols."""
    return extent if isinstance(extent, int) else int(extent.node.expr.subs(numbers))


def _inputs(program: ExportedProgram) -> list[fx.Node]:
    given = program.graph_signature.user_inputs
    return [node for node in program.graph.nodes if node.op == "placeholder" and node.name in given]
