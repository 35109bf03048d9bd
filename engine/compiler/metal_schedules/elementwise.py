"""Functions of single values on Apple's GPUs that must be exact: a Mac compiles its own with fast mathematics.

It does not know what the values mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.ops import math_tir
from engine.ops.threadgroup_tir import Threadgroup


def sine(group: Threadgroup) -> PrimFunc:
    """The kernel: x [count] -> y [count], the sine of each value."""
    return _of_each(math_tir.sin, group)


def exponential(group: Threadgroup) -> PrimFunc:
    """The kernel: x [count] -> y [count], e to the power of each value."""
    return _of_each(math_tir.exp, group)


def _of_each(function: Callable[[Any], Any], group: Threadgroup) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def elementwise(x: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        count = T.int32()
        source = T.match_buffer(x, (count,), "float32")
        target = T.match_buffer(y, (count,), "float32")
        for block in T.thread_binding(T.ceildiv(count, group.threads), thread="blockIdx.x"):
            for thread in T.thread_binding(group.threads, thread="threadIdx.x"):
                place: T.int32 = block * group.threads + thread
                if place < count:
                    target[place] = function(source[place])

    return elementwise
