import math
from dataclasses import replace

from app.diagnostics.metric_words import (
    READING_MEANINGS,
    REGIME_TITLES,
    VERDICT_MEANINGS,
    VERDICT_SIGNS,
    VERDICT_TITLES,
    change_words,
    figures_of,
    regime_title,
    verdict_words,
)
from engine.stages import STAGES
from engine.validator.data.results import Reading, Regime, Verdict
from engine.validator.data.wording import row_correlation
from tests.app.diagnostics_fakes import metrics, row


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
    assert change_words(now, replace(now, metrics=metrics(1e-5))) == "-20.0 dB"
    assert change_words(now, replace(now, verdict=Verdict.FAIL)) == "was Fail"
    assert change_words(now, replace(now, metrics=metrics(0))) == "was exact"
    assert change_words(replace(now, metrics=metrics(0)), now) == "now exact"
    assert change_words(replace(now, metrics=None), now) == "–"


def test_every_number_of_a_row_is_a_figure() -> None:
    audio = row(STAGES[-1], "audio", Regime.COMPILED)
    assert audio.metrics is not None
    figures = dict(figures_of(replace(audio, metrics=replace(audio.metrics, tail_energy=2e-9))))
    assert figures["Energy in padding"] == "2e-9"
    assert figures["Best-lag correlation"] == "1 - 8.8e-6 at no lag"
    assert figures["Level difference"] == "-0.02 dB"
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
    assert row_correlation(apart) == "0.8750*"
    assert ("Correlation by phoneme", "0.8750") in figures_of(apart)
    assert row_correlation(replace(made, metrics=metrics(0.5))) == "0.8750"
