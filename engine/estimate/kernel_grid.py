"""The dispatches of a scheduled function, and the grid of each: its loops over threadgroups and threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from tvm import tirx
from tvm.s_tir import SBlockRealize
from tvm.tirx import PrimFunc

from engine.estimate.thread_values import Value, value_of

_THREAD_AXES = ("threadIdx.x", "threadIdx.y", "threadIdx.z")


@dataclass(frozen=True)
class Grid:
    """The extents of the axes of threadgroups and threads, by TVM's names for them."""

    extents: Mapping[str, int]

    @property
    def threads(self) -> int:
        """Threads of one threadgroup."""
        return prod(self.extents.get(axis, 1) for axis in _THREAD_AXES)

    @property
    def groups(self) -> int:
        """Threadgroups of the grid."""
        return prod(extent for axis, extent in self.extents.items() if axis not in _THREAD_AXES)

    def positions(self, axis: str) -> Value:
        """Each thread's position on an axis of threads; the middle of the grid on an axis of threadgroups."""
        if axis not in _THREAD_AXES:
            return self.extents[axis] // 2
        before = prod(self.extents.get(other, 1) for other in _THREAD_AXES[: _THREAD_AXES.index(axis)])
        return np.arange(self.threads) // before % self.extents[axis]


def dispatches(function: PrimFunc) -> Iterator[Any]:
    """The outermost loops over threads, in order: TVM makes a kernel of each."""
    return _outermost(function.body)


def grid_of(nest: Any, sizes: Mapping[Any, int]) -> Grid | None:
    """The grid of one dispatch, or None when an extent of it is unknown."""
    extents: dict[str, int] = {}
    for loop in _thread_loops(nest):
        extent = value_of(loop.extent, sizes)
        if extent is None:
            return None
        extents[axis_of(loop)] = max(extents.get(axis_of(loop), 1), int(extent))
    return Grid(extents)


def axis_of(loop: Any) -> str:
    """The axis of threads or threadgroups that a loop runs over; empty for any other loop."""
    return "" if loop.thread_binding is None else str(loop.thread_binding.thread_tag)


def _outermost(statement: Any) -> Iterator[Any]:
    if isinstance(statement, tirx.For) and axis_of(statement):
        yield statement
    else:
        for part in _parts(statement):
            yield from _outermost(part)


def _thread_loops(statement: Any) -> Iterator[Any]:
    if isinstance(statement, tirx.For) and axis_of(statement):
        yield statement
    for part in _parts(statement):
        yield from _thread_loops(part)


def _parts(statement: Any) -> Iterator[Any]:
    if isinstance(statement, tirx.SeqStmt):
        yield from statement.seq
    elif isinstance(statement, SBlockRealize):
        yield statement.block.body
    elif isinstance(statement, tirx.IfThenElse):
        yield from (case for case in (statement.then_case, statement.else_case) if case is not None)
    elif hasattr(statement, "body"):
        yield statement.body
