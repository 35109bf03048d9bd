import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.diagnostics.metric_words import (
    READING_MEANINGS,
    REGIME_TITLES,
    VERDICT_MEANINGS,
    VERDICT_SIGNS,
    VERDICT_TITLES,
    agreement_words,
    change_words,
    correlation_words,
    decibel_words,
    duration_words,
    figures_of,
    millisecond_words,
    number_words,
    regime_title,
    verdict_words,
)
from engine.stages import STAGES
from engine.validator.results import DurationMetrics, Metrics, Reading, Regime, Verdict
from tests.app.diagnostics_fakes import metrics, row

NOT_FINITE = Metrics(None, None, None, None, None, 87.5)


@pytest.mark.parametrize(
    ("pearson", "words"),
    [
        (0.5, "0.5000"),
        (-0.28, "−0.2800"),
        (0.9991, "0.9991000"),
        (0.9999912, "0.9999912"),
        (1 - 2e-7, "1 − 2e−7"),
        (1 - 3e-12, "1 − 3e−12"),
        (1.0, "1.0000000"),
    ],
)
def test_correlations_near_one_can_be_told_apart(pearson: float, words: str) -> None:
    assert correlation_words(replace(metrics(0.1), pearson=pearson)) == words


@given(st.floats(-1, 1))
def test_no_correlation_looks_better_than_it_is(pearson: float) -> None:
    words = correlation_words(replace(metrics(0.1), pearson=pearson)).replace("−", "-")
    if "e" not in words:
        assert float(words) == pytest.approx(pearson, abs=5e-5)
        assert float(words) < 1 or pearson == 1
    else:
        assert 0 < 1 - pearson < 1e-6


def test_equal_arrays_are_exact() -> None:
    assert correlation_words(metrics(0)) == "exact"
    assert decibel_words(metrics(0)) == "∞"


def test_what_is_not_finite_says_so() -> None:
    assert correlation_words(NOT_FINITE) == "87.5 % finite"
    assert decibel_words(NOT_FINITE) == "–"
    assert number_words(None) == "–"


def test_nothing_to_compare_is_a_dash() -> None:
    assert correlation_words(None) == decibel_words(None) == millisecond_words(None) == "–"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0"),
        (0.8, "0.8"),
        (12.345, "12.3"),
        (1e-6, "1e−6"),
        (-2.34e-5, "−2.3e−5"),
        (123456.0, "1.2e5"),
        (0.001, "0.001"),
    ],
)
def test_numbers_are_short(number: float, words: str) -> None:
    assert number_words(number) == words


@given(st.floats(-1e300, 1e300))
def test_numbers_keep_their_size(number: float) -> None:
    words = number_words(number)
    assert len(words) <= 9
    assert float(words.replace("−", "-")) == pytest.approx(number, rel=0.06, abs=1e-300)


@pytest.mark.parametrize(("seconds", "words"), [(0.00042, "0.42"), (0.0123, "12.3"), (1.234, "1,234")])
def test_milliseconds(seconds: float, words: str) -> None:
    assert millisecond_words(seconds) == words


def test_durations_are_equal_or_counted() -> None:
    assert duration_words(DurationMetrics(0, 0, 60, 60), 42) == "equal"
    assert duration_words(DurationMetrics(3, 1, 60, 61), 42) == "3 of 42 differ"
    assert duration_words(DurationMetrics(3, 1, 60, 61), 0) == "3 differ"


def test_every_verdict_regime_and_reading_has_words() -> None:
    assert set(VERDICT_SIGNS) == set(VERDICT_TITLES) == set(VERDICT_MEANINGS) == set(Verdict)
    assert set(REGIME_TITLES) == set(Regime)
    assert set(READING_MEANINGS) == set(Reading)
    assert len({*VERDICT_SIGNS.values()}) == len(Verdict)
    assert verdict_words(Verdict.FAIL) == "✗ Fail"


def test_a_crossed_regime_has_its_own_name() -> None:
    assert regime_title("compiled") == "Compiled"
    assert regime_title("compiled with bert from dynamic") == "compiled with bert from dynamic"


def test_changes() -> None:
    now = row(STAGES[0], "text_features", Regime.COMPILED, error=1e-4)
    assert change_words(now, now) == "same"
    assert change_words(now, replace(now, metrics=metrics(1e-3))) == "+20.0 dB"
    assert change_words(now, replace(now, metrics=metrics(1e-5))) == "−20.0 dB"
    assert change_words(now, replace(now, verdict=Verdict.FAIL)) == "was Fail"
    assert change_words(now, replace(now, metrics=metrics(0))) == "was exact"
    assert change_words(replace(now, metrics=metrics(0)), now) == "now exact"
    assert change_words(replace(now, metrics=None), now) == "–"


def test_every_number_of_a_row_is_a_figure() -> None:
    audio = row(STAGES[-1], "audio", Regime.COMPILED)
    assert audio.metrics is not None
    figures = dict(figures_of(replace(audio, metrics=replace(audio.metrics, tail_energy=2e-9))))
    assert figures["Energy in padding"] == "2e−9"
    assert figures["Best-lag correlation"] == "0.9999912 at 0 samples"
    assert figures["Level difference"] == "−0.02 dB"
    assert (figures["Time"], figures["Reference time"]) == ("76.8 ms", "198 ms")
    assert set(figures) >= {"Tolerance", "Correlation", "Cosine", "SQNR", "Max error", "Relative L2", "Finite"}
    durations = dict(figures_of(row(STAGES[2], "frame_token", Regime.COMPILED)))
    assert durations["Frames"] == "60, reference 60"
    assert durations["Tokens that differ"] == "0, 0 by a tie"
    assert all(words and "nan" not in words for words in (*figures.values(), *durations.values()))
    assert not math.isnan(audio.tolerance)


def test_a_value_by_phoneme_is_marked_everywhere() -> None:
    made = row(STAGES[3], "f0", Regime.COMPILED, Reading.OWN_FED)
    apart = replace(made, metrics=None, by_phoneme=metrics(0.5), verdict=Verdict.INCOMPARABLE)
    assert agreement_words(apart) == "0.8750*"
    assert ("Correlation by phoneme", "0.8750") in figures_of(apart)
    assert agreement_words(replace(made, metrics=metrics(0.5))) == "0.8750"
