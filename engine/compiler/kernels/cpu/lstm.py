"""The recurrence of the packed LSTM on CPUs, as one kernel: a register block of hidden units, sequences in parallel.

A linear layer has already projected the inputs of all steps, without an offset that is the same at every step of a
sequence: the bias, and the projection of inputs that are constant. The offset is float64, because its rounding error
would not average out over the steps; so is the cell state, where errors would accumulate. Reading the weights takes
longer than this arithmetic. A sequence ends at its own length: the forward direction stops there, the backward
direction starts there, and the output beyond is 0. Projections beyond a length are never read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.cpu.register_tile import Microkernel
from engine.compiler.kernels.mathematics import ceil_div, sigmoid64, tanh64

GATES = 4
"""Input, forget, cell, output: torch's order."""
VECTORS = 2
"""Vectors of units in a block: with four gates, enough independent sums to hide the latency of a multiplication."""
PRODUCTS_PER_BLOCK = 8
"""Products per block of the summation, fewer than elsewhere: reading the weights takes longer."""
_MAX_GATE = 100.0
"""Beyond +-100, sigmoid and tanh are 0, 1 or -1 in float32."""


@dataclass(frozen=True)
class _Recurrence:
    """Sizes of a recurrence; hidden units beyond the last in a block have weight 0."""

    hidden_size: int
    directions: int
    microkernel: Microkernel

    @property
    def lanes(self) -> int:
        return self.microkernel.lanes

    @property
    def units(self) -> int:
        return self.lanes * VECTORS

    @property
    def blocks(self) -> int:
        return ceil_div(self.hidden_size, self.units)

    @property
    def state_shape(self) -> tuple[int, int, int]:
        return self.blocks, VECTORS, self.lanes

    @property
    def gates_shape(self) -> tuple[int, int, int]:
        return self.blocks, GATES * VECTORS, self.lanes

    @property
    def packed_shape(self) -> tuple[int, int, int, int]:
        return self.blocks, self.hidden_size, GATES * VECTORS, self.lanes


def recurrence(hidden_size: int, directions: int, microkernel: Microkernel) -> PrimFunc:
    """The kernel: projected [B, T, 4 hidden], offset [B, 4 hidden], packed weight of each direction, lengths [B] -> y.

    The offset is float64. y is [B, T, directions * hidden]; the second direction runs backward.
    """
    plan = _Recurrence(hidden_size, directions, microkernel)
    return _bidirectional(plan) if directions == 2 else _forward(plan)


def packed_hidden_shape(hidden_size: int, microkernel: Microkernel) -> tuple[int, int, int, int]:
    """Shape of the packed weight: [block, hidden, gate and vector, lane]."""
    return _Recurrence(hidden_size, 1, microkernel).packed_shape


def pack_hidden_weight(hidden_size: int, microkernel: Microkernel) -> PrimFunc:
    """The function that packs: w [4 hidden, hidden] -> packed weight, 0 for units beyond the last."""
    plan = _Recurrence(hidden_size, 1, microkernel)

    @T.prim_func(s_tir=True)
    def pack_hidden_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, (GATES * hidden_size, hidden_size), "float32")
        packed = T.match_buffer(p, plan.packed_shape, "float32")
        for block in T.parallel(plan.blocks):
            for source, gate, vector, lane in T.grid(hidden_size, GATES, VECTORS, plan.lanes):
                unit: T.int32 = block * plan.units + vector * plan.lanes + lane
                if unit < hidden_size:
                    packed[block, source, gate * VECTORS + vector, lane] = weight[gate * hidden_size + unit, source]
                else:
                    packed[block, source, gate * VECTORS + vector, lane] = T.float32(0)

    return pack_hidden_weight


@dataclass(frozen=True)
class _Direction:
    """The buffers of a direction, `number` 0 or 1."""

    number: int
    projected: Any
    offset: Any
    weight: Any

    def gate(self, batch_index: Any, step: Any, place: Any) -> Any:
        """A gate of a step, without the contribution of the hidden state."""
        return T.Cast("float64", self.projected[batch_index, step, place]) + self.offset[batch_index, place]


