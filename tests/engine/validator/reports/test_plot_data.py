from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from engine.stages import STAGE_NAMES
from engine.validator.data.results import DurationMetrics, Metrics, Profile, Reading, Row, Verdict
from engine.validator.reports.plot_data import (
    MOST_DIGITS,
    STRIP_CELLS,
    digits,
    digits_of,
    most_different,
    outline,
    strip,
    strips,
)

ROW = Row(0, "bert", "text_features", "compiled", "dynamic", Reading.OWN_FED, Verdict.PASS, 0.99999)
SAMPLES = arrays_of.arrays(np.float32, st.integers(1, 900), elements=st.floats(-1, 1, width=32))


def profiled(axis: str, *errors: float, stage: str = "bert", reading: Reading = Reading.OWN_FED) -> Row:
    return replace(ROW, stage=stage, reading=reading, profile=Profile(axis, errors))


@given(SAMPLES, st.integers(1, 300))
def test_an_outline_holds_every_sample(samples: np.ndarray, columns: int) -> None:
    drawn = outline(samples, 24_000, columns)
    assert len(drawn.seconds) == min(columns, len(samples))
    assert drawn.lowest.min() == samples.min()
    assert drawn.highest.max() == samples.max()
    assert (drawn.lowest <= drawn.highest).all()


def test_an_outline_leaves_out_what_is_not_finite() -> None:
    drawn = outline(np.array([1, np.nan, np.inf, -1], np.float32), 1, 2)
    assert drawn.highest.tolist() == [1, -1]


@given(SAMPLES, st.integers(1, 100), st.data())
def test_the_stretch_holds_the_largest_difference(samples: np.ndarray, width: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(samples) - 1))
    ours = samples.copy()
    ours[place] += 5
    stretch = most_different(ours, samples, width)
    assert place in range(stretch.start, stretch.stop)
    assert stretch.stop - stretch.start == min(width, len(samples))


def test_the_stretch_of_different_lengths_is_the_loudest_both_have() -> None:
    reference = np.zeros(50, np.float32)
    reference[[20, 45]] = 1, 9
    assert 20 in range(*most_different(np.zeros(40, np.float32), reference, 10).indices(50))


@pytest.mark.parametrize(("correlation", "expected"), [(0.9, 1), (0.99999, 5), (1.0, MOST_DIGITS), (0, 0), (-0.5, 0)])
def test_digits(correlation: float, expected: float) -> None:
    assert digits_of(correlation) == pytest.approx(expected)
    metrics = Metrics(correlation, correlation, 1.0, 1.0, 1.0, 100.0)
    assert digits(replace(ROW, metrics=metrics)) == pytest.approx(expected)


def test_digits_of_what_has_no_correlation() -> None:
    assert digits(ROW) is None
    assert digits(replace(ROW, durations=DurationMetrics(1, 0, 9, 9))) is None
    assert digits(replace(ROW, durations=DurationMetrics(0, 0, 9, 9))) == MOST_DIGITS


def test_tokens_are_placed_where_they_are_spoken() -> None:
    placed = strip([profiled("tokens", 1.0, 2.0, 3.0)], frames_per_token=(2, 5, 1))
    assert placed is not None
    assert [int((placed == error).sum()) for error in (1, 2, 3)] == [
        STRIP_CELLS // 4,
        STRIP_CELLS * 5 // 8,
        STRIP_CELLS // 8,
    ]
    assert (np.diff(placed) >= 0).all()


def test_without_an_alignment_tokens_are_equally_long() -> None:
    placed = strip([profiled("tokens", 1.0, 2.0)], None)
    assert placed is not None
    assert (placed == 1).sum() == STRIP_CELLS // 2


@given(st.lists(st.floats(0, 1), min_size=1, max_size=STRIP_CELLS), st.sampled_from(["tokens", "frames"]))
def test_no_cell_is_lost(errors: list[float], axis: str) -> None:
    placed = strip([profiled(axis, *errors)], None)
    assert set(placed.tolist()) == set(errors)


def test_the_worst_output_counts() -> None:
    placed = strip([profiled("frames", 1.0, 0.0), profiled("frames", 0.5), ROW], None)
    assert set(placed.tolist()) == {1.0, 0.5}
    assert strip([ROW], None) is None


def test_every_stage_has_its_strip() -> None:
    rows = [profiled("frames", 1.0, stage="f0n"), profiled("frames", 2.0, stage="f0n", reading=Reading.REFERENCE_FED)]
    probe = replace(profiled("frames", 9.0, stage="f0n"), probe=True)
    found = strips([*rows, probe], Reading.OWN_FED, None)
    assert [errors is not None for errors in found] == [name == "f0n" for name in STAGE_NAMES]
    assert found[STAGE_NAMES.index("f0n")].max() == 1.0  # type: ignore[union-attr]
