from __future__ import annotations

import pytest

from engine.estimate.chips import (
    ASSUMPTIONS,
    CHIPS,
    M1,
    M2,
    M2_ULTRA,
    M4_PRO,
    RANGES,
    RECORDS,
    SLOW_CYCLES,
    End,
    record_of,
)


@pytest.mark.parametrize(("chip", "tflop"), [(M1, 2.6), (M2, 3.6), (M2_ULTRA, 21.5)])
def test_peaks_are_those_that_are_published(chip, tflop):
    assert chip.flop_per_second == pytest.approx(tflop * 1e12, rel=0.01)


def test_every_figure_has_a_source():
    assert all(chip.source for chip in CHIPS)
    assert {record.chip for record in RECORDS} <= {chip.name for chip in CHIPS}


def test_records_are_those_of_one_model():
    assert record_of("kokoro-82m", M1) == 70.7
    assert record_of("kokoro-82m", M4_PRO) is None
    assert record_of("starter", M1) is None


def test_every_assumption_says_where_it_comes_from():
    assert all(assumption.meaning and assumption.source for assumption in (*ASSUMPTIONS, *RANGES))


def test_the_slow_end_of_a_range_is_the_slow_one():
    slower_when_larger = [assumed for assumed in RANGES if "microseconds" in assumed.meaning]
    assert len(slower_when_larger) == 1
    for assumed in RANGES:
        fast, slow = assumed.at(End.FAST), assumed.at(End.SLOW)
        assert slow > fast if assumed in slower_when_larger else slow < fast


def test_slow_operations_take_longer_than_one_cycle():
    assert all(cycles > 1 for cycles in SLOW_CYCLES.values())
