"""A tile of a convolution in which every thread owns a few rows and columns, for any sizes, strides and few channels.

A slab of input with its halo, and the weights of as many channels, are in threadgroup memory together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T

from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.metal.tile_store import store_sum
from engine.compiler.kernels.precision import Precision
from engine.errors import CompileError

SIDE = 16
"""Threads of a tile in each direction."""
COLUMNS_EACH = 4
MAX_ROWS_EACH = 4
MAX_CHANNELS = 16
"""Channels in threadgroup memory at a time, at most."""
_FLOAT_BYTES = 4


@dataclass(frozen=True)
class ThreadTile:
    """The division of the work into tiles; raises `CompileError` if one channel exceeds the threadgroup memory."""

    sizes: ConvWorkload
    group: Threadgroup

    def __post_init__(self) -> None:
        if self.bytes_per_channel > self.group.tile_bytes:
            raise CompileError(
                f"A convolution of {self.sizes.taps} taps with dilation {self.sizes.dilation} and stride "
                f"{self.sizes.stride} doesn’t fit the threadgroup memory."
            )

    @property
    def factors(self) -> Precision:
        """Type of the weight."""
        return Precision.FLOAT32

    @property
    def threads(self) -> tuple[int, int]:
        """Threads of a threadgroup, y and x."""
        return SIDE, SIDE

    @property
    def rows_each(self) -> int:
        """Rows per thread, fewer for few rows."""
        return min(MAX_ROWS_EACH, -(-self.sizes.row_count // SIDE))

    @property
    def tile_rows(self) -> int:
        """Rows of a tile."""
        return self.rows_each * SIDE

    @property
    def tile_columns(self) -> int:
        """Columns of a tile."""
        return COLUMNS_EACH * SIDE

    @property
    def blocks(self) -> int:
        """Tiles that cover all rows."""
        return -(-self.sizes.row_count // self.tile_rows)

    @property
    def slab(self) -> int:
        """Input positions that a tile reads of each channel."""
        return self.sizes.slab(self.tile_columns)

    @property
    def bytes_per_channel(self) -> int:
        """Threadgroup memory of one channel in bytes."""
        return _FLOAT_BYTES * (self.slab + self.sizes.taps * self.tile_rows)

    @property
    def depth(self) -> int:
        """Channels in threadgroup memory at a time."""
        return max(1, min(MAX_CHANNELS, self.sizes.channels, self.group.tile_bytes // self.bytes_per_channel))

    @property
    def steps(self) -> int:
        """Loads that cover all channels."""
        return -(-self.sizes.channels // self.depth)

    @property
    def slab_turns(self) -> int:
        """Values of the slab that each thread loads."""
        return -(-self.depth * self.slab // (SIDE * SIDE))

    @property
    def weight_turns(self) -> int:
        """Weights that each thread loads."""
        return -(-self.depth * self.sizes.taps * self.tile_rows // (SIDE * SIDE))

    @property
    def packed_shape(self) -> tuple[int, int, int]:
        """Shape of the packed weight: [channel, tap, row], so that neighboring threads read neighboring rows."""
        return self.sizes.channels, self.sizes.taps, self.sizes.row_count

    def units(self, columns: Any) -> Any:
        """The number of units that tiles divide among them: the columns."""
        return columns

    def channel_at(self, place: Any) -> Any:
        """The channel of an index of the packed weight."""
        return T.truncdiv(place, self.sizes.taps * self.sizes.row_count)

    def tap_at(self, place: Any) -> Any:
        """The tap of an index of the packed weight."""
        return T.truncmod(T.truncdiv(place, self.sizes.row_count), self.sizes.taps)

    def row_at(self, place: Any) -> Any:
        """The row of an index of the packed weight."""
        return T.truncmod(place, self.sizes.row_count)


@T.inline
def _load_slab(plan: Any, operands: Any, slab: Any, batch_index: Any, column: Any, channel: Any, thread: Any) -> None:
    for turn in T.serial(plan.slab_turns):
        place: T.int32 = turn * (SIDE * SIDE) + thread
        if place < plan.depth * plan.slab:
            row: T.int32 = channel + T.truncdiv(place, plan.slab)
            position: T.int32 = column * plan.sizes.stride + T.truncmod(place, plan.slab) - plan.sizes.padding
            # Zero outside the input and beyond the last channel: the sums need no bounds check.
            slab[place] = T.if_then_else(
                T.And(T.And(position >= 0, position < operands.length), row < plan.sizes.channels),
                operands.source[batch_index, row, position],
                T.float32(0),
            )


@T.inline
def _load_weights(plan: Any, weight: Any, weights: Any, first: Any, channel: Any, thread: Any) -> None:
    for turn in T.serial(plan.weight_turns):
        place: T.int32 = turn * (SIDE * SIDE) + thread
        if place < plan.depth * plan.sizes.taps * plan.tile_rows:
            row: T.int32 = first + T.truncmod(place, plan.tile_rows)
            tap: T.int32 = T.truncmod(T.truncdiv(place, plan.tile_rows), plan.sizes.taps)
            source: T.int32 = channel + T.truncdiv(place, plan.tile_rows * plan.sizes.taps)
            weights[place] = T.if_then_else(
                T.And(row < plan.sizes.row_count, source < plan.sizes.channels), weight[source, tap, row], T.float32(0)
            )


@T.inline
def _accumulate(plan: Any, slab: Any, weights: Any, sums: Any, ty: Any, tx: Any) -> None:
    for channel in T.serial(plan.depth):
        for tap in T.serial(plan.sizes.taps):
            for i in T.unroll(plan.rows_each):
                for j in T.unroll(COLUMNS_EACH):
                    # A thread's rows and columns are `SIDE` apart: neighboring threads read neighbors.
                    sums[i, j] += (
                        weights[(channel * plan.sizes.taps + tap) * plan.tile_rows + i * SIDE + ty]
                        * slab[channel * plan.slab + (j * SIDE + tx) * plan.sizes.stride + tap * plan.sizes.dilation]
                    )


@T.inline
def thread_tile(plan: Any, operands: Any, batch_index: Any, block: Any, column: Any, ty: Any, tx: Any) -> None:
    """Compute and store the tile of this block of rows from this column on, as one of its threads."""
    slab = T.alloc_buffer((plan.depth * plan.slab,), "float32", scope="shared")
    weights = T.alloc_buffer((plan.depth * plan.sizes.taps * plan.tile_rows,), "float32", scope="shared")
    sums = T.alloc_buffer((plan.rows_each, COLUMNS_EACH), "float32", scope="local")
    for i in T.unroll(plan.rows_each):
        for j in T.unroll(COLUMNS_EACH):
            sums[i, j] = T.float32(0)
    for step in T.serial(plan.steps):
        _load_slab(plan, operands, slab, batch_index, column, step * plan.depth, ty * SIDE + tx)
        _load_weights(plan, operands.weight, weights, block * plan.tile_rows, step * plan.depth, ty * SIDE + tx)
        # All of the slab and its weights are loaded.
        T.tvm_storage_sync("shared")
        _accumulate(plan, slab, weights, sums, ty, tx)
        # All threads are done with them before the next step overwrites them.
        T.tvm_storage_sync("shared")
    for i in T.unroll(plan.rows_each):
        for j in T.unroll(COLUMNS_EACH):
            store_sum(
                plan,
                operands,
                batch_index,
                block * plan.tile_rows + i * SIDE + ty,
                column + j * SIDE + tx,
                sums[i, j],
            )
