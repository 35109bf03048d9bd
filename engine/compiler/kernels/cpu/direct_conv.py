"""The CPU kernel of direct convolutions, transposed or not: input is packed once, outputs stay in registers.

Rows are output channels (channel and phase when transposed), columns are positions in time. The packed tile includes
the halo and is zero beyond the input, so the innermost loops have no bounds check and any length runs at full speed.
Register tiles are divided evenly among the threads, each of which packs what its own tiles read. Scalars are mutable
variables (`name: T.int64`), not bindings: TVM's passes reason about bindings, which took most of the compile time.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.convolution import WeightAt
from engine.compiler.kernels.cpu.cache import LINE, prefetch
from engine.compiler.kernels.cpu.direct_plan import INPUT_CHANNELS_AHEAD, DirectPlan
from engine.compiler.kernels.cpu.phases import prefetch_phases, store_phase
from engine.compiler.kernels.cpu.register_tile import fill, fma
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.mathematics import ceil_div
from engine.compiler.kernels.signatures import convolution_function


@T.inline
def _pack_panel(
    plan: Any, operands: Any, packed: Any, panel: Any, batch_index: Any, channel: Any, origin: Any, need: Any
) -> None:
    for phase in T.unroll(plan.phases):
        # With a stride, positions are packed by their residue modulo it, so that a tap reads neighboring columns.
        first: T.int64 = origin + phase
        # Columns from `low` to `high` lie inside the input; those before and after are zero padding.
        low: T.int64 = T.max(T.min(T.ceildiv(-first, plan.sizes.stride), need), 0)
        high: T.int64 = T.max(T.min(T.ceildiv(operands.length - first, plan.sizes.stride), need), low)
        if high - low == need:
            for column in T.serial(need):
                packed[panel, channel, phase, column] = operands.source[
                    batch_index, channel, first + column * plan.sizes.stride
                ]
        else:
            for column in T.serial(low):
                packed[panel, channel, phase, column] = T.float32(0)
            for column in T.serial(low, high):
                packed[panel, channel, phase, column] = operands.source[
                    batch_index, channel, first + column * plan.sizes.stride
                ]
            for column in T.serial(high, need):
                packed[panel, channel, phase, column] = T.float32(0)


@T.inline
def _pack(plan: Any, operands: Any, packed: Any, batch_index: Any, start: Any, parts: Any) -> None:
    origin: T.int64 = start * plan.sizes.stride - plan.sizes.padding
    for channel in T.serial(plan.sizes.channels):
        for ahead in T.serial(T.ceildiv((parts * plan.tile.columns + plan.halo) * plan.sizes.stride, LINE)):
            prefetch(operands.source, [batch_index, channel + INPUT_CHANNELS_AHEAD, origin + ahead * LINE])
        if plan.packed.apart:
            for panel in T.serial(parts):
                passed: T.int64 = panel * plan.tile.columns * plan.sizes.stride
                _pack_panel(
                    plan, operands, packed, panel, batch_index, channel, origin + passed, plan.tile.columns + plan.halo
                )
        else:
            _pack_panel(plan, operands, packed, 0, batch_index, channel, origin, parts * plan.tile.columns + plan.halo)


@T.inline
def _prefetch_outputs(plan: Any, operands: Any, batch_index: Any, first: Any, start: Any) -> None:
    """Prefetch where a tile will be stored and the residual added there: both arrive while the sums are computed."""
    if plan.sizes.is_scattered:
        prefetch_phases(plan, operands, batch_index, first, start, plan.tile.columns)
    else:
        for row in T.unroll(plan.tile.rows):
            for line in T.unroll(ceil_div(plan.tile.columns, LINE)):
                prefetch(operands.target, [batch_index, first + row, start + line * LINE], to_write=True)
                if operands.epilogue.has_residual:
                    prefetch(operands.residual, [batch_index, first + row, start + line * LINE])


@T.inline
def _begin(plan: Any, operands: Any, block: Any, sums: Any) -> None:
    for row in T.unroll(plan.tile.rows):
        begin: T.float32 = T.float32(0)
        if operands.epilogue.has_bias:
            begin = operands.bias[
                # Rows beyond the last repeat its bias: the tile is computed whole and stored in part.
                T.min((block * plan.tile.rows + row) // plan.sizes.upsampling, plan.sizes.out_channels - 1)
            ]
        for vector in T.unroll(plan.tile.vectors):
            for lane in T.vectorized(plan.tile.lanes):
                sums[row, vector * plan.tile.lanes + lane] = begin


@T.inline
def _read_ahead(plan: Any, operands: Any, block: Any, channel: Any) -> None:
    for line in T.unroll(ceil_div(plan.channels_at_once * plan.sizes.taps * plan.tile.rows, LINE)):
        prefetch(operands.weight, [block, channel + plan.channels_ahead, 0, line * LINE])


@T.inline
def _accumulate(plan: Any, operands: Any, packed: Any, block: Any, part: Any, sums: Any) -> None:
    """Add the products of all channels: sums[row, column] += weight[row] * input[column]."""
    for step in T.serial(plan.sizes.channels // plan.channels_at_once):
        if plan.reads_ahead:
            _read_ahead(plan, operands, block, step * plan.channels_at_once)
        for place in T.unroll(plan.channels_at_once):
            # An expression, not a variable, which would be stored to memory each time.
            channel = T.meta_var(step * plan.channels_at_once + place)
            # The packed tile is padded, so no bounds check is needed here.
            for tap in T.serial(plan.sizes.taps):
                fma(
                    plan.tile,
                    sums,
                    lambda row: operands.weight[block, channel, tap, row],
                    lambda column: packed[
                        plan.panel(part), channel, plan.phase(tap), plan.origin(part) + plan.shift(tap) + column
                    ],
                )


@T.inline
def _store_rows(plan: Any, operands: Any, sums: Any, batch_index: Any, first: Any, start: Any) -> None:
    """Store rows from `first` on."""
    if start + plan.tile.columns <= operands.outputs:
        for row in T.unroll(plan.tile.rows):
            if first + row < plan.sizes.row_count:
                for vector in T.unroll(plan.tile.vectors):
                    for lane in T.vectorized(plan.tile.lanes):
                        operands.target[batch_index, first + row, start + vector * plan.tile.lanes + lane] = (
                            operands.finished(
                                sums[row, vector * plan.tile.lanes + lane],
                                (batch_index, first + row, start + vector * plan.tile.lanes + lane),
                            )
                        )
    else:
        # A tile that is used in part goes through memory: registers cannot be indexed at run time.
        spilled = T.alloc_buffer((plan.tile.rows, plan.tile.columns), "float32")
        fill(plan.tile, spilled, lambda row, column: sums[row, column])
        for row in T.serial(T.min(plan.tile.rows, plan.sizes.row_count - first)):
            for column in T.serial(operands.outputs - start):
                operands.target[batch_index, first + row, start + column] = operands.finished(
                    spilled[row, column], (batch_index, first + row, start + column)
                )


@T.inline
def _store_interleaved(plan: Any, operands: Any, sums: Any, batch_index: Any, first: Any, start: Any) -> None:
    """Store rows from `first` on that are phases of output channels, by way of memory."""
    spilled = T.alloc_buffer((plan.tile.rows, plan.tile.columns), "float32")
    fill(plan.tile, spilled, lambda row, column: sums[row, column])
    for row in T.serial(T.min(plan.tile.rows, plan.sizes.row_count - first)):
        store_phase(plan, operands, spilled, row, batch_index, first + row, start, plan.tile.columns)


@T.inline
def _store(plan: Any, operands: Any, sums: Any, batch_index: Any, first: Any, start: Any) -> None:
    if plan.sizes.is_scattered:
        _store_interleaved(plan, operands, sums, batch_index, first, start)
    else:
        _store_rows(plan, operands, sums, batch_index, first, start)


@T.inline
def _convolve(plan: Any, operands: Any) -> None:
    threads: T.int64 = T.Cast("int64", T.call_packed("runtime.NumThreads"))
    for thread in T.parallel(threads):
        columns: T.int64 = T.ceildiv(operands.outputs + plan.sizes.trim, plan.sizes.upsampling)
        across: T.int64 = T.ceildiv(columns, plan.tile.columns)
        tiles: T.int64 = T.ceildiv(across, plan.packed.parts)
        # Register tiles are spread evenly over the packed tiles: the last is not nearly empty.
        most: T.int64 = T.ceildiv(across, T.max(tiles, 1))
        # A unit is a register tile of one block of rows; each thread takes a contiguous range of them.
        first: T.int64 = thread * operands.batch * across * plan.blocks // threads
        last: T.int64 = (thread + 1) * operands.batch * across * plan.blocks // threads
        packed = T.alloc_buffer((plan.packed.panels, plan.sizes.channels, plan.phases, plan.packed.pitch), "float32")
        for batch_index, tile in T.grid(operands.batch, tiles):
            parts: T.int64 = T.min(most, across - tile * most)
            before: T.int64 = (batch_index * across + tile * most) * plan.blocks
            begin: T.int64 = T.max(first - before, 0)
            end: T.int64 = T.min(last - before, parts * plan.blocks)
            if begin < end:
                start: T.int64 = tile * most * plan.tile.columns
                _pack(plan, operands, packed, batch_index, start, parts)
                # All parts of a block before the next block: its weights stay in the cache.
                for unit in T.serial(begin, end):
                    block: T.int64 = unit // parts
                    part: T.int64 = unit % parts
                    place: T.int64 = start + part * plan.tile.columns
                    _prefetch_outputs(plan, operands, batch_index, block * plan.tile.rows, place)
                    sums = T.alloc_buffer((plan.tile.rows, plan.tile.columns), "float32")
                    _begin(plan, operands, block, sums)
                    _accumulate(plan, operands, packed, block, part, sums)
                    _store(plan, operands, sums, batch_index, block * plan.tile.rows, place)


def direct_conv(plan: DirectPlan, epilogue: Epilogue) -> PrimFunc:
    """The kernel: x [B, channels, L], packed weight, bias if any, residual if any -> y [B, out channels, outputs]."""
    return convolution_function(plan, epilogue, _convolve, T.int64)


def pack_direct_weight(plan: DirectPlan, shape: tuple[int, int, int], value_at: WeightAt) -> PrimFunc:
    """The function that packs: w of this shape -> packed weight, 0 in rows beyond the last."""

    @T.prim_func(s_tir=True)
    def pack_direct_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, shape, "float32")
        packed = T.match_buffer(p, plan.packed_shape, "float32")
        for block in T.parallel(plan.blocks):
            for channel, tap, row in T.grid(plan.sizes.channels, plan.sizes.taps, plan.tile.rows):
                if block * plan.tile.rows + row < plan.sizes.row_count:
                    packed[block, channel, tap, row] = value_at(weight, channel, tap, block * plan.tile.rows + row)
                else:
                    packed[block, channel, tap, row] = T.float32(0)

    return pack_direct_weight
