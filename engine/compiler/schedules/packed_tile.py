"""The packed input of register tiles side by side, as convolutions share it. It does not know what is summed."""

from __future__ import annotations

from dataclasses import dataclass

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
