"""The kernel of every convolution: pack the input of a tile once, then keep a block of outputs in registers.

Rows are output channels (channel and phase when transposed), columns are positions in time. The packed tile includes
the halo and is zero beyond the input, so the innermost loops have no bounds check and any length runs at full speed.
Work is shared out in blocks of rows of tiles, so that short inputs use every core too. Scalars are mutable variables
(`name: T.int64`), not bindings: the passes of TVM reason about bindings, which took most of the compile time.

It does not know which operator it computes: `conv1d` and `conv_transpose1d` say so with a `Correlation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.schedules.convolution_function import convolution_function
from engine.ops.microkernel_tir import Microkernel, ceil_div

MOST_PARTS = 8
"""Register tiles side by side in one packed tile, at most."""


@dataclass(frozen=True)
class Correlation:
    """Sums over channel and tap of weight[row, channel, tap] * input[column * stride + tap * dilation - padding].

    Row r, column c becomes position c * upsampling + r % upsampling - trim of output channel r // upsampling.
    """

    channels: int
    out_channels: int
    taps: int
    dilation: int
    stride: int
    padding: int
    microkernel: Microkernel
    upsampling: int = 1
    trim: int = 0
    factor: float = 1.0
    """What the sum of the convolution and its residual is multiplied by."""

    @property
    def row_count(self) -> int:
        """Rows in all."""
        return self.out_channels * self.upsampling

    @property
    def blocks(self) -> int:
        """Blocks of rows."""
        return ceil_div(self.row_count, self.microkernel.rows)

    @property
    def rows(self) -> int:
        """Rows in a block: as many as the registers hold, fewer where that divides more evenly."""
        return ceil_div(self.row_count, self.blocks)

    @property
    def columns(self) -> int:
        """Columns in a register tile."""
        return self.microkernel.columns

    @property
    def lanes(self) -> int:
        """Values in a vector."""
        return self.microkernel.lanes

    @property
    def vectors(self) -> int:
        """Vectors in a row of the register tile."""
        return self.columns // self.lanes

    @property
    def chunks(self) -> int:
        """Parts that run in parallel."""
        return self.microkernel.chunks

    @property
    def halo(self) -> int:
        """Packed columns read beyond the last column of a tile."""
        return (self.taps - 1) * self.dilation // self.stride

    @property
    def phases(self) -> int:
        """Residues of input positions modulo the stride that some tap reads."""
        return min(self.stride, (self.taps - 1) * self.dilation + 1)

    @property
    def parts(self) -> int:
        """Register tiles in a packed tile."""
        packed_columns = self.microkernel.tile_bytes // (4 * self.channels * self.phases)
        return max(1, min(MOST_PARTS, (packed_columns - self.halo) // self.columns))

    @property
    def width(self) -> int:
        """Columns of a packed tile that are computed."""
        return self.parts * self.columns

    @property
    def pitch(self) -> int:
        """Columns of a packed tile, halo included."""
        return self.microkernel.padded(self.width + self.halo)

    @property
    def packed_weight_shape(self) -> tuple[int, int, int, int]:
        """[block, channel, tap, row in block]."""
        return self.blocks, self.channels, self.taps, self.rows

    def joined(self, total: Any, residual: Any, place: tuple[Any, ...]) -> Any:
        """What is stored at a place of the output, given its sum."""
        return total if residual is None else T.float32(self.factor) * (total + residual[place])

    def phase(self, tap: Any) -> Any:
        """Which residue a tap reads."""
        return tap * self.dilation % self.stride

    def shift(self, tap: Any) -> Any:
        """How many packed columns a tap reads to the right."""
        return tap * self.dilation // self.stride


@T.inline
def _pack(plan: Any, source: Any, packed: Any, member: Any, start: Any, need: Any, length: Any) -> None:
    for channel in T.serial(plan.channels):
        for phase in T.unroll(plan.phases):
            first: T.int64 = start * plan.stride + phase - plan.padding
            low: T.int64 = T.max(T.min(T.ceildiv(-first, plan.stride), need), 0)
            high: T.int64 = T.max(T.min(T.ceildiv(length - first, plan.stride), need), low)
            for column in T.serial(low):
                packed[channel, phase, column] = T.float32(0)
            for column in T.serial(low, high):
                packed[channel, phase, column] = source[member, channel, first + column * plan.stride]
            for column in T.serial(high, need):
                packed[channel, phase, column] = T.float32(0)


@T.inline
def _begin(plan: Any, bias: Any, block: Any, sums: Any) -> None:
    for row in T.unroll(plan.rows):
        begin: T.float32 = T.float32(0)
        if bias is not None:
            begin = bias[T.min((block * plan.rows + row) // plan.upsampling, plan.out_channels - 1)]
        for vector in T.unroll(plan.vectors):
            for lane in T.vectorized(plan.lanes):
                sums[row, vector * plan.lanes + lane] = begin


@T.inline
def _accumulate(plan: Any, packed: Any, weight: Any, block: Any, origin: Any, sums: Any) -> None:
    for channel in T.serial(plan.channels):
        for tap in T.serial(plan.taps):
            for row in T.unroll(plan.rows):
                for vector in T.unroll(plan.vectors):
                    for lane in T.vectorized(plan.lanes):
                        sums[row, vector * plan.lanes + lane] += (
                            weight[block, channel, tap, row]
                            * packed[channel, plan.phase(tap), origin + plan.shift(tap) + vector * plan.lanes + lane]
                        )


@T.inline
def _spill(plan: Any, sums: Any, spilled: Any) -> None:
    """Registers cannot be indexed at run time: partly used tiles go through memory."""
    for row in T.unroll(plan.rows):
        for vector in T.unroll(plan.vectors):
            for lane in T.vectorized(plan.lanes):
                spilled[row, vector * plan.lanes + lane] = sums[row, vector * plan.lanes + lane]


@T.inline
def _store_rows(
    plan: Any, sums: Any, residual: Any, target: Any, member: Any, block: Any, start: Any, outputs: Any
) -> None:
    if start + plan.columns <= outputs:
        for row in T.unroll(plan.rows):
            if block * plan.rows + row < plan.row_count:
                for vector in T.unroll(plan.vectors):
                    for lane in T.vectorized(plan.lanes):
                        target[member, block * plan.rows + row, start + vector * plan.lanes + lane] = plan.joined(
                            sums[row, vector * plan.lanes + lane],
                            residual,
                            (member, block * plan.rows + row, start + vector * plan.lanes + lane),
                        )
    else:
        spilled = T.alloc_buffer((plan.rows, plan.columns), "float32")
        _spill(plan, sums, spilled)
        for row in T.serial(T.min(plan.rows, plan.row_count - block * plan.rows)):
            for column in T.serial(outputs - start):
                target[member, block * plan.rows + row, start + column] = plan.joined(
                    spilled[row, column], residual, (member, block * plan.rows + row, start + column)
                )


@T.inline
def _store_interleaved(plan: Any, sums: Any, target: Any, member: Any, block: Any, start: Any, outputs: Any) -> None:
    spilled = T.alloc_buffer((plan.rows, plan.columns), "float32")
    _spill(plan, sums, spilled)
    for row in T.serial(T.min(plan.rows, plan.row_count - block * plan.rows)):
        channel: T.int64 = (block * plan.rows + row) // plan.upsampling
        first: T.int64 = start * plan.upsampling + (block * plan.rows + row) % plan.upsampling - plan.trim
        low: T.int64 = T.max(T.ceildiv(-first, plan.upsampling), 0)
        high: T.int64 = T.min(T.ceildiv(outputs - first, plan.upsampling), plan.columns)
        for column in T.serial(low, high):
            target[member, channel, first + column * plan.upsampling] = spilled[row, column]


@T.inline
def _store(plan: Any, sums: Any, residual: Any, target: Any, member: Any, block: Any, start: Any, outputs: Any) -> None:
    if plan.upsampling > 1:
        _store_interleaved(plan, sums, target, member, block, start, outputs)
    else:
        _store_rows(plan, sums, residual, target, member, block, start, outputs)


@T.inline
def _correlate(
    plan: Any,
    source: Any,
    weight: Any,
    bias: Any,
    residual: Any,
    target: Any,
    batch: Any,
    length: Any,
    outputs: Any,
) -> None:
    for chunk in T.parallel(plan.chunks):
        columns: T.int64 = T.ceildiv(outputs + plan.trim, plan.upsampling)
        tiles: T.int64 = T.ceildiv(columns, plan.width)
        units: T.int64 = batch * tiles * plan.blocks
        first: T.int64 = chunk * units // plan.chunks
        last: T.int64 = (chunk + 1) * units // plan.chunks
        packed = T.alloc_buffer((plan.channels, plan.phases, plan.pitch), "float32")
        for step in T.serial(T.ceildiv(last, plan.blocks) - first // plan.blocks):
            tile: T.int64 = first // plan.blocks + step
            member: T.int64 = tile // tiles
            start: T.int64 = tile % tiles * plan.width
            parts: T.int64 = T.min(T.ceildiv(columns - start, plan.columns), plan.parts)
            _pack(plan, source, packed, member, start, parts * plan.columns + plan.halo, length)
            from_block: T.int64 = T.max(first - tile * plan.blocks, 0)
            to_block: T.int64 = T.min(last - tile * plan.blocks, plan.blocks)
            for block in T.serial(from_block, to_block):
                for part in T.serial(parts):
                    origin: T.int64 = part * plan.columns
                    sums = T.alloc_buffer((plan.rows, plan.columns), "float32")
                    _begin(plan, bias, block, sums)
                    _accumulate(plan, packed, weight, block, origin, sums)
                    _store(plan, sums, residual, target, member, block, start + origin, outputs)


def correlation_kernel(plan: Correlation, has_bias: bool, has_residual: bool = False) -> PrimFunc:
    """The kernel: x [B, channels, L], packed weight, bias if any, residual if any -> y [B, out channels, outputs]."""
    return convolution_function(plan, _correlate, has_bias, has_residual)
