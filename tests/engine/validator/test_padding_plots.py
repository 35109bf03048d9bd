from xml.etree import ElementTree

import pytest

from engine.validator import padding_plots
from engine.validator.lstm_comparison import LstmComparison, LstmRun, LstmRunResult
from engine.validator.results import Metrics, Reading
from engine.validator.sweep import SweepPoint

PADDINGS = (0.0, 0.5, 4.0)
SVG = "{http://www.w3.org/2000/svg}"


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


def words(element: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(element).iter(f"{SVG}text")]


def test_an_lstm_has_every_way_of_running_it() -> None:
    element = padding_plots.lstm(comparison(), "l")
    assert {*LstmRun, "error at every timestep, padding 1", "0.5", "timestep", "1e-09"} <= set(words(element))
    assert "Error of Text encoder&#x27;s LSTM" in element
    assert not any("$" in word for word in words(element))


def markers(element: str) -> int:
    return element.count("<use")


def test_the_lowest_correlation_counts_and_an_unknown_one_is_a_gap() -> None:
    known = [point(padding, 0.9) for padding in PADDINGS]
    better = [point(padding, 0.999, "bert") for padding in PADDINGS]
    assert padding_plots.sweep([*known, *better], "s") == padding_plots.sweep(known, "s")
    gap = [*known[:-1], point(PADDINGS[-1], None)]
    assert markers(padding_plots.sweep(gap, "s")) == markers(padding_plots.sweep(known, "s")) - 1


@pytest.mark.parametrize("reading", Reading)
def test_a_sweep_names_regimes_and_ratios(reading: Reading) -> None:
    element = padding_plots.sweep([point(padding, 0.9, "istft", reading) for padding in PADDINGS], "s")
    assert {"static-packed", "0", "0.5", "4", "padding over valid length"} <= set(words(element))


def test_the_heard_waveform_is_compared_at_its_best_lag() -> None:
    heard = SweepPoint(1.0, "static-packed", 0, "istft", "audio", Reading.OWN_FED, None, 0.9)
    assert markers(padding_plots.sweep([heard], "s")) > markers(padding_plots.sweep([point(1.0, None)], "s"))
