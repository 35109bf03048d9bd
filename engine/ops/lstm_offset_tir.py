"""What all steps of an LSTM share, where the same values stand beside every step, as one TIR kernel.

It does not know what else the steps hold.
"""

from __future__ import annotations

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.ops.microkernel_tir import Microkernel


def lstm_offset(beside: int, gates: int, microkernel: Microkernel) -> PrimFunc:
    """The kernel: x [B, beside], what stands beside every step, weight [gates, beside], bias [gates] -> y [B, gates].

    y is float64.
    """
    chunks = microkernel.chunks

    @T.prim_func(s_tir=True)
    def lstm_offset(x: T.handle, w: T.handle, b: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        source = T.match_buffer(x, (batch, beside), "float32")
        weight = T.match_buffer(w, (gates, beside), "float32")
        bias = T.match_buffer(b, (gates,), "float32")
        target = T.match_buffer(y, (batch, gates), "float64")
        for chunk in T.parallel(chunks):
            for unit in T.serial(chunk * batch * gates // chunks, (chunk + 1) * batch * gates // chunks):
                total = T.alloc_buffer((1,), "float64", scope="local")
                total[0] = T.Cast("float64", bias[unit % gates])
                for place in T.serial(beside):
                    total[0] += T.Cast("float64", source[unit // gates, place]) * T.Cast(
                        "float64", weight[unit % gates, place]
                    )
                target[unit // gates, unit % gates] = total[0]

    return lstm_offset
