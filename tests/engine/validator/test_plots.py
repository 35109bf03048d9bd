import re
from xml.etree import ElementTree

import numpy as np
import pytest

from engine.speech import Samples
from engine.validator import plots
from engine.validator.report_tables import by_regime
from engine.validator.results import Report
from tests.engine.validator.example_report import ERRORS, example_report

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
    assert "compiled · difference up to 5.0e-01" in words(element)
    assert "upstream · -0.025 s, so that no sample has a partner" in words(element)
    assert colours(element) == {"0", "1"}


def test_a_long_waveform_is_no_larger_than_a_short_one() -> None:
    short, long = (len(plots.waveforms(speech(n), {"a": -speech(n)}, "w")) for n in (24_000, 720_000))
    assert long < 1.2 * short


def test_a_waveform_with_holes_is_drawn() -> None:
    ours = speech(2000)
    ours[100:1900] = np.nan
    assert "nan" not in plots.waveforms(speech(2000), {"compiled": ours}, "w").replace("up to nan", "")
