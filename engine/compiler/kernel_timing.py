"""How long one convolution takes on this machine, computed in a given way.

It does not know what is tried, nor why.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import tvm

from engine.compiler.convolution_runs import Convolve, convolution
from engine.compiler.correlation import Correlation
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
        microkernel = replace(microkernel_for(target), tuned=((sizes.unplaced, choice),))
        return _median(convolution(target, sizes, length, microkernel).prepared(), clock)

    return measure


def _median(convolve: Convolve, clock: Callable[[], float]) -> float:
    seconds = []
    for _ in range(RUNS):
        begun = clock()
        convolve()
        seconds.append(clock() - begun)
    return statistics.median(seconds)
