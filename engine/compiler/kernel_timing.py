"""How long one convolution takes on this machine, computed in a given way.

It does not know what is tried, nor why.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import tvm
from tvm.tirx import PrimFunc

from engine.compiler.correlation import Correlation, Ending
from engine.compiler.schedules.conv1d import conv1d, pack_weight, packed_shape
from engine.compiler.schedules.filter_choice import Choice
from engine.ops.microkernel_tir import microkernel_for
from engine.runners.cores import usable_cores

RUNS = 5
_SHARE_ALL_CORES = -3
"""TVM's name for threads that may run on any of the cores given."""


def seconds_of(
    target: tvm.target.Target, clock: Callable[[], float] = time.perf_counter
) -> Callable[[Correlation, Choice, int], float]:
    """A function (sizes, choice, input length) -> median seconds of a few runs of the real kernel.

    It runs on the cores that speech is made on.
    """
    cores = usable_cores()
    tvm.get_global_func("runtime.config_threadpool")(_SHARE_ALL_CORES, len(cores), [str(core) for core in cores])

    def measure(sizes: Correlation, choice: Choice, length: int) -> float:
        microkernel = replace(microkernel_for(target), tuned=((replace(sizes, padding=0), choice),))
        library = _library(target, pack=pack_weight(sizes, microkernel), run=conv1d(sizes, Ending(True), microkernel))
        reach = sizes.dilation * (sizes.taps - 1)
        outputs = (length + 2 * sizes.padding - reach - 1) // sizes.stride + 1
        random = np.random.default_rng(0)
        weight = random.standard_normal((sizes.out_channels, sizes.channels, sizes.taps), np.float32)
        packed = tvm.runtime.tensor(np.empty(packed_shape(sizes, microkernel), np.float32))
        library["pack"](tvm.runtime.tensor(weight), packed)
        x = tvm.runtime.tensor(random.standard_normal((1, sizes.channels, length), np.float32))
        bias = tvm.runtime.tensor(np.zeros(sizes.out_channels, np.float32))
        y = tvm.runtime.tensor(np.empty((1, sizes.out_channels, outputs), np.float32))
        return _median(lambda: library["run"](x, packed, bias, y), clock)

    return measure


def _library(target: tvm.target.Target, **kernels: PrimFunc) -> Any:
    named = {name: kernel.with_attr("global_symbol", name) for name, kernel in kernels.items()}
    return tvm.compile(tvm.IRModule(named), target=target)


def _median(run: Callable[[], object], clock: Callable[[], float]) -> float:
    run()
    seconds = []
    for _ in range(RUNS):
        begun = clock()
        run()
        seconds.append(clock() - begun)
    return statistics.median(seconds)
