"""The kernel of every convolution on Apple's GPUs: tiles of rows and columns, operands in threadgroup memory.

Rows are output channels (channel and phase when transposed), columns are positions in time. A slab of input with its
halo, and the weights of as many channels, are loaded together; every thread then owns a few rows and columns. It does
not know which operator it computes: `conv1d` and `conv_transpose1d` say so with a `Correlation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.errors import CompileError
from engine.ops.threadgroup_tir import Threadgroup

SIDE = 16
"""Threads of a tile in each direction."""
COLUMNS_EACH = 4
MOST_ROWS_EACH = 4
MOST_CHANNELS = 16
"""Channels in threadgroup memory at a time, at most."""
_FLOAT_BYTES = 4


@dataclass(frozen=True)
class Correlation:
    """Sums over channel and tap of weight[channel, tap, row] * input[column * stride + tap * dilation - padding].

    Row r, column c becomes position c * upsampling + r % upsampling - trim of output channel r // upsampling.
    Raises `CompileError` when not even one channel fits the tile.
    """

    channels: int
    out_channels: int
    taps: int
    dilation: int
    stride: int
    padding: int
    group: Threadgroup
    upsampling: int = 1
    trim: int = 0

    def __post_init__(self) -> None:
        if self.bytes_per_channel > self.group.tile_bytes:
            raise CompileError(
                f"A convolution of {self.taps} taps with dilation {self.dilation} and stride {self.stride} does not "
                "fit the threadgroup memory."
            )

    @property
    def row_count(self) -> int:
        """Rows in all."""
        return self.out_channels * self.upsampling

    @property
    def rows_each(self) -> int:
        """Rows per thread: fewer where there are few."""
        return min(MOST_ROWS_EACH, -(-self.row_count // SIDE))

    @property
    def tile_rows(self) -> int:
        """Rows of a tile."""
        return self.rows_each * SIDE

    @property
    def blocks(self) -> int:
        """Tiles that cover all rows."""
        return -(-self.row_count // self.tile_rows)

    @property
    def tile_columns(self) -> int:
        """Columns of a tile."""
        return COLUMNS_EACH * SIDE

    @property
    def slab(self) -> int:
        """Input positions that a tile reads of each channel."""
        return (self.tile_columns - 1) * self.stride + (self.taps - 1) * self.dilation + 1

    @property
    def bytes_per_channel(self) -> int:
        """Threadgroup memory that one channel takes."""
        return _FLOAT_BYTES * (self.slab + self.taps * self.tile_rows)

    @property
    def depth(self) -> int:
        """Channels in threadgroup memory at a time."""
        return max(1, min(MOST_CHANNELS, self.channels, self.group.tile_bytes // self.bytes_per_channel))

    @property
    def steps(self) -> int:
        """Loads that cover all channels."""
        return -(-self.channels // self.depth)

    @property
    def slab_turns(self) -> int:
        """Values of the slab that each thread loads."""
        return -(-self.depth * self.slab // (SIDE * SIDE))

    @property
    def weight_turns(self) -> int:
        """Weights that each thread loads."""
        return -(-self.depth * self.taps * self.tile_rows // (SIDE * SIDE))

    @property
    def packed_weight_shape(self) -> tuple[int, int, int]:
        """[channel, tap, row]: neighbouring threads read neighbouring rows."""
        return self.channels, self.taps, self.row_count


@T.inline
def _load_slab(
    plan: Any, source: Any, slab: Any, member: Any, column: Any, channel: Any, length: Any, thread: Any
) -> None:
    for turn in T.serial(plan.slab_turns):
        place: T.int32 = turn * (SIDE * SIDE) + thread
        if place < plan.depth * plan.slab:
            row: T.int32 = channel + T.truncdiv(place, plan.slab)
            position: T.int32 = column * plan.stride + T.truncmod(place, plan.slab) - plan.padding
            slab[place] = T.if_then_else(
                T.And(T.And(position >= 0, position < length), row < plan.channels),
                source[member, row, position],
                T.float32(0),
            )


@T.inline
def _load_weights(plan: Any, weight: Any, weights: Any, first: Any, channel: Any, thread: Any) -> None:
    for turn in T.serial(plan.weight_turns):
        place: T.int32 = turn * (SIDE * SIDE) + thread
        if place < plan.depth * plan.taps * plan.tile_rows:
            row: T.int32 = first + T.truncmod(place, plan.tile_rows)
            tap: T.int32 = T.truncmod(T.truncdiv(place, plan.tile_rows), plan.taps)
            source: T.int32 = channel + T.truncdiv(place, plan.tile_rows * plan.taps)
            weights[place] = T.if_then_else(
                T.And(row < plan.row_count, source < plan.channels), weight[source, tap, row], T.float32(0)
            )


@T.inline
def _accumulate(plan: Any, slab: Any, weights: Any, sums: Any, ty: Any, tx: Any) -> None:
    for channel in T.serial(plan.depth):
        for tap in T.serial(plan.taps):
            for i in T.unroll(plan.rows_each):
                for j in T.unroll(COLUMNS_EACH):
                    sums[i, j] += (
                        weights[(channel * plan.taps + tap) * plan.tile_rows + i * SIDE + ty]
                        * slab[channel * plan.slab + (j * SIDE + tx) * plan.stride + tap * plan.dilation]
                    )


@T.inline
def _store(
    plan: Any, bias: Any, sums: Any, target: Any, member: Any, first: Any, column: Any, outputs: Any, ty: Any, tx: Any
) -> None:
    for i in T.unroll(plan.rows_each):
        for j in T.unroll(COLUMNS_EACH):
            row: T.int32 = first + i * SIDE + ty
            place: T.int32 = (column + j * SIDE + tx) * plan.upsampling + T.truncmod(row, plan.upsampling) - plan.trim
            if T.And(row < plan.row_count, T.And(place >= 0, place < outputs)):
                total: T.float32 = sums[i, j]
                if bias is not None:
                    total = total + bias[T.truncdiv(row, plan.upsampling)]
                target[member, T.truncdiv(row, plan.upsampling), place] = total


@T.inline
def _tile(
    plan: Any,
    source: Any,
    weight: Any,
    bias: Any,
    target: Any,
    member: Any,
    first: Any,
    column: Any,
    length: Any,
    outputs: Any,
    ty: Any,
    tx: Any,
) -> None:
    slab = T.alloc_buffer((plan.depth * plan.slab,), "float32", scope="shared")
    weights = T.alloc_buffer((plan.depth * plan.taps * plan.tile_rows,), "float32", scope="shared")
    sums = T.alloc_buffer((plan.rows_each, COLUMNS_EACH), "float32", scope="local")
    for i in T.unroll(plan.rows_each):
        for j in T.unroll(COLUMNS_EACH):
            sums[i, j] = T.float32(0)
    for step in T.serial(plan.steps):
        _load_slab(plan, source, slab, member, column, step * plan.depth, length, ty * SIDE + tx)
        _load_weights(plan, weight, weights, first, step * plan.depth, ty * SIDE + tx)
        T.tvm_storage_sync("shared")
        _accumulate(plan, slab, weights, sums, ty, tx)
        T.tvm_storage_sync("shared")
    _store(plan, bias, sums, target, member, first, column, outputs, ty, tx)


def correlation_kernel(plan: Correlation, has_bias: bool) -> PrimFunc:
    """The kernel: x [B, channels, L], packed weight, bias [out channels] if any -> y [B, out channels, outputs]."""
    return _with_bias(plan) if has_bias else _without_bias(plan)


def _with_bias(plan: Correlation) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def correlation(x: T.handle, w: T.handle, b: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        length = T.int32()
        outputs = T.int32()
        source = T.match_buffer(x, (batch, plan.channels, length), "float32")
        weight = T.match_buffer(w, plan.packed_weight_shape, "float32")
        bias = T.match_buffer(b, (plan.out_channels,), "float32")
        target = T.match_buffer(y, (batch, plan.out_channels, outputs), "float32")
        for member in T.thread_binding(batch, thread="blockIdx.z"):
            for block in T.thread_binding(plan.blocks, thread="blockIdx.y"):
                for part in T.thread_binding(
                    T.ceildiv(T.ceildiv(outputs + plan.trim, plan.upsampling), plan.tile_columns), thread="blockIdx.x"
                ):
                    for ty in T.thread_binding(SIDE, thread="threadIdx.y"):
                        for tx in T.thread_binding(SIDE, thread="threadIdx.x"):
                            _tile(
                                plan,
                                source,
                                weight,
                                bias,
                                target,
                                member,
                                block * plan.tile_rows,
                                part * plan.tile_columns,
                                length,
                                outputs,
                                ty,
                                tx,
                            )

    return correlation


def _without_bias(plan: Correlation) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def correlation(x: T.handle, w: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        length = T.int32()
        outputs = T.int32()
        source = T.match_buffer(x, (batch, plan.channels, length), "float32")
        weight = T.match_buffer(w, plan.packed_weight_shape, "float32")
        target = T.match_buffer(y, (batch, plan.out_channels, outputs), "float32")
        for member in T.thread_binding(batch, thread="blockIdx.z"):
            for block in T.thread_binding(plan.blocks, thread="blockIdx.y"):
                for part in T.thread_binding(
                    T.ceildiv(T.ceildiv(outputs + plan.trim, plan.upsampling), plan.tile_columns), thread="blockIdx.x"
                ):
                    for ty in T.thread_binding(SIDE, thread="threadIdx.y"):
                        for tx in T.thread_binding(SIDE, thread="threadIdx.x"):
                            _tile(
                                plan,
                                source,
                                weight,
                                None,
                                target,
                                member,
                                block * plan.tile_rows,
                                part * plan.tile_columns,
                                length,
                                outputs,
                                ty,
                                tx,
                            )

    return correlation
