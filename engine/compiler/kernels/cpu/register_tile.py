"""The vector registers of a CPU target, the register tile that keeps its multipliers busy, and the tile's sums.

Convolutions, matrix products and recurrences all use the tile. Registers cannot be indexed at run time, so every loop
over sums in them is unrolled.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from tvm.script import tirx as T
from tvm.target import Target
from tvm.target.codegen import llvm_get_cpu_features

from engine.compiler.kernels.mathematics import ceil_div
from engine.system.processor import second_level_cache_bytes

TILE_BYTES = 512 * 1024
"""Bytes of input that a tile packs, at most: about half of the second-level cache of a server's core."""
_PASSING_BYTES = 384 * 1024
"""Bytes left to weights, sums and outputs, which pass through the second-level cache too; colliding pages evict others.

With tiles as large as a cache of 512 KB, Winograd convolutions took 1.3 times as long; with half of it, 1.05 times.
"""
_APPLE = "apple"
_MIN_CACHE_BYTES = 512 * 1024
"""The second-level cache per core that code for a family of CPUs assumes: many have no more, and tiles that are too
large cost more than tiles that are too small. Apple's are larger than any tile."""
_CACHE_BYTES_WITH_AVX512 = 1024 * 1024
"""Of nearly all CPUs with AVX-512; speech of 2 s is 1.07 times as fast as with tiles for half of it."""
_MIN_SHARE = 4
"""Tiles take at least a quarter of the cache, even of one so small that this leaves less to everything else."""
CHUNKS = 16
"""Parts the work of a kernel is split into; more than cores, so that 2 - 16 cores are balanced."""

MAX_SUM_BYTES = 1023
"""Bytes of sums, at most, that are sure to stay in registers in any loop: TVM puts larger arrays on the heap.

LLVM moves those to registers only in simple loops such as those of convolutions; linear layers took three times as
long.
"""
_BYTES_PER_SUM = 4

PRODUCTS_PER_BLOCK = 32
"""Products per block of blocked summation: rounding error grows with the length of a sum."""


@dataclass(frozen=True)
class Microkernel:
    """A tile of `rows` x `columns` float32 accumulators held in some of the `registers`, vectors of `lanes` values.

    `columns` is a multiple of `lanes`. `tile_bytes` bounds packed input, `chunks` is the number of parallel parts.
    `tuned` has pairs of sizes and the choice measured to be best for them on this machine.
    """

    lanes: int
    rows: int
    columns: int
    registers: int = 16
    tile_bytes: int = TILE_BYTES
    chunks: int = CHUNKS
    tuned: tuple[tuple[Hashable, Hashable], ...] = ()

    @property
    def vectors(self) -> int:
        """Vectors in a row of the tile."""
        return self.columns // self.lanes

    def shared_by(self, row_count: int) -> Microkernel:
        """This tile with fewer rows if that divides `row_count` rows more evenly."""
        return replace(self, rows=ceil_div(row_count, ceil_div(row_count, self.rows)))

    @property
    def vectors_on_stack(self) -> int:
        """Vectors of sums, at most, that TVM keeps on the stack."""
        return MAX_SUM_BYTES // (self.lanes * _BYTES_PER_SUM)

    def on_stack(self) -> Microkernel:
        """This tile with fewer columns if its sums would not fit on the stack."""
        return replace(self, columns=min(self.vectors, self.vectors_on_stack // self.rows) * self.lanes)

    def padded(self, extent: int) -> int:
        """`extent` rounded up to whole vectors."""
        return ceil_div(extent, self.lanes) * self.lanes


AVX512 = Microkernel(lanes=16, rows=8, columns=48, registers=32)
"""24 accumulators, 3 loads; weights are broadcast from memory."""
AVX2 = Microkernel(lanes=8, rows=4, columns=24)
"""12 accumulators, 3 loads, 1 broadcast."""
NEON = Microkernel(lanes=4, rows=8, columns=12, registers=32)
"""24 accumulators, 3 loads, up to 5 broadcasts."""
SSE = Microkernel(lanes=4, rows=4, columns=12)
"""12 accumulators, 3 loads, 1 broadcast."""

_BY_FEATURE = (("avx512f", AVX512), ("avx2", AVX2), ("neon", NEON))


def microkernel_for(target: Target) -> Microkernel:
    """The register tile of an LLVM target, by its CPU features; its packed input fits the cache.

    The cache is that of this machine, or the least of the family of CPUs that the target's triple names.
    """
    features = set(llvm_get_cpu_features(target))
    supported = (microkernel for feature, microkernel in _BY_FEATURE if feature in features)
    chosen = next(supported, SSE)
    return replace(chosen, tile_bytes=_tile_bytes(_cache_bytes(target, chosen)))


def _cache_bytes(target: Target, microkernel: Microkernel) -> int | None:
    if "mtriple" not in target.attrs:
        return second_level_cache_bytes()
    if _APPLE in target.attrs["mtriple"]:
        return None
    return _CACHE_BYTES_WITH_AVX512 if microkernel is AVX512 else _MIN_CACHE_BYTES


def _tile_bytes(cache_bytes: int | None) -> int:
    if cache_bytes is None:
        return TILE_BYTES
    return min(TILE_BYTES, max(cache_bytes - _PASSING_BYTES, cache_bytes // _MIN_SHARE))


@T.inline
def fill(tile: Any, sums: Any, value: Any) -> None:
    """Set every sum, or its copy in memory, to `value(row, column)`."""
    for row in T.unroll(tile.rows):
        for vector in T.unroll(tile.vectors):
            for lane in T.vectorized(tile.lanes):
                sums[row, vector * tile.lanes + lane] = value(row, vector * tile.lanes + lane)


@T.inline
def clear(tile: Any, sums: Any) -> None:
    """Set all sums to 0."""
    fill(tile, sums, lambda row, column: T.float32(0))


@T.inline
def fma(tile: Any, sums: Any, row_factor: Any, column_factor: Any) -> None:
    """Add `row_factor(row) * column_factor(column)` to every sum: the outer product of a column and a row."""
    for row in T.unroll(tile.rows):
        for vector in T.unroll(tile.vectors):
            for lane in T.vectorized(tile.lanes):
                sums[row, vector * tile.lanes + lane] += row_factor(row) * column_factor(vector * tile.lanes + lane)


@T.inline
def add(tile: Any, sums: Any, totals: Any) -> None:
    """Add the sums of a block to totals."""
    for row in T.unroll(tile.rows):
        for vector in T.unroll(tile.vectors):
            for lane in T.vectorized(tile.lanes):
                totals[row, vector * tile.lanes + lane] += sums[row, vector * tile.lanes + lane]


MAX_PARTS = 8
"""Register tiles side by side in one packed tile, at most."""


@dataclass(frozen=True)
class PackedTile:
    """Packed input for register tiles side by side: `depth` values per column, `halo` columns beyond the last.

    It is one panel, in which neighboring tiles share the halo, or `apart`: a panel with its own halo for each tile, so
    that each tile reads contiguous memory.
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
        return max(1, min(MAX_PARTS, fitting))

    @property
    def pitch_apart(self) -> int:
        """Columns of a panel for one register tile, whole vectors."""
        return self.tile.padded(self.tile.columns + self.halo)

    @property
    def panels(self) -> int:
        """Number of panels."""
        return self.parts if self.apart else 1

    @property
    def width(self) -> int:
        """Columns that are computed."""
        return self.parts * self.tile.columns

    @property
    def pitch(self) -> int:
        """Columns of a panel with its halo, whole vectors."""
        return self.tile.padded(self.width // self.panels + self.halo)
