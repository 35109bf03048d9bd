from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.validator import wording
from engine.validator.results import AudioMetrics, DurationMetrics, Metrics, Reading, Row, Verdict

EXACT = Metrics(1.0, 1.0, None, 0.0, 0.0, 100.0)
ROW = Row(0, "bert", "text_features", "compiled", "dynamic", Reading.OWN_FED, Verdict.PASS, 0.99999, EXACT)


def test_every_reading_has_a_title() -> None:
    assert set(wording.READING_TITLES) == set(Reading)


@given(st.floats(-1, 1))
def test_a_correlation_is_never_written_better_than_it_is(value: float) -> None:
    written = wording.correlation(value)
    assert float(written) <= value
    assert (written == "1") is (value == 1)
    assert len(written) <= 11


@pytest.mark.parametrize(("value", "written"), [(0.999999999, "0.99999999"), (0.5, "0.50000000"), (None, "–")])
def test_correlations(value: float | None, written: str) -> None:
    assert wording.correlation(value) == written


@pytest.mark.parametrize(
    ("differing", "ties", "written"), [(0, 0, "equal"), (3, 1, "3 differ"), (2, 2, "2 differ (ties)")]
)
def test_durations_are_counted(differing: int, ties: int, written: str) -> None:
    row = replace(ROW, metrics=None, durations=DurationMetrics(differing, ties, 10, 10))
    assert wording.row_correlation(row) == written


def test_equal_arrays_have_no_noise() -> None:
    assert wording.row_noise_ratio(ROW) == "equal"
    assert wording.row_noise_ratio(replace(ROW, metrics=replace(EXACT, sqnr_db=98.76))) == "98.8"
    assert wording.row_noise_ratio(replace(ROW, metrics=Metrics(None, None, None, None, None, 50.0))) == wording.NOTHING
    assert wording.row_noise_ratio(replace(ROW, metrics=None)) == wording.NOTHING


def test_one_is_for_equal_arrays_alone() -> None:
    rounded = replace(EXACT, pearson=0.9999999999999998)
    assert wording.row_correlation(replace(ROW, metrics=rounded)) == "1"
    assert wording.row_correlation(replace(ROW, metrics=replace(EXACT, sqnr_db=160.0))) == "0.99999999"
    assert wording.row_correlation(replace(ROW, metrics=Metrics(None, None, None, None, None, 50.0))) == wording.NOTHING


def test_small_numbers_and_times() -> None:
    assert wording.magnitude(0.0000123) == "1.2e-05"
    assert wording.magnitude(0.0) == "0"
    assert wording.magnitude(None) == wording.NOTHING
    assert wording.milliseconds(0.01234) == "12.3"
    assert wording.milliseconds(None) == wording.NOTHING


def test_counted_things() -> None:
    assert wording.counted(1, "utterance") == "1 utterance"
    assert wording.counted(2, "utterance") == "2 utterances"


def test_a_sound_in_words() -> None:
    late = wording.audio(AudioMetrics(0.9991, 3, 0.01, 0.02, -0.5))
    assert "at +3 samples" in late
    assert "level -0.50 dB" in late
    assert "no lag" in wording.audio(AudioMetrics(0.9991, 0, 0.01, 0.02, -0.5))
