"""Finds, by measurement on this machine, the register tile and filter of every convolution of a stage.

Sizes are tried in the order of their cost until the time is up; what was not tried stays as usual. It does not know how
a choice is built into a library.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import fx
from torch.export import ExportedProgram
from tvm.target import Target

from engine.artifacts import Tuned
from engine.compiler.correlation import Correlation
from engine.compiler.kernel_timing import seconds_of
from engine.compiler.schedules.filter_choice import Choice, choices
from engine.ops.microkernel_tir import Microkernel
from engine.speech import PreparationEvent

LEAST_GAIN = 1.03
"""How many times faster another choice must be: less may be chance."""
_TIMES_LONGER = 20
"""Lengths measured at, in those of the example: about 5 seconds of audio."""
_CONVOLUTION = "conv1d.default"

Measure = Callable[[Correlation, Choice, int], float]
"""(sizes, choice, input length) -> seconds."""


@dataclass(frozen=True)
class Finding:
    """A choice that won, and how many times faster than the usual one it is."""

    sizes: Correlation
    choice: Choice
    gain: float

    @property
    def in_words(self) -> Tuned:
        """For the manifest."""
        form = self.choice.form
        how = "directly" if form is None else f"filter of {form.outputs} outputs and {form.taps} taps"
        return Tuned(in_words(self.sizes), f"{how}, tile {self.choice.rows} x {self.choice.columns}", self.gain)


def best(seconds: Mapping[Choice, float]) -> tuple[Choice, float]:
    """The fastest choice and its gain over the first, which is kept unless another wins clearly."""
    usual, *_ = seconds
    fastest = min(seconds, key=lambda choice: seconds[choice])
    gain = seconds[usual] / seconds[fastest]
    return (fastest, gain) if gain > LEAST_GAIN else (usual, 1.0)


def convolutions(program: ExportedProgram) -> dict[Correlation, int]:
    """The sizes of the convolutions of a stage and the input length to measure each at, costliest first."""
    lengths: dict[Correlation, int] = {}
    costs: dict[Correlation, float] = {}
    for node in program.graph.nodes:
        if getattr(node.target, "__name__", "") == _CONVOLUTION:
            x, weight = (node.args[place].meta["val"] for place in (0, 1))
            stride, padding, dilation = (_first(node, place, usual) for place, usual in ((3, 1), (4, 0), (5, 1)))
            out_channels, channels, taps = map(int, weight.shape)
            sizes = Correlation(channels, out_channels, taps, dilation, stride, padding)
            length = _example_length(x.shape[2]) * _TIMES_LONGER
            lengths[sizes] = max(length, lengths.get(sizes, 0))
            costs[sizes] = costs.get(sizes, 0) + channels * sizes.row_count * taps * length / stride
    return dict(sorted(lengths.items(), key=lambda item: -costs[item[0]]))


def _first(node: fx.Node, place: int, usual: int) -> int:
    """The only number of a list that is an argument, or what it is where it is left out."""
    given: Any = node.args[place] if len(node.args) > place else [usual]
    return int(given[0])


def _example_length(extent: Any) -> int:
    """A length that may be symbolic, in the example that was traced."""
    return extent if isinstance(extent, int) else int(extent.node.hint)


@dataclass(frozen=True)
class Search:
    """A search of so many seconds over all stages together; `began` is the clock's time at its start."""

    seconds: float
    began: float
    measure: Measure
    report: Callable[[PreparationEvent], None]
    clock: Callable[[], float] = time.monotonic

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.clock() - self.began > self.seconds

    def findings(self, lengths: Mapping[Correlation, int], microkernel: Microkernel) -> Sequence[Finding]:
        """What is clearly faster than usual, of sizes with the input length to measure each at."""
        found = []
        for done, (sizes, length) in enumerate(lengths.items()):
            self.report(PreparationEvent(f"Measuring a convolution of {in_words(sizes)}", done, len(lengths)))
            choice, gain = best(self._timed(sizes, length, microkernel))
            if gain > 1:
                found.append(Finding(replace(sizes, padding=0), choice, gain))
            if self.is_over:
                break
        return found

    def _timed(self, sizes: Correlation, length: int, microkernel: Microkernel) -> dict[Choice, float]:
        """Seconds of each choice, the usual one first and always."""
        seconds: dict[Choice, float] = {}
        for choice in choices(sizes, microkernel):
            if not seconds or not self.is_over:
                seconds[choice] = self.measure(sizes, choice, length)
        return seconds


def in_words(sizes: Correlation) -> str:
    """Sizes for a person."""
    return f"{sizes.channels} to {sizes.out_channels} channels, {sizes.taps} taps, dilation {sizes.dilation}"


def search_on(target: Target, seconds: float, report: Callable[[PreparationEvent], None]) -> Search:
    """A search on this machine that begins now."""
    return Search(seconds, time.monotonic(), seconds_of(target), report)
