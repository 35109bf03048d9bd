"""A tile of a convolution in which simdgroups multiply matrices of 8 by 8, for many channels and rows.

A slab of input with its halo stays in threadgroup memory for all taps, which read it at their offsets. The weights are
double-buffered: while those of one tap are multiplied, those of the next are on their way from device memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T

from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.metal.tile_store import store_sum
from engine.compiler.kernels.precision import Precision

SIDE = 8
"""Rows and columns of a matrix."""
PLACES = SIDE * SIDE
LANES = 32
"""Threads of a simdgroup."""
ACROSS = 2
"""Simdgroups of a tile in each direction."""
SIMDGROUPS = ACROSS * ACROSS
THREADS = SIMDGROUPS * LANES
COLUMNS_EACH = 4
"""Matrices of columns per simdgroup, which has as many threads as they have columns."""
MAX_ROWS_EACH = 4
DEPTH = 16
"""Channels in threadgroup memory at a time."""
MIN_CHANNELS = 16
"""Channels and rows below which most of a tile would be empty."""
_BYTES = {Precision.FLOAT32: 4, Precision.FLOAT16: 2}
MAX_BYTES = 28 * 1024


@dataclass(frozen=True)
class SimdgroupTile:
    """The division of the work into tiles, and the type of the factors; sums always have single precision."""

    sizes: ConvWorkload
    factors: Precision = Precision.FLOAT32

    @property
    def suits(self) -> bool:
        """True if the sizes fill most of a tile, and the tile fits the threadgroup memory."""
        sizes = self.sizes
        return (
            sizes.stride == 1
            and min(sizes.channels, sizes.row_count) >= MIN_CHANNELS
            and self.threadgroup_bytes <= MAX_BYTES
        )

    @property
    def threads(self) -> tuple[int, int]:
        """Threads of a threadgroup, y and x: a simdgroup for each y."""
        return SIMDGROUPS, LANES

    @property
    def rows_each(self) -> int:
        """Matrices of rows per simdgroup, fewer for few rows."""
        return min(MAX_ROWS_EACH, -(-self.sizes.row_count // (SIDE * ACROSS)))

    @property
    def tile_rows(self) -> int:
        """Rows of a tile."""
        return SIDE * ACROSS * self.rows_each

    @property
    def tile_columns(self) -> int:
        """Columns of a tile."""
        return SIDE * ACROSS * COLUMNS_EACH

    @property
    def blocks(self) -> int:
        """Tiles that cover all rows."""
        return -(-self.sizes.row_count // self.tile_rows)

    def units(self, columns: Any) -> Any:
        """The number of units that tiles divide among them: the columns."""
        return columns

    @property
    def steps(self) -> int:
        """Slabs that cover all channels."""
        return -(-self.sizes.channels // DEPTH)

    @property
    def slab(self) -> int:
        """Input positions that a tile reads of each channel."""
        return self.sizes.slab(self.tile_columns)

    @property
    def slab_stride(self) -> int:
        """Values from one channel of the slab to the next: an odd number of 8, so that matrices touch all banks."""
        return -(-(self.slab - SIDE) // (2 * SIDE)) * 2 * SIDE + SIDE

    @property
    def weights(self) -> int:
        """Weights of one tap, of a slab's channels and a tile's rows: those multiplied between two barriers."""
        return DEPTH * self.tile_rows

    @property
    def weights_each(self) -> int:
        """Weights of a tap that each thread moves."""
        return self.weights // THREADS

    @property
    def at_once(self) -> int:
        """Weights that a thread moves in one access."""
        return 4 if self.weights_each % 4 == 0 else 2

    @property
    def threadgroup_bytes(self) -> int:
        """Threadgroup memory of a tile in bytes; its sums pass through the same memory when the rest is done."""
        return _BYTES[self.factors] * (DEPTH * self.slab_stride + 2 * self.weights)

    @property
    def packed_shape(self) -> tuple[int, int, int]:
        """Shape of the packed weight: [block of rows, slab and tap, weights of the tile].

        The weights of a tile are matrices one after the other, channels before rows.
        """
        return self.blocks, self.steps * self.sizes.taps, self.weights

    def channel_at(self, place: Any) -> Any:
        """The channel of an index of the packed weight."""
        slab = T.truncmod(T.truncdiv(place, self.weights * self.sizes.taps), self.steps)
        matrix = T.truncdiv(T.truncmod(place, self.weights), self.tile_rows * SIDE)
        return slab * DEPTH + matrix * SIDE + T.truncmod(place, SIDE)

    def tap_at(self, place: Any) -> Any:
        """The tap of an index of the packed weight."""
        return T.truncmod(T.truncdiv(place, self.weights), self.sizes.taps)

    def row_at(self, place: Any) -> Any:
        """The row of an index of the packed weight."""
        block = T.truncdiv(place, self.weights * self.sizes.taps * self.steps)
        return block * self.tile_rows + T.truncmod(T.truncdiv(place, SIDE), self.tile_rows)


@T.inline
def _load_slab(
    plan: Any, operands: Any, slab: Any, batch_index: Any, column: Any, channel: Any, ty: Any, tx: Any
) -> None:
    for turn in T.serial(DEPTH // SIMDGROUPS):
        for part in T.serial(-(-plan.slab // LANES)):
            row: T.int32 = turn * SIMDGROUPS + ty
            place: T.int32 = part * LANES + tx
            position: T.int32 = column + place - plan.sizes.padding
            # Positions outside the input, and channels beyond the last, are 0: the products need no bounds check.
            if place < plan.slab:
                slab[row * plan.slab_stride + place] = T.cast(
                    T.if_then_else(
                        T.And(T.And(position >= 0, position < operands.length), channel + row < plan.sizes.channels),
                        operands.source[batch_index, channel + row, position],
                        T.float32(0),
                    ),
                    plan.factors,
                )


@T.inline
def _fetch(plan: Any, weight: Any, moving: Any, block: Any, stage: Any, thread: Any) -> None:
    # To registers first: the loads are in flight while the simdgroups multiply.
    for turn in T.unroll(plan.weights_each // plan.at_once):
        for each in T.vectorized(plan.at_once):
            moving[turn * plan.at_once + each] = weight[block, stage, (turn * THREADS + thread) * plan.at_once + each]


@T.inline
def _place(plan: Any, moving: Any, weights: Any, stage: Any, thread: Any) -> None:
    # To the half of `weights` that is not being multiplied.
    for turn in T.unroll(plan.weights_each // plan.at_once):
        for each in T.vectorized(plan.at_once):
            weights[T.truncmod(stage, 2) * plan.weights + (turn * THREADS + thread) * plan.at_once + each] = moving[
                turn * plan.at_once + each
            ]


@T.inline
def _multiply(
    plan: Any, slab: Any, weights: Any, lefts: Any, rights: Any, sums: Any, stage: Any, tap: Any, ty: Any
) -> None:
    for depth in T.unroll(DEPTH // SIDE):
        for i in T.unroll(plan.rows_each):
            T.metal.simdgroup_load(
                lefts.data,
                i,
                T.address_of(
                    weights[
                        T.truncmod(stage, 2) * plan.weights
                        + depth * (plan.tile_rows * SIDE)
                        + (T.truncdiv(ty, ACROSS) * plan.rows_each + i) * PLACES
                    ]
                ),
                SIDE,
            )
        for j in T.unroll(COLUMNS_EACH):
            T.metal.simdgroup_load(
                rights.data,
                j,
                T.address_of(
                    slab[
                        depth * (SIDE * plan.slab_stride)
                        + (T.truncmod(ty, ACROSS) * COLUMNS_EACH + j) * SIDE
                        # A tap reads the same slab, `dilation` columns further on.
                        + tap * plan.sizes.dilation
                    ]
                ),
                plan.slab_stride,
            )
        for i in T.unroll(plan.rows_each):
            for j in T.unroll(COLUMNS_EACH):
                # sums[i, j] += lefts[i] rights[j], matrices of 8 x 8: rows x channels times channels x columns.
                T.metal.simdgroup_multiply_accumulate(
                    sums.data, i * COLUMNS_EACH + j, lefts.data, i, rights.data, j, sums.data, i * COLUMNS_EACH + j
                )


@T.inline
def _store(plan: Any, operands: Any, batch_index: Any, first: Any, column: Any, sums: Any, ty: Any, tx: Any) -> None:
    # By way of memory, since which thread holds which value of a matrix is unspecified; a strip per simdgroup.
    strips = T.alloc_buffer((SIMDGROUPS * SIDE * LANES,), "float32", scope="shared")
    for i in T.unroll(plan.rows_each):
        for j in T.unroll(COLUMNS_EACH):
            T.metal.simdgroup_store(
                sums.data, i * COLUMNS_EACH + j, T.address_of(strips[ty * (SIDE * LANES) + j * SIDE]), LANES
            )
        # A simdgroup's own barriers suffice, because each has its own strip.
        T.tvm_storage_sync("warp")
        for row in T.serial(SIDE):
            store_sum(
                plan,
                operands,
                batch_index,
                first + (T.truncdiv(ty, ACROSS) * plan.rows_each + i) * SIDE + row,
                column + T.truncmod(ty, ACROSS) * LANES + tx,
                strips[(ty * SIDE + row) * LANES + tx],
            )
        T.tvm_storage_sync("warp")


@T.inline
def simdgroup_tile(plan: Any, operands: Any, batch_index: Any, block: Any, column: Any, ty: Any, tx: Any) -> None:
    """Compute and store the tile of this block of rows from this column on, as one of its threads."""
    slab = T.alloc_buffer((DEPTH * plan.slab_stride,), plan.factors, scope="shared")
    weights = T.alloc_buffer((2 * plan.weights,), plan.factors, scope="shared")
    moving = T.alloc_buffer((plan.weights_each,), plan.factors, scope="local")
    lefts = T.alloc_buffer((plan.rows_each * PLACES,), plan.factors, scope="metal.simdgroup")
    rights = T.alloc_buffer((COLUMNS_EACH * PLACES,), plan.factors, scope="metal.simdgroup")
    sums = T.alloc_buffer((plan.rows_each * COLUMNS_EACH * PLACES,), "float32", scope="metal.simdgroup")
    for i in T.unroll(plan.rows_each * COLUMNS_EACH):
        T.metal.make_filled_simdgroup_matrix(sums.data, i, T.float32(0))
    _fetch(plan, operands.weight, moving, block, 0, ty * LANES + tx)
    _place(plan, moving, weights, 0, ty * LANES + tx)
    for step in T.serial(plan.steps):
        _load_slab(plan, operands, slab, batch_index, column, step * DEPTH, ty, tx)
        T.tvm_storage_sync("shared")
        for tap in T.serial(plan.sizes.taps):
            stage: T.int32 = step * plan.sizes.taps + tap
            # The last weights are loaded a second time, which costs less than a branch at every stage.
            _fetch(plan, operands.weight, moving, block, T.min(stage + 1, plan.packed_shape[1] - 1), ty * LANES + tx)
            _multiply(plan, slab, weights, lefts, rights, sums, stage, tap, ty)
            _place(plan, moving, weights, stage + 1, ty * LANES + tx)
            # The next weights are in place; after the last tap, the slab may be overwritten.
            T.tvm_storage_sync("shared")
    _store(plan, operands, batch_index, block * plan.tile_rows, column, sums, ty, tx)
