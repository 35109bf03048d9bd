"""The plan of a direct convolution on a CPU: its blocks of rows, its packed input, and its prefetching."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.cpu.cache import LINE
from engine.compiler.kernels.cpu.register_tile import Microkernel, PackedTile
from engine.compiler.kernels.mathematics import ceil_div

WEIGHTS_AHEAD = 2048
"""Bytes by which weights are prefetched, about 800 cycles: they come from the third-level cache or from memory.

The CPU's own prefetching stops at the end of a page. 512 bytes are too few, 4096 no better.
"""
INPUT_CHANNELS_AHEAD = 6
"""Channels by which input is prefetched while it is packed; a channel takes some 15 cycles, so 1 is too short."""
TAPS_AT_ONCE = 4
"""Taps per iteration of the innermost loop: when a core's other hyper-thread is busy, loop overhead is expensive."""


@dataclass(frozen=True)
class DirectPlan:
    """A direct convolution: its sizes and the register tiles it is computed in."""

    sizes: ConvWorkload
    microkernel: Microkernel

    @property
    def tile(self) -> Microkernel:
        """The register tile, which holds a block of rows."""
        return self.microkernel.shared_by(self.sizes.row_count)

    @property
    def blocks(self) -> int:
        """Number of blocks of rows."""
        return ceil_div(self.sizes.row_count, self.microkernel.rows)

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

        With AVX-512, whose tiles are one cache line wide, separate panels would be half halo.
        """
        apart = self.tile.lanes < LINE
        return PackedTile(self.tile, self.sizes.channels * self.phases, self.halo, apart)

    @property
    def reads_ahead(self) -> bool:
        """True if the innermost loop prefetches weights.

        Not with AVX-512, whose multiply-adds read the weights themselves and leave no time for other loads; nor with a
        single tap, where prefetching, one per 24 or 48 multiply-adds, gained nothing.
        """
        return self.tile.lanes < LINE and self.sizes.taps > 1

    @property
    def channels_at_once(self) -> int:
        """Channels per iteration of the innermost loop."""
        most = ceil_div(TAPS_AT_ONCE, self.sizes.taps)
        return next(count for count in range(most, 0, -1) if self.sizes.channels % count == 0)

    @property
    def channels_ahead(self) -> int:
        """`WEIGHTS_AHEAD` as a number of channels."""
        return ceil_div(WEIGHTS_AHEAD, 4 * self.sizes.taps * self.tile.rows)

    @property
    def packed_shape(self) -> tuple[int, int, int, int]:
        """Shape of the packed weight: [block, channel, tap, row in block]."""
        return self.blocks, self.sizes.channels, self.sizes.taps, self.tile.rows

    @property
    def factors(self) -> str:
        """Type of the weight."""
        return "float32"

    def panel(self, part: Any) -> Any:
        """The panel that holds the input of a register tile."""
        return part if self.packed.apart else 0

    def origin(self, part: Any) -> Any:
        """The first packed column of a register tile in its panel."""
        return 0 if self.packed.apart else part * self.tile.columns

    def phase(self, tap: Any) -> Any:
        """The residue of input positions modulo the stride that a tap reads."""
        return tap * self.sizes.dilation % self.sizes.stride

    def shift(self, tap: Any) -> Any:
        """The number of packed columns to the right that a tap reads at."""
        return tap * self.sizes.dilation // self.sizes.stride
