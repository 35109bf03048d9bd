from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from matplotlib.figure import Figure

from engine.speech import Samples
from engine.stages import STAGE_NAMES
from engine.validator.data.results import InputSource, Metrics, Profile, Report, Row, Verdict
from engine.validator.experiments.lstm_comparison import LstmComparison, LstmRun, LstmRunResult
from engine.validator.experiments.sweep import SweepPoint
from engine.validator.reports import plots
from engine.validator.reports import plots as validator_plots
from engine.validator.reports.html_report import by_regime
from engine.validator.reports.plot_data import (
    MAX_DIGITS,
    STRIP_CELLS,
    digits,
    digits_of,
    most_different,
    outline,
    strip,
    strips,
)
from engine.validator.reports.plots import INK, SERIES, draw
from tests.engine.validator.reports.example_report import ERRORS, example_report

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def report() -> Report:
    return example_report(1)


def words(element: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(element).iter(f"{SVG}text")]


def colors(element: str) -> set[str]:
    return set(re.findall(r"--series-(\d)", element))


def test_every_regime_has_its_correlations(report: Report) -> None:
    element = plots.correlations(report.rows, "c")
    assert {*ERRORS, "tolerance", "Isolated", "End to end"} <= set(words(element))
    assert words(element).count("duration_logits") == 2
    assert colors(element) == {"0", "1", "2", "3"}
    assert "frame_token" not in words(element)


def test_every_regime_and_reading_has_its_strips(report: Report) -> None:
    element = plots.along_time(by_regime(report.rows), None, 3.0, "t")
    titles = [f"{regime} · {reading}" for regime in ERRORS for reading in ("isolated", "end to end")]
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


def speech(count: int) -> Samples:
    return np.sin(np.arange(count) / 10).astype(np.float32)


def test_waveforms_lie_over_each_other() -> None:
    element = plots.waveforms(speech(2000), {"compiled": speech(2000) + np.float32(0.5), "upstream": speech(1400)}, "w")
    assert "compiled · difference up to 0.5" in words(element)
    assert "upstream · -0.025 s, so that no sample has a partner" in words(element)
    assert colors(element) == {"0", "1"}


def test_a_long_waveform_is_no_larger_than_a_short_one() -> None:
    short, long = (len(plots.waveforms(speech(n), {"a": -speech(n)}, "w")) for n in (24_000, 720_000))
    assert long < 1.2 * short


PADDINGS = (0.0, 0.5, 4.0)


def comparison() -> LstmComparison:
    def result(run: LstmRun, error: float | None) -> LstmRunResult:
        metrics = Metrics(1.0, 1.0, None, error, error, 100.0)
        return LstmRunResult(run, (error or 0.0, 2 * (error or 0.0)), metrics, (metrics,) * len(PADDINGS))

    runs = (result(LstmRun.PACKED, 0.0), result(LstmRun.NO_PACK, 0.1), result(LstmRun.COMPILED, None))
    return LstmComparison(0, "text_encoder.lstm", "An LSTM", "text_encoder", 2, 1.0, PADDINGS, runs)


def point(
    padding: float, pearson: float | None, stage: str = "f0n", reading: InputSource = InputSource.ISOLATED
) -> SweepPoint:
    return SweepPoint(padding, "static-packed", 0, stage, "x", reading, pearson, None)


def padding_words(element: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(element).iter(f"{SVG}text")]


def test_an_lstm_has_every_way_of_running_it() -> None:
    element = validator_plots.lstm(comparison(), "l")
    assert {*LstmRun, "error at every timestep, padding 1", "0.5", "timestep", "1e-9"} <= set(padding_words(element))
    assert "Error of An LSTM" in element
    assert not any("$" in word for word in padding_words(element))


def markers(element: str) -> int:
    return element.count("<use")


def test_the_lowest_correlation_counts_and_an_unknown_one_is_a_gap() -> None:
    known = [point(padding, 0.9) for padding in PADDINGS]
    better = [point(padding, 0.999, "bert") for padding in PADDINGS]
    assert validator_plots.sweep([*known, *better], "s") == validator_plots.sweep(known, "s")
    gap = [*known[:-1], point(PADDINGS[-1], None)]
    assert markers(validator_plots.sweep(gap, "s")) == markers(validator_plots.sweep(known, "s")) - 1


@pytest.mark.parametrize("reading", InputSource)
def test_a_sweep_names_regimes_and_ratios(reading: InputSource) -> None:
    element = validator_plots.sweep([point(padding, 0.9, "istft", reading) for padding in PADDINGS], "s")
    assert {"static-packed", "0", "0.5", "4", "padding over valid length"} <= set(padding_words(element))