@T.inline
def _take(plan: Any, direction: Any, batch_index: Any, step: Any, gates: Any) -> None:
    """Set the gates of a step to projection plus offset; the last, partial block goes value by value."""
    for block, gate, vector in T.grid(plan.blocks, GATES, VECTORS):
        unit: T.int64 = block * plan.units + vector * plan.lanes
        begin: T.int64 = gate * plan.hidden_size + unit
        if unit + plan.lanes <= plan.hidden_size:
            for lane in T.vectorized(plan.lanes):
                gates[block, gate * VECTORS + vector, lane] = direction.gate(batch_index, step, begin + lane)
        else:
            for lane in T.serial(T.max(plan.hidden_size - unit, 0)):
                gates[block, gate * VECTORS + vector, lane] = direction.gate(batch_index, step, begin + lane)


@T.inline
def _multiply(plan: Any, weight: Any, hidden: Any, gates: Any, count: Any) -> None:
    """Add W h to the gates; every other step takes the blocks backwards: those read last are still in the cache."""
    for turn in T.serial(plan.blocks):
        block: T.int64 = turn + count % 2 * (plan.blocks - 1 - 2 * turn)
        for sum_block in T.serial(ceil_div(plan.hidden_size, PRODUCTS_PER_BLOCK)):
            sums = T.alloc_buffer((GATES * VECTORS, plan.lanes), "float32")
            for part in T.unroll(GATES * VECTORS):
                for lane in T.vectorized(plan.lanes):
                    sums[part, lane] = T.float32(0)
            for source in T.serial(
                sum_block * PRODUCTS_PER_BLOCK, T.min(plan.hidden_size, (sum_block + 1) * PRODUCTS_PER_BLOCK)
            ):
                for part in T.unroll(GATES * VECTORS):
                    for lane in T.vectorized(plan.lanes):
                        sums[part, lane] += hidden[source] * weight[block, source, part, lane]
            for part in T.unroll(GATES * VECTORS):
                for lane in T.vectorized(plan.lanes):
                    # Blocked summation: float32 within a block, float64 across blocks.
                    gates[block, part, lane] += T.Cast("float64", sums[part, lane])


def _gate(gates: Any, block: Any, part: Any, lane: Any) -> Any:
    """The gate, clamped to the range of `sigmoid64` and `tanh64`."""
    return T.max(T.min(gates[block, part, lane], T.float64(_MAX_GATE)), T.float64(-_MAX_GATE))


@T.inline
def _update(plan: Any, gates: Any, cell: Any, hidden: Any) -> None:
    for block in T.serial(plan.blocks):
        for vector in T.serial(VECTORS):
            for lane in T.vectorized(plan.lanes):
                # c = sigmoid(forget) c + sigmoid(input) tanh(candidate)
                cell[block, vector, lane] = sigmoid64(_gate(gates, block, VECTORS + vector, lane)) * cell[
                    block, vector, lane
                ] + sigmoid64(_gate(gates, block, vector, lane)) * tanh64(
                    _gate(gates, block, 2 * VECTORS + vector, lane)
                )
            for lane in T.vectorized(plan.lanes):
                # h = sigmoid(output) tanh(c)
                hidden[block * plan.units + vector * plan.lanes + lane] = T.Cast(
                    "float32",
                    sigmoid64(_gate(gates, block, 3 * VECTORS + vector, lane)) * tanh64(cell[block, vector, lane]),
                )


@T.inline
def _begin(plan: Any, gates: Any, cell: Any, hidden: Any) -> None:
    for block in T.serial(plan.blocks):
        for part in T.serial(GATES * VECTORS):
            for lane in T.vectorized(plan.lanes):
                # Units beyond the last keep gates of 0 and weights of 0, so that their hidden state is 0.
                gates[block, part, lane] = T.float64(0)
        for vector in T.serial(VECTORS):
            for lane in T.vectorized(plan.lanes):
                cell[block, vector, lane] = T.float64(0)
                hidden[block * plan.units + vector * plan.lanes + lane] = T.float32(0)


