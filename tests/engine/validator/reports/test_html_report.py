import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from engine.errors import OutputError
from engine.stages import STAGES
from engine.validator.data.results import InputSource, Metrics, Regime, Report, Verdict
from engine.validator.experiments.sweep import SweepPoint
from engine.validator.reports.html_report import (
    FIGURE_NAMES,
    MAX_SHOWN,
    Cell,
    by_regime,
    figures,
    html_report,
    lines,
    summary,
    write_html,
)
from engine.validator.runs.arrays import ArrayFolder
from tests.engine.validator.reports.example_report import ERRORS, TEXT, example_report, out_of_step, with_verdict
from tests.engine.validator.reports.test_plots import comparison, point

SHOWN = (Regime.COMPILED, Regime.STATIC_NO_PACK)
WITHOUT_END = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """The page as a browser sees it: elements opened and closed, words, and all its external resources."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.words: list[str] = []
        self.identifiers: list[str] = []
        self.fetched: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in WITHOUT_END:
            self.open.append(tag)
        self._note(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self._note(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def _note(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.identifiers.append(value or "")
            if name in ("src", "href", "xlink:href", "srcset", "data") and not (value or "").startswith(("#", "data:")):
                self.fetched.append(value or "")

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> ArrayFolder:
    return ArrayFolder(tmp_path_factory.mktemp("arrays"))


@pytest.fixture(scope="module")
def report(arrays: ArrayFolder) -> Report:
    whole = with_verdict(example_report(2, arrays=arrays), Regime.COMPILED, "source", Verdict.WORSE)
    return replace(whole, rows=tuple(row for row in whole.rows if row.regime in SHOWN))


@pytest.fixture(scope="module")
def html(report: Report, arrays: ArrayFolder) -> str:
    sweep: list[SweepPoint] = [point(padding, 0.9) for padding in (0.0, 1.0)]
    return html_report(report, arrays, [comparison()], sweep)


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_it_is_a_whole_page(page: Page) -> None:
    assert page.open == []
    assert page.seen.count("svg") == 1 + 2 * 2 + 1 + 1
    assert len(set(page.identifiers)) == len(page.identifiers)


def test_it_needs_nothing_else(html: str, page: Page) -> None:
    assert page.fetched == []
    assert "script" not in page.seen
    assert not re.findall(r"url\((?!#)|@import", html)
    assert set(re.findall(r"https?://[^\s\"<]+", html)) == {
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/2000/svg",
    }


def test_the_report_states_the_request_and_the_findings(page: Page, report: Report) -> None:
    assert "Validation of starter against dynamic: passed" in page.text
    assert "Durations is the first stage where packing matters" in page.text
    assert "af_heart" in page.text
    assert report.device_choice in page.text
    assert all(version in page.text for version in report.versions.values())
    assert all(finding.words in page.text for finding in report.findings)
    assert {*Verdict} - {Verdict.CRASHED, Verdict.INCOMPARABLE} <= set(page.words)


def test_user_text_is_shown_verbatim(html: str, page: Page) -> None:
    assert TEXT.strip() in page.words
    assert "<b>" not in html


def test_other_durations_are_compared_in_two_more_ways(report: Report, arrays: ArrayFolder) -> None:
    words = Page(html_report(out_of_step(report, SHOWN[0]), arrays)).words
    assert InputSource.END_TO_END_REFERENCE_DURATIONS in words
    assert any(word.endswith("*") for word in words)


def test_the_worst_of_many_utterances_are_shown() -> None:
    report = example_report(MAX_SHOWN + 2, frames=4)
    rows = [replace(row, profile=None) for row in report.rows]
    rows[-1] = replace(rows[-1], verdict=Verdict.CRASHED, metrics=Metrics(None, None, None, None, None, 0.0))
    words = Page(html_report(replace(report, rows=tuple(rows)))).text
    assert f"The worst {MAX_SHOWN} of {MAX_SHOWN + 2} utterances are shown" in words
    assert f"All figures of utterance {MAX_SHOWN + 2}" in words


def test_a_regime_without_waveforms_leaves_the_others(report: Report, tmp_path: Path) -> None:
    arrays = ArrayFolder(tmp_path)
    kept = replace(example_report(1, arrays=arrays), findings=())
    (tmp_path / "u0000" / "upstream" / "own-fed" / "audio.npy").unlink()
    (tmp_path / "u0000" / "compiled" / "own-fed" / "audio.npy").write_bytes(b"damaged")
    page = Page(html_report(kept, arrays))
    assert any("static-packed · difference up to" in word for word in page.words)
    assert not any("compiled · difference up to" in word for word in page.words)


def test_it_is_written_whole_or_an_error_says_why(report: Report, tmp_path: Path) -> None:
    small = replace(report, rows=())
    write_html(tmp_path / "report.html", small)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == html_report(small)
    with pytest.raises(OutputError, match="exist"):
        write_html(tmp_path / "nowhere" / "report.html", small)


def test_importing_it_draws_nothing() -> None:
    code = (
        "import sys, engine.validator.reports.html_report;"
        "print([name for name in ('torch', 'tvm', 'matplotlib', 'jinja2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_fault_injection_is_marked() -> None:
    report = example_report()
    fault_injection = replace(report, request=replace(report.request, fault="zeroed-noise"))
    assert "Drill: Validation of" in html_report(fault_injection, None)
    assert "Drill" not in html_report(report, None)


ROWS = example_report(1).rows


def test_every_output_has_a_cell_for_every_regime_and_reading() -> None:
    found = list(lines(ROWS, tuple(ERRORS)))
    titles = [(stage.title, tensor.name) for stage in STAGES for tensor in stage.outputs if tensor.axes]
    assert [(line.stage, line.output) for line in found] == titles
    assert all(len(line.cells) == 2 * len(ERRORS) and Cell() not in line.cells for line in found)
    durations = found[1].cells[2 * list(ERRORS).index(Regime.STATIC_NO_PACK) :][:2]
    assert [cell.verdict for cell in durations] == [Verdict.FAIL, Verdict.INHERITED]
    assert "SQNR" in durations[0].hint


def test_probes_come_with_their_stage_and_leave_cells_empty() -> None:
    probe = replace(ROWS[-1], stage="duration", output="predictor.lstm", probe=True)
    found = list(lines([*ROWS, probe], tuple(ERRORS)))
    (line,) = [line for line in found if line.is_probe]
    assert [line.stage for line in found].index("Alignment") == found.index(line) + 1
    assert line.cells.count(Cell()) == len(line.cells) - 1


def test_differing_durations_add_a_third_reading_and_mark_values_by_phoneme() -> None:
    rows = out_of_step(example_report(1), Regime.STATIC_NO_PACK).rows
    audio = next(line for line in lines(rows, tuple(ERRORS)) if line.output == "audio")
    assert len(audio.cells) == 3 * len(ERRORS)
    place = 3 * list(ERRORS).index(Regime.STATIC_NO_PACK)
    _, own, given = audio.cells[place : place + 3]
    assert own.value == f"{given.value}*"
    assert own.hint == given.hint
    assert (own.verdict, given.verdict) == (Verdict.INCOMPARABLE, Verdict.INHERITED)
    (row,) = [row for row in rows if row.by_phoneme]
    assert dict(zip(FIGURE_NAMES, figures(row), strict=False))["correlation"] == own.value


def test_a_regime_in_one_line() -> None:
    line = summary(Regime.STATIC_NO_PACK, by_regime(ROWS)[Regime.STATIC_NO_PACK])
    assert "masked" in line.description
    assert (line.worst.verdict, line.heard.verdict) == (Verdict.FAIL, Verdict.INHERITED)
    assert line.worst.value.endswith(")")
