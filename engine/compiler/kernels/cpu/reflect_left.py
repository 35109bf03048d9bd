"""One value reflected to the left of every row, on CPUs."""

from __future__ import annotations

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.cpu.register_tile import Microkernel


def reflect_left(channels: int, microkernel: Microkernel) -> PrimFunc:
    """The kernel: x [batch, channels, length] -> y [batch, channels, length + 1], the second value before the first."""

    @T.prim_func(s_tir=True)
    def reflect_left(x: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        length = T.int64()
        source = T.match_buffer(x, (batch, channels, length), "float32")
        target = T.match_buffer(y, (batch, channels, length + 1), "float32")
        for batch_channel in T.parallel(batch * channels):
            batch_index: T.int64 = batch_channel // channels
            channel: T.int64 = batch_channel % channels
            # A row of one value has no second: it repeats its first.
            target[batch_index, channel, 0] = source[batch_index, channel, T.min(T.int64(1), length - 1)]
            for position in T.serial(length):
                target[batch_index, channel, position + 1] = source[batch_index, channel, position]

    return reflect_left
