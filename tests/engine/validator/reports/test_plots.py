from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from engine.speech import Samples
from engine.validator.data.results import Metrics, Reading, Report
from engine.validator.experiments.lstm_comparison import LstmComparison, LstmRun, LstmRunResult
from engine.validator.experiments.sweep import SweepPoint
from engine.validator.reports import plots
from engine.validator.reports import plots as validator_plots
from engine.validator.reports.html_report import by_regime
from tests.engine.validator.reports.example_report import ERRORS, example_report

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def report() -> Report:
    return example_report(1)


def words(element: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(element).iter(f"{SVG}text")]


def colours(element: str) -> set[str]:
    return set(re.findall(r"--series-(\d)", element))


def test_every_regime_has_its_correlations(report: Report) -> None:
    element = plots.correlations(report.rows, "c")
    assert {*ERRORS, "tolerance", "Fed by the reference", "Fed by itself"} <= set(words(element))
    assert words(element).count("duration_logits") == 2
    assert colours(element) == {"0", "1", "2", "3"}
    assert "frame_token" not in words(element)


def test_what_has_no_correlation_is_a_gap(report: Report) -> None:
    whole, gap = (plots.correlations(rows, "c").count("<use") for rows in (report.rows, report.rows[4:]))
    assert gap < whole


def test_every_regime_and_reading_has_its_strips(report: Report) -> None:
    element = plots.along_time(by_regime(report.rows), None, 3.0, "t")
    titles = [f"{regime} · {reading}" for regime in ERRORS for reading in ("fed by the reference", "fed by itself")]
    assert set(titles) <= set(words(element))
    assert element.count("<image") == len(titles)
    assert "seconds" in words(element)
    assert "percent of the utterance" in words(plots.along_time(by_regime(report.rows), None, None, "t"))


def test_a_long_name_stays_in_its_panel() -> None:
    name = "compiled with " + ", ".join(["text_encoder from static-no-pack"] * 4)
    element = plots.waveforms(speech(2000), {name: speech(2000)}, "w")
    title = next(word for word in words(element) if word.startswith("compiled with"))
    assert title.startswith(name[:30])
    assert len(title) < 70


def test_a_worse_error_has_another_colour() -> None:
    errors = np.array([0.0, 1e-7, 1e-3, 1.0, 1e9, np.nan])
    none, least, more, most, beyond, unknown = plots.heat(errors)
    np.testing.assert_array_equal(none, least)
    np.testing.assert_array_equal(most, beyond)
    assert least[3] < more[3] < most[3]
    assert unknown[3] == 0


def speech(count: int) -> Samples:
    return np.sin(np.arange(count) / 10).astype(np.float32)


def test_waveforms_lie_over_each_other() -> None:
    element = plots.waveforms(speech(2000), {"compiled": speech(2000) + np.float32(0.5), "upstream": speech(1400)}, "w")
    assert "compiled · difference up to 0.5" in words(element)
    assert "upstream · -0.025 s, so that no sample has a partner" in words(element)
    assert colours(element) == {"0", "1"}


def test_a_long_waveform_is_no_larger_than_a_short_one() -> None:
    short, long = (len(plots.waveforms(speech(n), {"a": -speech(n)}, "w")) for n in (24_000, 720_000))
    assert long < 1.2 * short


def test_a_waveform_with_holes_is_drawn() -> None:
    ours = speech(2000)
    ours[100:1900] = np.nan
    assert "nan" not in plots.waveforms(speech(2000), {"compiled": ours}, "w").replace("up to nan", "")


PADDINGS = (0.0, 0.5, 4.0)


def comparison() -> LstmComparison:
    def result(run: LstmRun, error: float | None) -> LstmRunResult:
        metrics = Metrics(1.0, 1.0, None, error, error, 100.0)
        return LstmRunResult(run, (error or 0.0, 2 * (error or 0.0)), metrics, (metrics,) * len(PADDINGS))

    runs = (result(LstmRun.PACKED, 0.0), result(LstmRun.NO_PACK, 0.1), result(LstmRun.COMPILED, None))
    return LstmComparison(0, "text_encoder.lstm", "Text encoder's LSTM", "text_encoder", 2, 1.0, PADDINGS, runs)


def point(
    padding: float, pearson: float | None, stage: str = "f0n", reading: Reading = Reading.REFERENCE_FED
) -> SweepPoint:
    return SweepPoint(padding, "static-packed", 0, stage, "x", reading, pearson, None)


def padding_words(element: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(element).iter(f"{SVG}text")]


def test_an_lstm_has_every_way_of_running_it() -> None:
    element = validator_plots.lstm(comparison(), "l")
    assert {*LstmRun, "error at every timestep, padding 1", "0.5", "timestep", "1e-9"} <= set(padding_words(element))
    assert "Error of Text encoder&#x27;s LSTM" in element
    assert not any("$" in word for word in padding_words(element))


def markers(element: str) -> int:
    return element.count("<use")


def test_the_lowest_correlation_counts_and_an_unknown_one_is_a_gap() -> None:
    known = [point(padding, 0.9) for padding in PADDINGS]
    better = [point(padding, 0.999, "bert") for padding in PADDINGS]
    assert validator_plots.sweep([*known, *better], "s") == validator_plots.sweep(known, "s")
    gap = [*known[:-1], point(PADDINGS[-1], None)]
    assert markers(validator_plots.sweep(gap, "s")) == markers(validator_plots.sweep(known, "s")) - 1


@pytest.mark.parametrize("reading", Reading)
def test_a_sweep_names_regimes_and_ratios(reading: Reading) -> None:
    element = validator_plots.sweep([point(padding, 0.9, "istft", reading) for padding in PADDINGS], "s")
    assert {"static-packed", "0", "0.5", "4", "padding over valid length"} <= set(padding_words(element))


def test_the_heard_waveform_is_compared_at_its_best_lag() -> None:
    heard = SweepPoint(1.0, "static-packed", 0, "istft", "audio", Reading.OWN_FED, None, 0.9)
    assert markers(validator_plots.sweep([heard], "s")) > markers(validator_plots.sweep([point(1.0, None)], "s"))
