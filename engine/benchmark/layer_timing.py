"""Times each convolution of a model on this machine separately, alternating with the CPU's peak."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from tvm.target import Target

from engine.benchmark.estimate.counting import RunSizes
from engine.benchmark.layers import LayerTime, LayerTimes
from engine.benchmark.measuring import OnProgress
from engine.benchmark.peak import PeakMeter
from engine.compiler.build import weightless_modules
from engine.compiler.convolution_layers import ConvolutionLayer, convolution_layers, workload_of
from engine.compiler.convolution_runs import Convolution, Convolve, convolution
from engine.compiler.export import trace
from engine.compiler.kernels.cpu.conv_choice import choice_for
from engine.compiler.kernels.cpu.register_tile import Microkernel, microkernel_for
from engine.compiler.targets import host_cpu
from engine.stages import Stage

TURN_SECONDS = 0.05
"""The time that a convolution runs in one turn, at least once."""

Clock = Callable[[], float]


def layer_times(
    stages: Sequence[Stage], run: RunSizes, threads: int, rounds: int, on_progress: OnProgress
) -> LayerTimes:
    """Measure every convolution of these stages, all of them in each round; `on_progress` receives a line per step.

    Raises `CompileError`.
    """
    meter = LayerMeter(host_cpu(), threads)
    modules = weightless_modules(run.config)
    for stage in stages:
        on_progress(f"Building the convolutions of {stage.title.lower()}")
        program = trace(stage, modules[stage.name], run.config)
        for layer, count in convolution_layers(program, run.shapes(stage)).items():
            meter.add(stage.name, layer, count)
    for number in range(1, rounds + 1):
        on_progress(f"Round {number} of {rounds}")
        meter.measure()
    return meter.times()


class LayerMeter:
    """Times convolutions, computed as in speech, alternating with the CPU's peak.

    A disturbance of some seconds then affects one turn of each convolution, not all turns of one.
    """

    def __init__(self, target: Target, threads: int, clock: Clock = time.perf_counter) -> None:
        self._target = target
        self._meter = PeakMeter(threads)  # creates this thread's pool
        self._clock = clock
        self._timed: list[_Timed] = []
        self._peak_flop_per_second = 0.0

    def add(self, stage: str, layer: ConvolutionLayer, count: int) -> None:
        """Add a convolution that a stage contains `count` times."""
        microkernel = microkernel_for(self._target)
        built = convolution(self._target, workload_of(layer), layer.length, microkernel)
        self._timed.append(_Timed(stage, layer, count, is_direct(layer, microkernel), built))

    def measure(self) -> None:
        """Run every convolution for a turn, each after a measurement of the peak."""
        for timed in self._timed:
            reached = self._meter.flop_per_second()
            self._peak_flop_per_second = max(self._peak_flop_per_second, reached)
            timed.seconds.extend(self._turn(timed.convolution.prepared()))

    def times(self) -> LayerTimes:
        """Return the results of all turns, at least one of which is required."""
        return LayerTimes(tuple(timed.time() for timed in self._timed), self._peak_flop_per_second)

    def _turn(self, convolve: Convolve) -> Iterator[float]:
        began = ended = self._clock()
        while ended - began < TURN_SECONDS:
            started = self._clock()
            convolve()
            ended = self._clock()
            yield ended - started


@dataclass(frozen=True)
class _Timed:
    stage: str
    layer: ConvolutionLayer
    count: int
    is_direct: bool
    convolution: Convolution
    seconds: list[float] = field(default_factory=list)

    def time(self) -> LayerTime:
        return LayerTime(self.stage, self.layer, self.count, self.is_direct, min(self.seconds), median(self.seconds))


def is_direct(layer: ConvolutionLayer, microkernel: Microkernel) -> bool:
    """Return whether every product is computed, without Winograd's algorithm."""
    return choice_for(workload_of(layer), microkernel).winograd is None
