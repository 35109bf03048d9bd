"""One value reflected to the left of every row, on Apple's GPUs: a thread per value."""

from __future__ import annotations

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.metal.threadgroup import Threadgroup


def reflect_left(channels: int, group: Threadgroup) -> PrimFunc:
    """The kernel: x [batch, channels, length] -> y [batch, channels, length + 1], the second value before the first."""

    @T.prim_func(s_tir=True)
    def reflect_left(x: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        length = T.int32()
        source = T.match_buffer(x, (batch, channels, length), "float32")
        target = T.match_buffer(y, (batch, channels, length + 1), "float32")
        for row in T.thread_binding(batch * channels, thread="blockIdx.y"):
            for part in T.thread_binding(T.ceildiv(length + 1, group.threads), thread="blockIdx.x"):
                for thread in T.thread_binding(group.threads, thread="threadIdx.x"):
                    place: T.int32 = part * group.threads + thread
                    if place <= length:
                        target[T.truncdiv(row, channels), T.truncmod(row, channels), place] = source[
                            T.truncdiv(row, channels),
                            T.truncmod(row, channels),
                            # A row of one value has no second: it repeats its first.
                            T.Select(place == 0, T.min(1, length - 1), place - 1),
                        ]

    return reflect_left
