"""How a convolution is computed directly: its blocks of rows, its packed input, what it asks for ahead.

It does not know the loops over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.kernels.convolution import ConvWorkload
from engine.kernels.cpu.cache import LINE
from engine.kernels.cpu.register_tile import PRODUCTS_PER_BLOCK, Microkernel, PackedTile
from engine.kernels.mathematics import ceil_div

WEIGHTS_AHEAD = 2048
"""Bytes, about 800 cycles: weights come from the third-level cache or from memory, which the loop would wait for.

The processor foresees what comes next only as far as a page goes. 512 bytes are too few, 4096 no better.
"""
INPUT_CHANNELS_AHEAD = 6
"""Channels whose input is asked for while another's is packed, which takes some 15 cycles: one alone comes too late."""
TAPS_AT_ONCE = 4
"""In a step of the innermost loop: a core whose other hyper-thread is busy has few instructions left for counting."""


@dataclass(frozen=True)
class DirectPlan:
    """How a correlation is computed in tiles of registers."""

    sizes: ConvWorkload
    microkernel: Microkernel

    @property
    def tile(self) -> Microkernel:
        """A block of rows in registers."""
        return self.microkernel.shared_by(self.sizes.row_count)

    @property
    def blocks(self) -> int:
        """Blocks of rows."""
        return ceil_div(self.sizes.row_count, self.microkernel.rows)

    @property
    def products_per_block(self) -> int:
        """Channels whose products are summed before their sum joins the others."""
        return max(1, PRODUCTS_PER_BLOCK // self.sizes.taps) if self.microkernel.high_precision else self.sizes.channels

    @property
    def halo(self) -> int:
        """Packed columns read beyond the last column of a tile."""
        return (self.sizes.taps - 1) * self.sizes.dilation // self.sizes.stride

    @property
    def phases(self) -> int:
        """Residues of input positions modulo the stride that some tap reads."""
        return min(self.sizes.stride, (self.sizes.taps - 1) * self.sizes.dilation + 1)

    @property
    def packed(self) -> PackedTile:
        """The packed input, phase by phase.

        With AVX-512, whose tiles are as narrow as a line of the cache, halos would take half of each panel.
        """
        apart = self.tile.lanes < LINE
        return PackedTile(self.tile, self.sizes.channels * self.phases, self.halo, apart)

    @property
    def reads_ahead(self) -> bool:
        """Whether the innermost loop asks for weights that it reads later.

        With AVX-512 it does not: multiply-adds read the weights themselves there, and leave loads no time. Nor with a
        single tap, whose requests, one to 24 or 48 multiply-adds, gained nothing.
        """
        return self.tile.lanes < LINE and self.sizes.taps > 1

    @property
    def channels_at_once(self) -> int:
        """Channels in a step of the innermost loop; runs are as short as they have to be."""
        most = 1 if self.microkernel.high_precision else ceil_div(TAPS_AT_ONCE, self.sizes.taps)
        return next(count for count in range(most, 0, -1) if self.sizes.channels % count == 0)

    @property
    def channels_ahead(self) -> int:
        """Channels whose weights are those read `WEIGHTS_AHEAD` bytes later."""
        return ceil_div(WEIGHTS_AHEAD, 4 * self.sizes.taps * self.tile.rows)

    @property
    def packed_shape(self) -> tuple[int, int, int, int]:
        """Of the weight: [block, channel, tap, row in block]."""
        return self.blocks, self.sizes.channels, self.sizes.taps, self.tile.rows

    @property
    def factors(self) -> str:
        """Type of the weight."""
        return "float32"

    def panel(self, part: Any) -> Any:
        """Where the input of a register tile is packed."""
        return part if self.packed.apart else 0

    def origin(self, part: Any) -> Any:
        """And from which column on."""
        return 0 if self.packed.apart else part * self.tile.columns

    def phase(self, tap: Any) -> Any:
        """Which residue a tap reads."""
        return tap * self.sizes.dilation % self.sizes.stride

    def shift(self, tap: Any) -> Any:
        """How many packed columns a tap reads to the right."""
        return tap * self.sizes.dilation // self.sizes.stride
