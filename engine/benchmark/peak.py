"""The CPU's peak: multiply-adds per second in vector registers without stalls."""

from __future__ import annotations

import time
from math import prod

import numpy as np
import tvm
from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.cpu.register_tile import Microkernel, microkernel_for
from engine.compiler.targets import host_cpu
from engine.runtime.runners.tvm_runtime import Runtime

_STEPS = 20_000_000
"""The number of steps; with fewer, waking the threads would take a noticeable part of the time."""
_FLOP_PER_MULTIPLY_ADD = 2


class PeakMeter:
    """Measures the peak of `threads` threads of this process."""

    def __init__(self, threads: int) -> None:
        self._runtime = Runtime("cpu", threads)
        self._threads = threads
        target = host_cpu()
        self._microkernel = microkernel_for(target)
        kernel = multiply_adds(self._microkernel, threads)
        self._run = tvm.compile(tvm.IRModule({"main": kernel}), target=target)["main"]
        self._sums = tvm.runtime.tensor(np.zeros(_shape(self._microkernel, threads), np.float32))
        self._factor = tvm.runtime.tensor(np.full(2, 0.5, np.float32))

    def flop_per_second(self, steps: int = _STEPS) -> float:
        """Measure the current peak; takes less than 0.1 s on a CPU with two vector multiply-adds per cycle."""
        self._runtime.prepare_thread()
        started = time.perf_counter()
        self._run(self._factor, self._sums, steps)
        seconds = time.perf_counter() - started
        return prod(_shape(self._microkernel, self._threads)) * steps * _FLOP_PER_MULTIPLY_ADD / seconds


def multiply_adds(microkernel: Microkernel, chunks: int) -> PrimFunc:
    """Build the kernel of (f [2], y [chunks, vectors, lanes], steps): every y becomes f[0] y + f[1], `steps` times.

    The sums of a chunk fill the registers in which convolutions accumulate; they are independent of each other.
    """
    shape = _shape(microkernel, chunks)
    _, vectors, lanes = shape

    @T.prim_func(s_tir=True)
    def multiply_adds(f: T.handle, y: T.handle, steps: T.int64) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        factor = T.match_buffer(f, (2,), "float32")
        target = T.match_buffer(y, shape, "float32")
        for chunk in T.parallel(chunks):
            sums = T.alloc_buffer((vectors, lanes), "float32")
            for vector in T.unroll(vectors):
                for lane in T.vectorized(lanes):
                    sums[vector, lane] = target[chunk, vector, lane]
            for _ in T.serial(steps):
                for vector in T.unroll(vectors):
                    for lane in T.vectorized(lanes):
                        sums[vector, lane] = sums[vector, lane] * factor[0] + factor[1]
            for vector in T.unroll(vectors):
                for lane in T.vectorized(lanes):
                    target[chunk, vector, lane] = sums[vector, lane]

    return multiply_adds


def _shape(microkernel: Microkernel, chunks: int) -> tuple[int, int, int]:
    return chunks, microkernel.rows * microkernel.columns // microkernel.lanes, microkernel.lanes
