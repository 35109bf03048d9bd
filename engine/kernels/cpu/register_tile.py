"""How many vector registers a CPU target has, the register tile that keeps its multipliers busy, and the tile's sums.

Convolutions, matrix products and recurrences all use the tile. Registers cannot be indexed at run time: every loop over
sums in them is unrolled.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from tvm import tirx
from tvm.script import tirx as T
from tvm.target import Target
from tvm.target.codegen import llvm_get_cpu_features

from engine.kernels.mathematics import ceil_div
from engine.system.processor import second_level_cache_bytes

TILE_BYTES = 512 * 1024
"""Input a tile may pack, at most: about half of the second-level cache of one core of a server."""
_PASSING_BYTES = 384 * 1024
"""Weights, sums and outputs pass through the second-level cache as well, and pages that collide push each other out.

With tiles as large as the cache, of 512 KB, filtered convolutions took 1.3 times as long; with half of it, 1.05 times.
"""
_MIN_SHARE = 4
"""Of a cache so small that nothing else would be left, tiles take a quarter."""
CHUNKS = 16
"""Parts the work of a kernel is split into; more than cores, so that 2 - 16 of them are balanced."""

MAX_SUM_BYTES = 1023
"""Of sums that are sure to stay in registers, wherever they are added up: larger arrays TVM puts on the heap.

From there LLVM takes them in simple loops, as of convolutions; linear layers took three times as long.
"""
_BYTES = {"float32": 4, "float64": 8}

PRODUCTS_PER_BLOCK = 32
"""Products that are summed before their sum joins the other sums: what rounding takes grows with a sum's length."""


@dataclass(frozen=True)
class Microkernel:
    """A tile of `rows` x `columns` float32 accumulators held in some of the `registers`, vectors of `lanes` values.

    `columns` is a multiple of `lanes`. `tile_bytes` bounds packed input, `chunks` is the number of parallel parts.
    `tuned` has pairs of sizes and what was found best for them on this machine. `high_precision` asks for
    sums that lose as little to rounding as can be had for some time.
    """

    lanes: int
    rows: int
    columns: int
    registers: int = 16
    tile_bytes: int = TILE_BYTES
    chunks: int = CHUNKS
    tuned: tuple[tuple[Hashable, Hashable], ...] = ()
    high_precision: bool = False

    @property
    def accumulation_dtype(self) -> str:
        """The type in which the sums of runs are added up."""
        return "float64" if self.high_precision else "float32"

    @property
    def vectors(self) -> int:
        """Vectors in a row of the tile."""
        return self.columns // self.lanes

    def shared_by(self, row_count: int) -> Microkernel:
        """The same with fewer rows where that divides `row_count` rows more evenly."""
        return replace(self, rows=ceil_div(row_count, ceil_div(row_count, self.rows)))

    @property
    def vectors_on_stack(self) -> int:
        """Of sums, at most."""
        return MAX_SUM_BYTES // (self.lanes * _BYTES[self.accumulation_dtype])

    def on_stack(self) -> Microkernel:
        """The same with fewer columns where its sums would be more than can be on the stack."""
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
    """The register tile for an LLVM target, chosen by its CPU features; its budget, where it is this machine's."""
    features = set(llvm_get_cpu_features(target))
    supported = (microkernel for feature, microkernel in _BY_FEATURE if feature in features)
    microkernel = next(supported, SSE)
    return microkernel if "mtriple" in target.attrs else replace(microkernel, tile_bytes=_host_tile_bytes())


def _host_tile_bytes() -> int:
    cache_bytes = second_level_cache_bytes()
    if cache_bytes is None:
        return TILE_BYTES
    return min(TILE_BYTES, max(cache_bytes - _PASSING_BYTES, cache_bytes // _MIN_SHARE))


@dataclass(frozen=True)
class CompensatedSum:
    """Totals of a tile in two parts: what `hi` loses to rounding is added up in `lo`, by `add_compensated`.

    With `add` to `hi` alone, `lo` stays 0.
    """

    hi: Any
    lo: Any

    def at(self, row: Any, column: Any) -> Any:
        """The total, rounded once."""
        return self.hi[row, column] + self.lo[row, column]

    def rounding_error(self, row: Any, column: Any, value: Any) -> Any:
        """What of `value` would not be in `hi` after adding it there.

        Dekker's Fast2Sum, exact where the total is the larger: only the first values, nearly alone in it, may be not.
        """
        hi = self.hi[row, column]
        total = tirx.Var("total", value.ty)
        return tirx.Let(total, hi + value, value - (total - hi))


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
    fill(tile, sums, lambda row, column: T.Cast(sums.dtype, T.float32(0)))


@T.inline
def fma(tile: Any, sums: Any, row_factor: Any, column_factor: Any) -> None:
    """Add `row_factor(row) * column_factor(column)` to every sum: the outer product of a column and a row."""
    for row in T.unroll(tile.rows):
        for vector in T.unroll(tile.vectors):
            for lane in T.vectorized(tile.lanes):
                sums[row, vector * tile.lanes + lane] += row_factor(row) * column_factor(vector * tile.lanes + lane)


@T.inline
def add(tile: Any, sums: Any, totals: Any) -> None:
    """Add the sums of a block to totals, which may have another dtype."""
    for row in T.unroll(tile.rows):
        for vector in T.unroll(tile.vectors):
            for lane in T.vectorized(tile.lanes):
                totals[row, vector * tile.lanes + lane] += T.Cast(totals.dtype, sums[row, vector * tile.lanes + lane])


@T.inline
def add_compensated(tile: Any, sums: Any, totals: Any) -> None:
    """Add the sums of a block to compensated totals."""
    for row in T.unroll(tile.rows):
        for vector in T.unroll(tile.vectors):
            for lane in T.vectorized(tile.lanes):
                totals.lo[row, vector * tile.lanes + lane] += totals.rounding_error(
                    row, vector * tile.lanes + lane, sums[row, vector * tile.lanes + lane]
                )
                totals.hi[row, vector * tile.lanes + lane] += sums[row, vector * tile.lanes + lane]


MAX_PARTS = 8
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
        return max(1, min(MAX_PARTS, fitting))

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
