"""The plan of a Winograd F(m, r) of stride 1 in simdgroups: points, threads and threadgroup memory.

The tile, `winograd_tile`, does everything in one kernel: transformed input never leaves the threadgroup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T

from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.mathematics import ceil_div
from engine.compiler.kernels.metal.simdgroup_tile import DEPTH, LANES, MAX_BYTES, MAX_ROWS_EACH, MIN_CHANNELS, SIDE
from engine.compiler.kernels.precision import Precision
from engine.compiler.kernels.winograd import Winograd

MAX_SIMDGROUPS = 8
"""Of a threadgroup: every Apple GPU runs as many threads of a kernel, however many registers it takes."""
MAX_COLUMNS_EACH = 4
_FLOAT_BYTES = 4


@dataclass(frozen=True)
class WinogradTile:
    """The division of the work: every simdgroup multiplies at one or two points of the transform, for all of a tile.

    A tile has sets of m outputs as columns; the outputs of a set are `dilation` apart. Set number s begins at position
    (s / dilation) * m * dilation + s % dilation, so that neighboring sets read neighboring samples.
    """

    sizes: ConvWorkload
    winograd: Winograd

    @property
    def suits(self) -> bool:
        """True if the sizes fill most of a tile, and the tile has few enough points for its threads and memory."""
        sizes = self.sizes
        return (
            sizes.stride == 1
            and sizes.taps == self.winograd.taps
            and min(sizes.channels, sizes.row_count) >= MIN_CHANNELS
            and self.points % self.points_each == 0
            and self.simdgroups <= MAX_SIMDGROUPS
            and self.threadgroup_bytes <= MAX_BYTES
        )

    @property
    def factors(self) -> Precision:
        """Type of the weight."""
        return Precision.FLOAT32

    @property
    def points(self) -> int:
        """Points of the transform, m + r - 1."""
        return self.winograd.samples

    @property
    def points_each(self) -> int:
        """Points of a simdgroup: as few as the number of simdgroups allows."""
        return 1 if self.points <= MAX_SIMDGROUPS else 2

    @property
    def simdgroups(self) -> int:
        """Simdgroups of a threadgroup."""
        return self.points // self.points_each

    @property
    def threads(self) -> tuple[int, int]:
        """Threads of a threadgroup, y and x: a simdgroup for each y."""
        return self.simdgroups, LANES

    @property
    def thread_count(self) -> int:
        """Threads of a threadgroup."""
        return self.simdgroups * LANES

    @property
    def rows_each(self) -> int:
        """Matrices of rows per point, fewer for few rows; a multiple of those that are stored in one round."""
        needed = min(MAX_ROWS_EACH, ceil_div(self.sizes.row_count, SIDE))
        return ceil_div(needed, self.points_each) * self.points_each

    @property
    def columns_each(self) -> int:
        """Matrices of columns per point: registers hold as many sums for two points as for one."""
        return MAX_COLUMNS_EACH // self.points_each

    @property
    def accumulators(self) -> int:
        """Matrices of sums per simdgroup, in registers."""
        return self.points_each * self.rows_each * self.columns_each

    @property
    def tile_rows(self) -> int:
        """Rows of a tile."""
        return SIDE * self.rows_each

    @property
    def tile_columns(self) -> int:
        """Columns of a tile, each a set of outputs."""
        return SIDE * self.columns_each

    @property
    def blocks(self) -> int:
        """Tiles that cover all rows."""
        return ceil_div(self.sizes.row_count, self.tile_rows)

    @property
    def steps(self) -> int:
        """Slabs of transformed input that cover all channels."""
        return ceil_div(self.sizes.channels, DEPTH)

    @property
    def pitch(self) -> int:
        """Values from one channel of the slab to the next: an odd number of 8, so that matrices touch all banks."""
        return self.tile_columns + SIDE

    @property
    def slab_turns(self) -> int:
        """Sets of samples that each thread transforms for a slab."""
        return ceil_div(DEPTH * self.tile_columns, self.thread_count)

    @property
    def round_rows(self) -> int:
        """Rows whose sums are in threadgroup memory at a time."""
        return SIDE * self.points_each

    @property
    def round_sums(self) -> int:
        """Sums of a point that are in threadgroup memory at a time: the same number for one and for two points each."""
        return self.round_rows * self.tile_columns

    @property
    def round_turns(self) -> int:
        """Sets whose sums each thread transforms back in one round."""
        return ceil_div(self.round_sums, self.thread_count)

    @property
    def stretch(self) -> int:
        """Positions from the first set of `dilation` interleaved ones to the first of the next ones."""
        return self.winograd.outputs * self.sizes.dilation

    @property
    def span(self) -> int:
        """Positions, from a multiple of `stretch` on, among which are all outputs of any tile."""
        return (ceil_div(self.tile_columns - 1, self.sizes.dilation) + 1) * self.stretch

    @property
    def memory(self) -> int:
        """Values in threadgroup memory: a slab, and when all slabs are done with, sums."""
        return max(self.points * DEPTH * self.pitch, self.points * self.round_sums)

    @property
    def threadgroup_bytes(self) -> int:
        """Threadgroup memory of a tile in bytes."""
        return _FLOAT_BYTES * self.memory

    @property
    def packed_shape(self) -> tuple[int, int, int]:
        """Shape of the packed weight: [block of rows, slab and point, weights of the tile].

        The weights of a tile are matrices one after the other, channels before rows.
        """
        return self.blocks, self.steps * self.points, DEPTH * self.tile_rows

    def channel_at(self, place: Any) -> Any:
        """The channel of an index of the packed weight that counts the weights of one point only."""
        slab = T.truncmod(T.truncdiv(place, DEPTH * self.tile_rows), self.steps)
        matrix = T.truncdiv(T.truncmod(place, DEPTH * self.tile_rows), self.tile_rows * SIDE)
        return slab * DEPTH + matrix * SIDE + T.truncmod(place, SIDE)

    def row_at(self, place: Any) -> Any:
        """The row of an index of the packed weight that counts the weights of one point only."""
        block = T.truncdiv(place, DEPTH * self.tile_rows * self.steps)
        return block * self.tile_rows + T.truncmod(T.truncdiv(place, SIDE), self.tile_rows)

    def units(self, columns: Any) -> Any:
        """The number of units that tiles divide among them: sets that cover these columns of the convolution."""
        return T.ceildiv(columns, self.stretch) * self.sizes.dilation

    def position(self, number: Any) -> Any:
        """Position of the first output of a set."""
        return T.truncdiv(number, self.sizes.dilation) * self.stretch + T.truncmod(number, self.sizes.dilation)

    def set_at(self, position: Any) -> Any:
        """The set that has an output at this position."""
        return T.truncdiv(position, self.stretch) * self.sizes.dilation + T.truncmod(position, self.sizes.dilation)

    def output_at(self, position: Any) -> Any:
        """The index, in its set, of the output at this position."""
        return T.truncdiv(T.truncmod(position, self.stretch), self.sizes.dilation)

    def accumulator(self, each: Any, row: Any, column: Any) -> Any:
        """The index of the matrix of sums of one of a simdgroup's points, at this matrix of rows and of columns."""
        return (each * self.rows_each + row) * self.columns_each + column
