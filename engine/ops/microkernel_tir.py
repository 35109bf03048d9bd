"""How many vector registers a CPU target has, and the register tile that keeps its multipliers busy.

It does not know what is computed in the tile: convolutions, matrix products and recurrences all use it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from tvm.target import Target
from tvm.target.codegen import llvm_get_cpu_features

from engine.processor import second_level_cache_bytes

TILE_BYTES = 512 * 1024
"""Input a tile may pack, at most: about half of the second-level cache of one core of a server."""
_PASSING_BYTES = 384 * 1024
"""Weights, sums and outputs pass through the second-level cache as well, and pages that collide push each other out.

With tiles as large as the cache, of 512 KB, filtered convolutions took 1.3 times as long; with half of it, 1.05 times.
"""
_LEAST_SHARE = 4
"""Of a cache so small that nothing else would be left, tiles take a quarter."""
CHUNKS = 16
"""Parts the work of a kernel is split into; more than cores, so that 2 - 16 of them are balanced."""

MOST_SUM_BYTES = 1023
"""Of sums that are sure to stay in registers, wherever they are added up: larger arrays TVM puts on the heap.

From there LLVM takes them in simple loops, as of convolutions; linear layers took three times as long.
"""
_BYTES = {"float32": 4, "float64": 8}

RUN = 32
"""Products that are summed before their sum joins the other sums: what rounding takes grows with a sum's length."""


@dataclass(frozen=True)
class Microkernel:
    """A tile of `rows` x `columns` float32 accumulators held in some of the `registers`, vectors of `lanes` values.

    `columns` is a multiple of `lanes`. `tile_bytes` bounds packed input, `chunks` is the number of parallel parts.
    `tuned` has pairs of sizes and what was found best for them on this machine. `careful` asks for
    sums that lose as little to rounding as can be had for some time.
    """

    lanes: int
    rows: int
    columns: int
    registers: int = 16
    tile_bytes: int = TILE_BYTES
    chunks: int = CHUNKS
    tuned: tuple[tuple[Hashable, Hashable], ...] = ()
    careful: bool = False

    @property
    def totals(self) -> str:
        """The type in which the sums of runs are added up."""
        return "float64" if self.careful else "float32"

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
        return MOST_SUM_BYTES // (self.lanes * _BYTES[self.totals])

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
    return min(TILE_BYTES, max(cache_bytes - _PASSING_BYTES, cache_bytes // _LEAST_SHARE))


def ceil_div(dividend: int, divisor: int) -> int:
    """The quotient rounded up."""
    return -(-dividend // divisor)
