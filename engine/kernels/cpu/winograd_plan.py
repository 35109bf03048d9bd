"""How a convolution of stride 1 is computed by minimal filtering: its pieces, points and tiles.

It does not know the loops over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tvm.script import tirx as T

from engine.kernels.convolution import ConvWorkload
from engine.kernels.cpu.register_tile import Microkernel, PackedTile
from engine.kernels.cpu.winograd import Winograd
from engine.kernels.mathematics import ceil_div


@dataclass(frozen=True)
class WinogradPlan:
    """A convolution of stride 1 and its tiles. A column is a set of `form.outputs` sums of a row, `dilation` apart."""

    sizes: ConvWorkload
    winograd: Winograd
    microkernel: Microkernel

    @property
    def pieces(self) -> int:
        """Pieces of the kernel."""
        return ceil_div(self.sizes.taps, self.winograd.taps)

    @property
    def shift(self) -> int:
        """Columns from one piece to the next."""
        return self.winograd.taps // self.winograd.outputs

    @property
    def halo(self) -> int:
        """Packed columns read beyond the last column of a tile."""
        return (self.pieces - 1) * self.shift

    @property
    def points(self) -> int:
        """Points of the transform."""
        return self.winograd.samples

    @property
    def tile(self) -> Microkernel:
        """A block of rows in registers."""
        return self.microkernel.shared_by(self.sizes.row_count)

    @property
    def blocks(self) -> int:
        """Blocks of rows."""
        return ceil_div(self.sizes.row_count, self.microkernel.rows)

    @property
    def packed(self) -> PackedTile:
        """The transformed input, point by point."""
        return PackedTile(self.tile, self.sizes.channels * self.points, self.halo)

    @property
    def reach(self) -> int:
        """Columns beyond its own that a set's samples belong to."""
        return (self.points - 1) // self.winograd.outputs

    @property
    def line(self) -> int:
        """Columns of samples gathered for a packed tile."""
        return self.packed.pitch + self.tile.padded(self.reach)

    @property
    def outputs_each(self) -> int:
        """Sums of the columns of a register tile, in each row."""
        return self.tile.columns * self.winograd.outputs

    @property
    def span(self) -> int:
        """Sums of a row in the tiles of all interleaved sequences."""
        return self.packed.width * self.winograd.outputs * self.sizes.dilation

    @property
    def packed_shape(self) -> tuple[int, int, int, int, int]:
        """Of the weight: [block, point, channel, piece, row in block]."""
        return self.blocks, self.points, self.sizes.channels, self.pieces, self.tile.rows

    @property
    def factors(self) -> str:
        """Type of the weight."""
        return "float32"


def combination(coefficients: Sequence[Fraction], values: Sequence[Any]) -> Any:
    """The sum of the products, without those that are 0."""
    total = None
    for coefficient, value in zip(coefficients, values, strict=True):
        if coefficient:
            product = value if coefficient == 1 else T.float32(float(coefficient)) * value
            total = product if total is None else total + product
    return total
