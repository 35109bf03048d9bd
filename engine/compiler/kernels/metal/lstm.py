"""The recurrence of the packed LSTM on Apple's GPUs: a threadgroup per sequence and direction, a thread per unit.

One dispatch computes all steps: the hidden state stays in threadgroup memory, the cell state in a register, weights are
streamed. A sequence ends at its own length: the forward direction stops there, the backward direction starts there, and
the output beyond is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.mathematics import sigmoid, tanh
from engine.compiler.kernels.metal.threadgroup import Threadgroup

GATES = 4
"""Input, forget, cell, output: torch's order."""


@dataclass(frozen=True)
class _Recurrence:
    hidden_size: int
    directions: int

    @property
    def packed_shape(self) -> tuple[int, int, int, int]:
        return self.directions, self.hidden_size, self.hidden_size, GATES

    @property
    def gates(self) -> int:
        """Projected values of a step."""
        return self.directions * GATES * self.hidden_size


def recurrence(hidden_size: int, directions: int, group: Threadgroup) -> PrimFunc:
    """The kernel: projected [B, T, directions * 4 hidden], packed weight, lengths [B] -> y [B, T, directions * hidden].

    The second direction runs backward.
    """
    plan = _Recurrence(hidden_size, directions)

    @T.prim_func(s_tir=True)
    def lstm_recurrence(p: T.handle, w: T.handle, n: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        time = T.int32()
        projected = T.match_buffer(p, (batch, time, plan.gates), "float32")
        weight = T.match_buffer(w, plan.packed_shape, "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        target = T.match_buffer(y, (batch, time, plan.directions * plan.hidden_size), "float32")
        for batch_index in T.thread_binding(batch, thread="blockIdx.x"):
            for direction in T.thread_binding(plan.directions, thread="blockIdx.y"):
                for unit in T.thread_binding(plan.hidden_size, thread="threadIdx.x"):
                    length: T.int32 = T.max(T.min(lengths[batch_index], time), 0)
                    _run(plan, projected, weight, target, batch_index, direction, length, unit)
                    for beyond in T.serial(time - length):
                        target[batch_index, length + beyond, direction * plan.hidden_size + unit] = T.float32(0)

    return lstm_recurrence


def packed_hidden_shape(hidden_size: int, directions: int, group: Threadgroup) -> tuple[int, int, int, int]:
    """Shape of the packed weight: [direction, source unit, unit, gate]; a thread reads its four gates at once."""
    return _Recurrence(hidden_size, directions).packed_shape


def pack_hidden_weight(hidden_size: int, directions: int, group: Threadgroup) -> PrimFunc:
    """The function that packs: w [directions * 4 hidden, hidden] -> packed weight."""
    plan = _Recurrence(hidden_size, directions)
    count = plan.gates * hidden_size
    blocks = -(-count // group.threads)

    @T.prim_func(s_tir=True)
    def pack_hidden_weight(w: T.handle, p: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        weight = T.match_buffer(w, (plan.gates, hidden_size), "float32")
        packed = T.match_buffer(p, plan.packed_shape, "float32")
        for block in T.thread_binding(blocks, thread="blockIdx.x"):
            for thread in T.thread_binding(group.threads, thread="threadIdx.x"):
                place: T.int32 = block * group.threads + thread
                if place < count:
                    gate: T.int32 = T.truncmod(place, GATES)
                    unit: T.int32 = T.truncmod(T.truncdiv(place, GATES), hidden_size)
                    source: T.int32 = T.truncmod(T.truncdiv(place, GATES * hidden_size), hidden_size)
                    direction: T.int32 = T.truncdiv(place, GATES * hidden_size * hidden_size)
                    packed[direction, source, unit, gate] = weight[
                        (direction * GATES + gate) * hidden_size + unit, source
                    ]

    return pack_hidden_weight


@T.inline
def _run(
    plan: Any, projected: Any, weight: Any, target: Any, batch_index: Any, direction: Any, length: Any, unit: Any
) -> None:
    hidden = T.alloc_buffer((2 * plan.hidden_size,), "float32", scope="shared")
    gates = T.alloc_buffer((GATES,), "float32", scope="local")
    cell = T.alloc_buffer((1,), "float32", scope="local")
    cell[0] = T.float32(0)
    hidden[unit] = T.float32(0)
    for count in T.serial(length):
        step: T.int32 = T.Select(direction == 1, length - 1 - count, count)
        # Each step reads one half of `hidden` and writes the other, so that one barrier per step is enough.
        old: T.int32 = T.truncmod(count, 2) * plan.hidden_size
        T.tvm_storage_sync("shared")
        for gate in T.unroll(GATES):
            gates[gate] = projected[batch_index, step, (direction * GATES + gate) * plan.hidden_size + unit]
        for source in T.serial(plan.hidden_size):
            for gate in T.vectorized(GATES):
                # gates = W_ih x + bias, which is projected, + W_hh h
                gates[gate] = gates[gate] + hidden[old + source] * weight[direction, source, unit, gate]
        # c = sigmoid(forget) c + sigmoid(input) tanh(candidate); h = sigmoid(output) tanh(c)
        cell[0] = sigmoid(gates[1]) * cell[0] + sigmoid(gates[0]) * tanh(gates[2])
        gates[0] = sigmoid(gates[3]) * tanh(cell[0])
        hidden[plan.hidden_size - old + unit] = gates[0]
        target[batch_index, step, direction * plan.hidden_size + unit] = gates[0]
