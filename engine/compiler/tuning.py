"""Finds, by measurement on this machine, the algorithm and register tile of every convolution of a stage.

Sizes are tried in the order of their cost until the time is up; the others keep the default.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import tvm
from torch.export import ExportedProgram
from tvm.target import Target

from engine.compiler.artifacts.manifest import TuningResult
from engine.compiler.convolution_layers import convolution_layers, workload_of
from engine.compiler.convolution_runs import Convolve, convolution
from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.cpu.conv_choice import ConvAlgorithm, choices
from engine.compiler.kernels.cpu.register_tile import Microkernel, microkernel_for
from engine.compiler.traced_graph import example_shapes
from engine.speech import PreparationEvent
from engine.system.cores import usable_cores

MIN_GAIN = 1.03
"""The least speedup over the default that counts: a smaller gain may be chance."""
_TIMES_LONGER = 20
"""Input length of a measurement as a multiple of the example's: about 5 seconds of audio."""

Measure = Callable[[ConvWorkload, ConvAlgorithm, int], float]
"""(sizes, choice, input length) -> seconds."""


@dataclass(frozen=True)
class TuningChoice:
    """A choice that won, and how many times faster than the default it is."""

    sizes: ConvWorkload
    choice: ConvAlgorithm
    gain: float

    @property
    def as_text(self) -> TuningResult:
        """The finding as text, for the manifest."""
        winograd = self.choice.winograd
        how = "directly" if winograd is None else f"Winograd {winograd}"
        return TuningResult(as_text(self.sizes), f"{how}, tile {self.choice.rows} x {self.choice.columns}", self.gain)


def best(seconds: Mapping[ConvAlgorithm, float]) -> tuple[ConvAlgorithm, float]:
    """The fastest choice and its gain over the first, the default; without a clear winner, the default and 1."""
    default, *_ = seconds
    fastest = min(seconds, key=lambda choice: seconds[choice])
    gain = seconds[default] / seconds[fastest]
    return (fastest, gain) if gain > MIN_GAIN else (default, 1.0)


def convolutions(program: ExportedProgram) -> dict[ConvWorkload, int]:
    """The sizes of the convolutions of a stage and the input length to measure each at, costliest first."""
    lengths: dict[ConvWorkload, int] = {}
    costs: dict[ConvWorkload, int] = {}
    layers = convolution_layers(program, example_shapes(program))
    for layer, count in layers.items():
        sizes = workload_of(layer)
        lengths[sizes] = max(layer.length * _TIMES_LONGER, lengths.get(sizes, 0))
        costs[sizes] = costs.get(sizes, 0) + count * layer.flop
    return dict(sorted(lengths.items(), key=lambda item: -costs[item[0]]))


@dataclass(frozen=True)
class Search:
    """A search of `seconds` over all stages together; `began` is the clock's time at its start."""

    seconds: float
    began: float
    measure: Measure
    report: Callable[[PreparationEvent], None]
    clock: Callable[[], float] = time.monotonic

    @property
    def is_over(self) -> bool:
        """True if the time is up."""
        return self.clock() - self.began > self.seconds

    def findings(self, lengths: Mapping[ConvWorkload, int], microkernel: Microkernel) -> Sequence[TuningChoice]:
        """Choices clearly faster than the default, for sizes with the input length to measure each at."""
        found = []
        for done, (sizes, length) in enumerate(lengths.items()):
            self.report(PreparationEvent(f"Measuring a convolution of {as_text(sizes)}", done, len(lengths)))
            choice, gain = best(self._timed(sizes, length, microkernel))
            if gain > 1:
                found.append(TuningChoice(sizes.unplaced, choice, gain))
            if self.is_over:
                break
        return found

    def _timed(self, sizes: ConvWorkload, length: int, microkernel: Microkernel) -> dict[ConvAlgorithm, float]:
        """Seconds of each choice; the default comes first and is always measured."""
        seconds: dict[ConvAlgorithm, float] = {}
        for choice in choices(sizes, microkernel):
            if not seconds or not self.is_over:
                seconds[choice] = self.measure(sizes, choice, length)
        return seconds


def as_text(sizes: ConvWorkload) -> str:
    """Sizes as text for people."""
    apart = f"{sizes.upsampling} phases" if sizes.upsampling > 1 else f"dilation {sizes.dilation}"
    return f"{sizes.channels} to {sizes.out_channels} channels, {sizes.taps} taps, {apart}"


def search_on(target: Target, seconds: float, report: Callable[[PreparationEvent], None]) -> Search:
    """A search on this machine that begins now."""
    return Search(seconds, time.monotonic(), seconds_of(target), report)


RUNS = 5
_SHARE_ALL_CORES = -3
"""TVM's value for threads that may run on any of the given cores."""


def seconds_of(
    target: tvm.target.Target, clock: Callable[[], float] = time.perf_counter
) -> Callable[[ConvWorkload, ConvAlgorithm, int], float]:
    """A function (sizes, choice, input length) -> median seconds of a few calls of the real kernel.

    They use the cores that speech synthesis uses.
    """
    cores = usable_cores()
    tvm.get_global_func("runtime.config_threadpool")(_SHARE_ALL_CORES, len(cores), [str(core) for core in cores])

    def measure(sizes: ConvWorkload, choice: ConvAlgorithm, length: int) -> float:
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
