from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.validator.data import wording
from engine.validator.data.results import AudioMetrics, DurationMetrics, InputSource, Metrics, Row, Verdict

EXACT = Metrics(1.0, 1.0, None, 0.0, 0.0, 100.0)
HALF_FINITE = Metrics(None, None, None, None, None, 50.0)
ROUNDING = 1e-6
ROW = Row(0, "bert", "text_features", "compiled", "dynamic", InputSource.END_TO_END, Verdict.PASS, 0.99999, EXACT)


def test_every_reading_has_a_title() -> None:
    assert set(wording.READING_TITLES) == set(InputSource)


@given(st.floats(-1, 1))
def test_a_correlation_is_never_written_better_than_it_is(value: float) -> None:
    written = wording.correlation(value)
    shown = float(written) if " - " not in written else 1 - float(written.removeprefix("1 - "))
    assert value - 0.11 * max(1 - value, 1e-3) <= shown <= value + ROUNDING
    assert (written == "1") is (value == 1)
    assert len(written) <= 11


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1 - 1.2e-9, "1 - 1.2e-9"),
        (1 - 1.21e-9, "1 - 1.3e-9"),
        (0.99999, "1 - 1e-5"),
        (0.9989, "0.9989"),
        (0.99896, "0.9989"),
        (0.5, "0.5000"),
        (-0.28, "-0.2800"),
        (1.0, "1"),
        (None, "–"),
    ],
)
def test_correlations(value: float | None, written: str) -> None:
    assert wording.correlation(value) == written


@pytest.mark.parametrize(
    ("differing", "ties", "token_count", "written"),
    [(0, 0, 0, "equal"), (3, 1, 0, "3 differ"), (3, 1, 42, "3 of 42 differ"), (2, 2, 0, "2 differ (ties)")],
)
def test_durations_are_counted(differing: int, ties: int, token_count: int, written: str) -> None:
    row = replace(ROW, metrics=None, durations=DurationMetrics(differing, ties, 10, 10))
    assert wording.row_correlation(row, token_count) == written


def test_equal_arrays_have_no_noise() -> None:
    assert wording.noise_ratio(EXACT) == "∞ dB"
    assert wording.noise_ratio(replace(EXACT, sqnr_db=98.76)) == "98.8 dB"
    assert wording.noise_ratio(HALF_FINITE) == wording.NOTHING
    assert wording.noise_ratio(None) == wording.NOTHING


def test_only_equal_arrays_are_exact() -> None:
    assert wording.agreement(replace(EXACT, pearson=0.9999999999999998)) == "exact"
    assert wording.agreement(replace(EXACT, sqnr_db=160.0)) == "1 - 1.2e-16"
    assert wording.agreement(HALF_FINITE) == "50 % finite"
    assert wording.agreement(replace(HALF_FINITE, finite_percent=100.0)) == wording.NOTHING
    assert wording.agreement(None) == wording.NOTHING


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, "0"),
        (0.8, "0.8"),
        (12.345, "12.3"),
        (999.4, "999"),
        (999.6, "1e3"),
        (1e-6, "1e-6"),
        (-2.34e-5, "-2.3e-5"),
        (123456.0, "1.2e5"),
        (0.001, "0.001"),
        (float("inf"), "inf"),
        (None, "–"),
    ],
)
def test_numbers_are_short(number: float | None, written: str) -> None:
    assert wording.magnitude(number) == written


@given(st.floats(-1e300, 1e300))
def test_numbers_keep_their_size(number: float) -> None:
    written = wording.magnitude(number)
    assert len(written) <= 9
    assert float(written) == pytest.approx(number, rel=0.06, abs=1e-300)


@pytest.mark.parametrize(
    ("seconds", "written"), [(0.00042, "0.42"), (0.0123, "12.3"), (0.0998, "99.8"), (1.234, "1,234"), (None, "–")]
)
def test_milliseconds(seconds: float | None, written: str) -> None:
    assert wording.milliseconds(seconds) == written


def test_counted_things() -> None:
    assert wording.counted(1, "utterance") == "1 utterance"
    assert wording.counted(2, "utterance") == "2 utterances"


def test_a_sound_in_words() -> None:
    late = wording.audio(AudioMetrics(0.9991, 3, 0.01, 0.02, -0.5))
    assert "at +3 samples" in late
    assert "level -0.50 dB" in late
    assert "no lag" in wording.audio(AudioMetrics(0.9991, 0, 0.01, 0.02, -0.5))
