from __future__ import annotations

import itertools

import pytest
import torch

from engine.compiler.export import trace
from engine.compiler.tuning import RUNS, Search, best, convolutions, in_words, seconds_of
from engine.kernels.convolution import ConvWorkload, transposed
from engine.kernels.cpu.conv_choice import choice_for, choices
from engine.kernels.cpu.register_tile import AVX512
from engine.stages import TOKENS, Place, Size, Stage, Tensor
from tests.engine.kernels.cpu.running import host, host_microkernel

LARGE, SMALL = ConvWorkload(64, 64, 3, padding=1), ConvWorkload(16, 16, 1)


class Clock:
    """Time that passes only when something is measured."""

    def __init__(self, seconds_each=0.0):
        self.now = 100.0
        self.seconds_each = seconds_each
        self.asked = []

    def measure(self, faster):
        def seconds(sizes, choice, length):
            self.now += self.seconds_each
            self.asked.append((sizes, choice, length))
            return 1.0 / faster.get((sizes, choice), 1.0)

        return seconds


def search(clock, seconds=60.0, faster=None, report=lambda _: None):
    return Search(seconds, clock.now, clock.measure(faster or {}), report, lambda: clock.now)


@pytest.mark.parametrize(("seconds", "place", "gain"), [((1, 0.5, 2), 1, 2), ((1, 0.98, 2), 0, 1), ((1, 1, 1), 0, 1)])
def test_another_choice_must_win_clearly(seconds, place, gain):
    given = choices(LARGE, AVX512)[:3]
    assert best(dict(zip(given, seconds, strict=True))) == (given[place], gain)


def test_what_was_found_is_what_kernels_are_made_with():
    chosen = choices(LARGE, AVX512)[4]
    (finding,) = search(Clock(), faster={(LARGE, chosen): 1.25}).findings({LARGE: 80, SMALL: 80}, AVX512)
    assert (finding.choice, finding.gain) == (chosen, 1.25)
    tuned = type(AVX512)(16, 8, 48, tuned=((finding.sizes, finding.choice),))
    assert choice_for(LARGE, tuned) == chosen != choice_for(LARGE, AVX512)
    assert choice_for(SMALL, tuned) == choice_for(SMALL, AVX512)
    assert "64 to 64 channels, 3 taps" in finding.in_words.convolution
    assert f"tile {chosen.rows} x {chosen.columns}" in finding.in_words.choice


def test_every_choice_is_measured_and_each_convolution_reported():
    clock, events = Clock(), []
    assert search(clock, report=events.append).findings({LARGE: 80, SMALL: 40}, AVX512) == []
    assert [choice for sizes, choice, _ in clock.asked if sizes == LARGE] == list(choices(LARGE, AVX512))
    assert [(event.done, event.total) for event in events] == [(0, 2), (1, 2)]


def test_it_ends_when_the_time_is_up():
    clock = Clock(seconds_each=1.0)
    assert search(clock, seconds=2.5).findings({LARGE: 80, SMALL: 80}, AVX512) == []
    assert [sizes for sizes, _, _ in clock.asked] == [LARGE] * 3


class Layers(torch.nn.Module):
    """Convolutions of different cost."""

    def __init__(self, width):
        super().__init__()
        self.cheap = torch.nn.Conv1d(width, 8, 1, bias=False)
        self.dear = torch.nn.Conv1d(8, 64, 5, padding=4, dilation=2)
        self.longer = torch.nn.ConvTranspose1d(64, 4, 4, 2, padding=1)

    def forward(self, x):
        return self.longer(self.dear(self.cheap(x)))


def test_convolutions_of_a_stage_are_found_costliest_first(tiny_config):
    width = tiny_config.hidden_dim
    stage = Stage("probe", "Probe", Place.DEVICE, (Tensor("x", (Size("hidden_dim"), TOKENS)),), (Tensor("y", ()),))
    found = convolutions(trace(stage, Layers(width), tiny_config))
    dear, longer, cheap = ConvWorkload(8, 64, 5, 2, 1, 4), transposed(64, 4, 4, 2, 1), ConvWorkload(width, 8, 1)
    assert list(found.items()) == [(dear, 140), (longer, 140), (cheap, 140)]
    assert in_words(longer) == "64 to 4 channels, 2 taps, 2 phases"


@pytest.mark.parametrize("sizes", [ConvWorkload(32, 33, 3, padding=1), ConvWorkload(3, 4, 4, stride=2)], ids=str)
def test_every_choice_runs_and_the_middle_time_counts(sizes):
    spans = itertools.cycle([9, 1, 2, 3, 100][:RUNS])
    ticks = itertools.chain.from_iterable((0, span) for span in spans)
    measure = seconds_of(host(), lambda: next(ticks))
    found = choices(sizes, host_microkernel())
    assert [measure(sizes, choice, 100) for choice in (found[0], found[-1])] == [3, 3]
