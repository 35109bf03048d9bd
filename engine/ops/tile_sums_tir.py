"""Sums of a tile in vector registers, and the totals that the sums of runs join.

It does not know what is summed. Registers cannot be indexed at run time: every loop over them is unrolled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm import tirx
from tvm.script import tirx as T


@dataclass(frozen=True)
class Totals:
    """Totals of a tile in two parts: what `most` loses to rounding is added up in `rest`, by `join`.

    With `add` to `most` alone, `rest` stays 0.
    """

    most: Any
    rest: Any

    def at(self, row: Any, column: Any) -> Any:
        """The total, rounded once."""
        return self.most[row, column] + self.rest[row, column]

    def lost(self, row: Any, column: Any, value: Any) -> Any:
        """What of `value` would not be in `most` after adding it there.

        Dekker's Fast2Sum, exact where the total is the larger: only the first values, nearly alone in it, may be not.
        """
        most = self.most[row, column]
        total = tirx.Var("total", value.ty)
        return tirx.Let(total, most + value, value - (total - most))


@T.inline
def clear(tile: Any, sums: Any) -> None:
    """All sums begin at 0."""
    for row in T.unroll(tile.rows):
        for vector in T.unroll(tile.vectors):
            for lane in T.vectorized(tile.lanes):
                sums[row, vector * tile.lanes + lane] = T.Cast(sums.dtype, T.float32(0))


@T.inline
def add(tile: Any, sums: Any, totals: Any) -> None:
    """Add the sums of a run, in registers, to the totals in memory, which may be of another type."""
    for row in T.unroll(tile.rows):
        for vector in T.unroll(tile.vectors):
            for lane in T.vectorized(tile.lanes):
                totals[row, vector * tile.lanes + lane] += T.Cast(totals.dtype, sums[row, vector * tile.lanes + lane])


@T.inline
def join(tile: Any, sums: Any, totals: Any) -> None:
    """Add the sums of a run to totals in two parts."""
    for row in T.unroll(tile.rows):
        for vector in T.unroll(tile.vectors):
            for lane in T.vectorized(tile.lanes):
                totals.rest[row, vector * tile.lanes + lane] += totals.lost(
                    row, vector * tile.lanes + lane, sums[row, vector * tile.lanes + lane]
                )
                totals.most[row, vector * tile.lanes + lane] += sums[row, vector * tile.lanes + lane]


@T.inline
def spill(tile: Any, sums: Any, spilled: Any) -> None:
    """Copy the sums to memory, where they can be indexed at run time."""
    for row in T.unroll(tile.rows):
        for vector in T.unroll(tile.vectors):
            for lane in T.vectorized(tile.lanes):
                spilled[row, vector * tile.lanes + lane] = sums[row, vector * tile.lanes + lane]
