"""The lengths in a traced stage: symbols in the trace, numbers in a run.

It does not know what is computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import fx
from torch.export import ExportedProgram

Numbers = Mapping[Any, int]
"""What the symbols of a trace are in one run."""


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
    """Those of the inputs that the stage was traced with."""
    return [
        [extent if isinstance(extent, int) else int(extent.node.hint) for extent in shape_of(node)]
        for node in _inputs(program)
    ]


def shape_of(node: Any) -> Sequence[Any]:
    """The extents of what a node of the trace computes, some symbolic."""
    shape: Sequence[Any] = node.meta["val"].shape
    return shape


def number_of(extent: Any, numbers: Numbers) -> int:
    """An extent in that run."""
    return extent if isinstance(extent, int) else int(extent.node.expr.subs(numbers))


def _inputs(program: ExportedProgram) -> list[fx.Node]:
    given = program.graph_signature.user_inputs
    return [node for node in program.graph.nodes if node.op == "placeholder" and node.name in given]