@T.inline
def _run(plan: Any, direction: Any, target: Any, batch_index: Any, length: Any, time: Any) -> None:
    gates = T.alloc_buffer(plan.gates_shape, "float64")
    cell = T.alloc_buffer(plan.state_shape, "float64")
    hidden = T.alloc_buffer((plan.blocks * plan.units,), "float32")
    _begin(plan, gates, cell, hidden)
    for count in T.serial(length):
        step: T.int64 = count
        if direction.number == 1:
            step = length - 1 - count
        _take(plan, direction, batch_index, step, gates)
        _multiply(plan, direction.weight, hidden, gates, count)
        _update(plan, gates, cell, hidden)
        for unit in T.serial(plan.hidden_size):
            target[batch_index, step, direction.number * plan.hidden_size + unit] = hidden[unit]
    for step in T.serial(length, time):
        for unit in T.serial(plan.hidden_size):
            target[batch_index, step, direction.number * plan.hidden_size + unit] = T.float32(0)


def _forward(plan: _Recurrence) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def lstm_recurrence(p: T.handle, o: T.handle, w: T.handle, n: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        time = T.int64()
        projected = T.match_buffer(p, (batch, time, GATES * plan.hidden_size), "float32")
        offset = T.match_buffer(o, (batch, GATES * plan.hidden_size), "float64")
        weight = T.match_buffer(w, plan.packed_shape, "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        target = T.match_buffer(y, (batch, time, plan.hidden_size), "float32")
        forward = T.meta_var(_Direction(0, projected, offset, weight))
        for batch_index in T.parallel(batch):
            length: T.int64 = T.max(T.min(T.Cast("int64", lengths[batch_index]), time), 0)
            _run(plan, forward, target, batch_index, length, time)

    return lstm_recurrence


def _bidirectional(plan: _Recurrence) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def lstm_recurrence(
        p: T.handle,
        o: T.handle,
        w: T.handle,
        p_reverse: T.handle,
        o_reverse: T.handle,
        w_reverse: T.handle,
        n: T.handle,
        y: T.handle,
    ) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        time = T.int64()
        projected = T.match_buffer(p, (batch, time, GATES * plan.hidden_size), "float32")
        offset = T.match_buffer(o, (batch, GATES * plan.hidden_size), "float64")
        weight = T.match_buffer(w, plan.packed_shape, "float32")
        projected_reverse = T.match_buffer(p_reverse, (batch, time, GATES * plan.hidden_size), "float32")
        offset_reverse = T.match_buffer(o_reverse, (batch, GATES * plan.hidden_size), "float64")
        weight_reverse = T.match_buffer(w_reverse, plan.packed_shape, "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        target = T.match_buffer(y, (batch, time, 2 * plan.hidden_size), "float32")
        forward = T.meta_var(_Direction(0, projected, offset, weight))
        backward = T.meta_var(_Direction(1, projected_reverse, offset_reverse, weight_reverse))
        for index in T.parallel(2 * batch):
            batch_index: T.int64 = index // 2
            length: T.int64 = T.max(T.min(T.Cast("int64", lengths[batch_index]), time), 0)
            if index % 2 == 0:
                _run(plan, forward, target, batch_index, length, time)
            else:
                _run(plan, backward, target, batch_index, length, time)

    return lstm_recurrence


def lstm_offset(constant_input: int, gates: int, microkernel: Microkernel) -> PrimFunc:
    """The kernel: x [B, constant input], weight [gates, constant input], bias [gates] -> y [B, gates] in float64.

    x holds the inputs of a sequence that are the same at every step.
    """
    chunks = microkernel.chunks

    @T.prim_func(s_tir=True)
    def lstm_offset(x: T.handle, w: T.handle, b: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        source = T.match_buffer(x, (batch, constant_input), "float32")
        weight = T.match_buffer(w, (gates, constant_input), "float32")
        bias = T.match_buffer(b, (gates,), "float32")
        target = T.match_buffer(y, (batch, gates), "float64")
        for chunk in T.parallel(chunks):
            for unit in T.serial(chunk * batch * gates // chunks, (chunk + 1) * batch * gates // chunks):
                total = T.alloc_buffer((1,), "float64", scope="local")
                total[0] = T.Cast("float64", bias[unit % gates])
                for place in T.serial(constant_input):
                    total[0] += T.Cast("float64", source[unit // gates, place]) * T.Cast(
                        "float64", weight[unit % gates, place]
                    )
                target[unit // gates, unit % gates] = total[0]

    return lstm_offset
