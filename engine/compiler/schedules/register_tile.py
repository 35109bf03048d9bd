"""Sums of a tile in vector registers, and the packed input beside them: what convolutions and linear layers share.

It does not know what is summed. Registers cannot be indexed at run time: every loop over them is unrolled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T

from engine.ops.microkernel_tir import Microkernel

MOST_PARTS = 8
"""Register tiles side by side in one packed tile, at most."""


@dataclass(frozen=True)
class PackedTile:
    """Packed input for register tiles side by side: `depth` values per column, `halo` columns beyond the last.

    It is one panel, whose columns neighbouring tiles share, or `apart`: a panel, with a halo, for each of them, so that
    what a tile reads is in one piece.
    """

    tile: Microkernel
    depth: int
    halo: int
    apart: bool = False

    @property
    def parts(self) -> int:
        """Register tiles in a packed tile: as many as fit the budget."""
        columns = self.tile.tile_bytes // (4 * self.depth)
        fitting = columns // self.pitch_apart if self.apart else (columns - self.halo) // self.tile.columns
        return max(1, min(MOST_PARTS, fitting))

    @property
    def pitch_apart(self) -> int:
        """Columns of a panel for one register tile, whole vectors."""
        return self.tile.padded(self.tile.columns + self.halo)

    @property
    def panels(self) -> int:
        """Panels in all."""
        return self.parts if self.apart else 1

    @property
    def width(self) -> int:
        """Columns that are computed."""
        return self.parts * self.tile.columns

    @property
    def pitch(self) -> int:
        """Columns of a panel in all, whole vectors."""
        return self.tile.padded(self.width // self.panels + self.halo)


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
def spill(tile: Any, sums: Any, spilled: Any) -> None:
    """Copy the sums to memory, where they can be indexed at run time."""
    for row in T.unroll(tile.rows):
        for vector in T.unroll(tile.vectors):
            for lane in T.vectorized(tile.lanes):
                spilled[row, vector * tile.lanes + lane] = sums[row, vector * tile.lanes + lane]
