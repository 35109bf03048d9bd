"""The plan of a Winograd convolution of stride 1 on a CPU: its pieces, points and tiles."""

from __future__ import annotations

from dataclasses import dataclass

from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.cpu.register_tile import Microkernel, PackedTile
from engine.compiler.kernels.mathematics import ceil_div
from engine.compiler.kernels.winograd import Winograd


@dataclass(frozen=True)
class WinogradPlan:
    """A convolution of stride 1 by F(m, r), and its tiles.

    A column is a set of m sums of a row, `dilation` apart. The columns of neighboring positions are neighbors:
    `dilation` of them, a stretch, have m times as many neighboring outputs. A register tile has at least a stretch.
    """

    sizes: ConvWorkload
    winograd: Winograd
    microkernel: Microkernel

    @property
    def pieces(self) -> int:
        """Pieces of r taps that the kernel is cut into."""
        return ceil_div(self.sizes.taps, self.winograd.taps)

    @property
    def shift(self) -> int:
        """Columns from one piece to the next."""
        return self.winograd.taps // self.winograd.outputs * self.sizes.dilation

    @property
    def halo(self) -> int:
        """Packed columns read beyond the last column of a tile."""
        return (self.pieces - 1) * self.shift

    @property
    def points(self) -> int:
        """Points of the transform, m + r - 1."""
        return self.winograd.samples

    @property
    def tile(self) -> Microkernel:
        """The register tile, which holds a block of rows."""
        return self.microkernel.shared_by(self.sizes.row_count)

    @property
    def blocks(self) -> int:
        """Number of blocks of rows."""
        return ceil_div(self.sizes.row_count, self.microkernel.rows)

    @property
    def packed(self) -> PackedTile:
        """The transformed input, point by point."""
        return PackedTile(self.tile, self.sizes.channels * self.points, self.halo)

    @property
    def reach(self) -> int:
        """The number of columns to the right of a set's column that its samples extend into."""
        return (self.points - 1) // self.winograd.outputs * self.sizes.dilation

    @property
    def at_once(self) -> int:
        """Columns whose samples or outputs are taken from the order of time, or put into it, at once."""
        return self.sizes.dilation if self.sizes.dilation > 1 else self.tile.lanes

    @property
    def line(self) -> int:
        """Columns of samples gathered for a packed tile."""
        return ceil_div(self.packed.pitch + self.reach, self.at_once) * self.at_once

    @property
    def columns_each(self) -> int:
        """Columns that a register tile stores, whole stretches; the others are computed for nothing."""
        return self.tile.columns // self.sizes.dilation * self.sizes.dilation

    @property
    def outputs_each(self) -> int:
        """Outputs of a register tile in each row."""
        return self.columns_each * self.winograd.outputs

    @property
    def packed_shape(self) -> tuple[int, int, int, int, int]:
        """Shape of the packed weight: [block, point, channel, piece, row in block]."""
        return self.blocks, self.points, self.sizes.channels, self.pieces, self.tile.rows

    @property
    def factors(self) -> str:
        """Type of the weight."""
        return "float32"