def paint(figure: Figure) -> None:
    panel = figure.subplots()
    panel.plot(np.linspace(0, 1, 50), np.linspace(0, 1, 50) ** 2, color=SERIES[1], marker="o", label="a $1 < 2$ & b")
    panel.fill_between([0, 1], [0, 1], color=INK, hatch="//")
    panel.legend()


def test_it_is_one_element_that_a_page_takes() -> None:
    element = draw(4, 2, "one", 'Curve "a" & b', paint)
    root = ElementTree.fromstring(element)
    assert root.tag.endswith("svg")
    assert root.attrib["aria-label"] == 'Curve "a" & b'
    assert "a $1 < 2$ & b" in "".join(root.itertext())


def test_it_takes_the_colors_of_the_page() -> None:
    element = draw(4, 2, "one", "Curve", paint)
    assert {"var(--ink)", "var(--muted)", "var(--line)", "var(--series-1)"} <= set(
        re.findall(r"var\(--[\w-]+\)", element)
    )
    assert not re.findall(r"#01\w{4}", element)


def test_nothing_comes_from_elsewhere() -> None:
    element = draw(4, 2, "one", "Curve", paint)
    assert not re.findall(r'href="(?!#|data:)', element)
    assert re.findall(r"https?://[\w./]+", element) == ["http://www.w3.org/1999/xlink", "http://www.w3.org/2000/svg"]
    assert "<style" not in element


ROW = Row(0, "bert", "text_features", "compiled", "dynamic", InputSource.END_TO_END, Verdict.PASS, 0.99999)
SAMPLES = arrays_of.arrays(np.float32, st.integers(1, 900), elements=st.floats(-1, 1, width=32))


def profiled(axis: str, *errors: float, stage: str = "bert", reading: InputSource = InputSource.END_TO_END) -> Row:
    return replace(ROW, stage=stage, reading=reading, profile=Profile(axis, errors))


@given(SAMPLES, st.integers(1, 300))
def test_an_outline_holds_every_sample(samples: np.ndarray, columns: int) -> None:
    drawn = outline(samples, 24_000, columns)
    assert len(drawn.seconds) == min(columns, len(samples))
    assert drawn.lowest.min() == samples.min()
    assert drawn.highest.max() == samples.max()
    assert (drawn.lowest <= drawn.highest).all()


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


@pytest.mark.parametrize(("correlation", "expected"), [(0.9, 1), (0.99999, 5), (1.0, MAX_DIGITS), (0, 0), (-0.5, 0)])
def test_digits(correlation: float, expected: float) -> None:
    assert digits_of(correlation) == pytest.approx(expected)
    metrics = Metrics(correlation, correlation, 1.0, 1.0, 1.0, 100.0)
    assert digits(replace(ROW, metrics=metrics)) == pytest.approx(expected)


def test_tokens_are_placed_where_they_are_spoken() -> None:
    placed = strip([profiled("tokens", 1.0, 2.0, 3.0)], frames_per_token=(2, 5, 1))
    assert placed is not None
    assert [int((placed == error).sum()) for error in (1, 2, 3)] == [
        STRIP_CELLS // 4,
        STRIP_CELLS * 5 // 8,
        STRIP_CELLS // 8,
    ]
    assert (np.diff(placed) >= 0).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=STRIP_CELLS), st.sampled_from(["tokens", "frames"]))
def test_no_cell_is_lost(errors: list[float], axis: str) -> None:
    placed = strip([profiled(axis, *errors)], None)
    assert set(placed.tolist()) == set(errors)


def test_the_worst_output_counts() -> None:
    placed = strip([profiled("frames", 1.0, 0.0), profiled("frames", 0.5), ROW], None)
    assert set(placed.tolist()) == {1.0, 0.5}
    assert strip([ROW], None) is None


def test_every_stage_has_its_strip() -> None:
    rows = [profiled("frames", 1.0, stage="f0n"), profiled("frames", 2.0, stage="f0n", reading=InputSource.ISOLATED)]
    probe = replace(profiled("frames", 9.0, stage="f0n"), probe=True)
    found = strips([*rows, probe], InputSource.END_TO_END, None)
    assert [errors is not None for errors in found] == [name == "f0n" for name in STAGE_NAMES]
    assert found[STAGE_NAMES.index("f0n")].max() == 1.0  # type: ignore[union-attr]
