"""The kernel of convolutions that are computed directly: their input is packed once, outputs are kept in registers.

Rows are output channels (channel and phase when transposed), columns are positions in time. The packed tile includes
the halo and is zero beyond the input, so the innermost loops have no bounds check and any length runs at full speed.
Register tiles are shared out evenly among the threads, each of which packs what its own tiles read. Scalars are mutable
variables (`name: T.int64`), not bindings: the passes of TVM reason about bindings, which took most of the compile time.

It does not know which operator it computes: `conv1d` and `conv_transpose1d` say so with a `Correlation`.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.kernels.convolution import Ending, WeightAt
from engine.kernels.cpu.cache import LINE, prefetch
from engine.kernels.cpu.direct_plan import INPUT_CHANNELS_AHEAD, CorrelationPlan
from engine.kernels.cpu.phases import ask_for_phases, store_phase
from engine.kernels.cpu.register_tile import add, clear, spill
from engine.kernels.mathematics import ceil_div
from engine.kernels.signatures import convolution_function


@T.inline
def _pack_panel(
    plan: Any, operands: Any, packed: Any, panel: Any, member: Any, channel: Any, origin: Any, need: Any
) -> None:
    for phase in T.unroll(plan.phases):
        first: T.int64 = origin + phase
        low: T.int64 = T.max(T.min(T.ceildiv(-first, plan.sizes.stride), need), 0)
        high: T.int64 = T.max(T.min(T.ceildiv(operands.length - first, plan.sizes.stride), need), low)
        if high - low == need:
            for column in T.serial(need):
                packed[panel, channel, phase, column] = operands.source[
                    member, channel, first + column * plan.sizes.stride
                ]
        else:
            for column in T.serial(low):
                packed[panel, channel, phase, column] = T.float32(0)
            for column in T.serial(low, high):
                packed[panel, channel, phase, column] = operands.source[
                    member, channel, first + column * plan.sizes.stride
                ]
            for column in T.serial(high, need):
                packed[panel, channel, phase, column] = T.float32(0)


@T.inline
def _pack(plan: Any, operands: Any, packed: Any, member: Any, start: Any, parts: Any) -> None:
    origin: T.int64 = start * plan.sizes.stride - plan.sizes.padding
    for channel in T.serial(plan.sizes.channels):
        for ahead in T.serial(T.ceildiv((parts * plan.tile.columns + plan.halo) * plan.sizes.stride, LINE)):
            prefetch(operands.source, [member, channel + INPUT_CHANNELS_AHEAD, origin + ahead * LINE])
        if plan.packed.apart:
            for panel in T.serial(parts):
                passed: T.int64 = panel * plan.tile.columns * plan.sizes.stride
                _pack_panel(
                    plan, operands, packed, panel, member, channel, origin + passed, plan.tile.columns + plan.halo
                )
        else:
            _pack_panel(plan, operands, packed, 0, member, channel, origin, parts * plan.tile.columns + plan.halo)


@T.inline
def _ask_for_outputs(plan: Any, operands: Any, member: Any, first: Any, start: Any) -> None:
    """The places where a tile is stored, and what is added there: the sums take longer than they to come."""
    if plan.sizes.is_scattered:
        ask_for_phases(plan, operands, member, first, start, plan.tile.columns)
    else:
        for row in T.unroll(plan.tile.rows):
            for line in T.unroll(ceil_div(plan.tile.columns, LINE)):
                prefetch(operands.target, [member, first + row, start + line * LINE], to_write=True)
                if operands.ending.has_residual:
                    prefetch(operands.residual, [member, first + row, start + line * LINE])


@T.inline
def _begin(plan: Any, operands: Any, block: Any, sums: Any) -> None:
    for row in T.unroll(plan.tile.rows):
        begin: T.float32 = T.float32(0)
        if operands.ending.has_bias:
            begin = operands.bias[
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
def _accumulate(plan: Any, operands: Any, packed: Any, block: Any, begin: Any, end: Any, part: Any, sums: Any) -> None:
    """Add the products of the channels from `begin` to `end`; as a variable, the channel would be stored each time."""
    for step in T.serial((end - begin) // plan.channels_at_once):
        if plan.reads_ahead:
            _read_ahead(plan, operands, block, begin + step * plan.channels_at_once)
        for place in T.unroll(plan.channels_at_once):
            channel = T.meta_var(begin + step * plan.channels_at_once + place)
            for tap in T.serial(plan.sizes.taps):
                for row in T.unroll(plan.tile.rows):
                    for vector in T.unroll(plan.tile.vectors):
                        for lane in T.vectorized(plan.tile.lanes):
                            sums[row, vector * plan.tile.lanes + lane] += (
                                operands.weight[block, channel, tap, row]
                                * packed[
                                    plan.panel(part),
                                    channel,
                                    plan.phase(tap),
                                    plan.origin(part) + plan.shift(tap) + vector * plan.tile.lanes + lane,
                                ]
                            )


@T.inline
def _accumulate_runs(plan: Any, operands: Any, packed: Any, block: Any, part: Any, sums: Any) -> None:
    totals = T.alloc_buffer((plan.tile.rows, plan.tile.columns), plan.tile.totals)
    clear(plan.tile, totals)
    for run in T.serial(ceil_div(plan.sizes.channels, plan.run)):
        held = T.alloc_buffer((plan.tile.rows, plan.tile.columns), "float32")
        clear(plan.tile, held)
        _accumulate(
            plan,
            operands,
            packed,
            block,
            run * plan.run,
            T.min((run + 1) * plan.run, plan.sizes.channels),
            part,
            held,
        )
        add(plan.tile, held, totals)
    for row in T.unroll(plan.tile.rows):
        for vector in T.unroll(plan.tile.vectors):
            for lane in T.vectorized(plan.tile.lanes):
                sums[row, vector * plan.tile.lanes + lane] += T.Cast(
                    "float32", totals[row, vector * plan.tile.lanes + lane]
                )


@T.inline
def _store_rows(plan: Any, operands: Any, sums: Any, member: Any, first: Any, start: Any) -> None:
    """Rows from `first` on; partly used tiles go through memory."""
    if start + plan.tile.columns <= operands.outputs:
        for row in T.unroll(plan.tile.rows):
            if first + row < plan.sizes.row_count:
                for vector in T.unroll(plan.tile.vectors):
                    for lane in T.vectorized(plan.tile.lanes):
                        operands.target[member, first + row, start + vector * plan.tile.lanes + lane] = operands.ended(
                            sums[row, vector * plan.tile.lanes + lane],
                            (member, first + row, start + vector * plan.tile.lanes + lane),
                        )
    else:
        spilled = T.alloc_buffer((plan.tile.rows, plan.tile.columns), "float32")
        spill(plan.tile, sums, spilled)
        for row in T.serial(T.min(plan.tile.rows, plan.sizes.row_count - first)):
            for column in T.serial(operands.outputs - start):
                operands.target[member, first + row, start + column] = operands.ended(
                    spilled[row, column], (member, first + row, start + column)
                )


@T.inline
def _store_interleaved(plan: Any, operands: Any, sums: Any, member: Any, first: Any, start: Any) -> None:
    """Likewise where rows are phases."""
    spilled = T.alloc_buffer((plan.tile.rows, plan.tile.columns), "float32")
    spill(plan.tile, sums, spilled)
    for row in T.serial(T.min(plan.tile.rows, plan.sizes.row_count - first)):
        store_phase(plan, operands, spilled, row, member, first + row, start, plan.tile.columns)


@T.inline
def _store(plan: Any, operands: Any, sums: Any, member: Any, first: Any, start: Any) -> None:
    if plan.sizes.is_scattered:
        _store_interleaved(plan, operands, sums, member, first, start)
    else:
        _store_rows(plan, operands, sums, member, first, start)


@T.inline
def _correlate(plan: Any, operands: Any) -> None:
    threads: T.int64 = T.Cast("int64", T.call_packed("runtime.NumThreads"))
    for thread in T.parallel(threads):
        columns: T.int64 = T.ceildiv(operands.outputs + plan.sizes.trim, plan.sizes.upsampling)
        across: T.int64 = T.ceildiv(columns, plan.tile.columns)
        tiles: T.int64 = T.ceildiv(across, plan.packed.parts)
        most: T.int64 = T.ceildiv(across, T.max(tiles, 1))
        first: T.int64 = thread * operands.batch * across * plan.blocks // threads
        last: T.int64 = (thread + 1) * operands.batch * across * plan.blocks // threads
        packed = T.alloc_buffer((plan.packed.panels, plan.sizes.channels, plan.phases, plan.packed.pitch), "float32")
        for member, tile in T.grid(operands.batch, tiles):
            parts: T.int64 = T.min(most, across - tile * most)
            before: T.int64 = (member * across + tile * most) * plan.blocks
            begin: T.int64 = T.max(first - before, 0)
            end: T.int64 = T.min(last - before, parts * plan.blocks)
            if begin < end:
                start: T.int64 = tile * most * plan.tile.columns
                _pack(plan, operands, packed, member, start, parts)
                for unit in T.serial(begin, end):
                    block: T.int64 = unit // parts
                    part: T.int64 = unit % parts
                    place: T.int64 = start + part * plan.tile.columns
                    _ask_for_outputs(plan, operands, member, block * plan.tile.rows, place)
                    sums = T.alloc_buffer((plan.tile.rows, plan.tile.columns), "float32")
                    _begin(plan, operands, block, sums)
                    if plan.microkernel.careful:
                        _accumulate_runs(plan, operands, packed, block, part, sums)
                    else:
                        _accumulate(plan, operands, packed, block, 0, plan.sizes.channels, part, sums)
                    _store(plan, operands, sums, member, block * plan.tile.rows, place)


def correlation_kernel(plan: CorrelationPlan, ending: Ending) -> PrimFunc:
    """The kernel: x [B, channels, L], packed weight, bias if any, residual if any -> y [B, out channels, outputs]."""
    return convolution_function(plan, ending, _correlate, T.int64)


def correlation_weight(plan: CorrelationPlan, shape: tuple[int, int, int], value_at: WeightAt) -> PrimFunc:
    """The function that packs: w of this shape -> packed weight, 0 where there is no row."""

    @T.prim_func(s_tir=True)
    def pack_correlation_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, shape, "float32")
        packed = T.match_buffer(p, plan.packed_shape, "float32")
        for block in T.parallel(plan.blocks):
            for channel, tap, row in T.grid(plan.sizes.channels, plan.sizes.taps, plan.tile.rows):
                if block * plan.tile.rows + row < plan.sizes.row_count:
                    packed[block, channel, tap, row] = value_at(weight, channel, tap, block * plan.tile.rows + row)
                else:
                    packed[block, channel, tap, row] = T.float32(0)

    return pack_correlation_weight
