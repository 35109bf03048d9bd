from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from app.diagnostics.colors import ColorTone
from app.diagnostics.configurations import matrix_of
from app.diagnostics.figures import FiguresView
from app.diagnostics.metric_text import (
    READING_DESCRIPTIONS,
    REGIME_TITLES,
    VERDICT_DESCRIPTIONS,
    VERDICT_SIGNS,
    VERDICT_TITLES,
    figures_of,
    format_change,
    format_verdict,
)
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.stage_rows import Column, StageEntry, words_of
from app.theme import DARK, Appearance, Theme
from engine.__main__ import main
from engine.models.checkpoints import STARTER, model_config, starter_voices
from engine.speech import SpeechRequest
from engine.stages import STAGES, stage_named
from engine.system.remote import decoded, encoded
from engine.validator.data.results import InputSource, Metrics, Regime, Row, ValidationEvent, ValidationRequest, Verdict
from engine.validator.data.wire import Wire
from engine.validator.data.wording import NOTHING, row_correlation
from engine.validator.reports.html_report import FIGURE_NAMES, figures
from engine.validator.reports.text_report import text_report
from engine.validator.runs.validation import Validator
from tests.app.diagnostics_fakes import metrics, row
from tests.engine.validator.reports.example_report import example_report


def test_every_verdict_regime_and_reading_has_words() -> None:
    assert set(VERDICT_SIGNS) == set(VERDICT_TITLES) == set(VERDICT_DESCRIPTIONS) == set(Verdict)
    assert set(REGIME_TITLES) == set(Regime)
    assert set(READING_DESCRIPTIONS) == set(InputSource)
    assert len({*VERDICT_SIGNS.values()}) == len(Verdict)
    assert format_verdict(Verdict.FAIL) == "✗ Fail"


def test_changes() -> None:
    now = row(STAGES[0], "text_features", Regime.COMPILED, error=1e-4)
    assert format_change(now, now) == "same"
    assert format_change(now, replace(now, metrics=metrics(1e-3))) == "+20.0 dB"
    assert format_change(now, replace(now, metrics=metrics(1e-5))) == "-20.0 dB"
    assert format_change(now, replace(now, verdict=Verdict.FAIL)) == "was Fail"
    assert format_change(now, replace(now, metrics=metrics(0))) == "was exact"
    assert format_change(replace(now, metrics=metrics(0)), now) == "now exact"
    assert format_change(replace(now, metrics=None), now) == "–"


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
    made = row(STAGES[3], "f0", Regime.COMPILED, InputSource.END_TO_END)
    apart = replace(made, metrics=None, by_phoneme=metrics(0.5), verdict=Verdict.INCOMPARABLE)
    assert row_correlation(apart) == "0.8750*"
    assert ("Correlation by phoneme", "0.8750") in figures_of(apart)
    assert row_correlation(replace(made, metrics=metrics(0.5))) == "0.8750"


REPORT = example_report(1)
ISOLATED = [row for row in REPORT.rows if row.regime == "compiled" and row.reading is InputSource.ISOLATED]
IN_BOTH = {
    "correlation": "Correlation",
    "cosine": "Cosine",
    "SQNR": "SQNR",
    "max error": "Max error",
    "relative L2": "Relative L2",
    "over the floor": "Over float32",
    "over golden": "Over the golden run",
    "finite": "Finite",
    "energy in padding": "Energy in padding",
}
"""Names on the page, and those in the panel."""
sizes = st.floats(0, 1e6)
rates = st.one_of(st.none(), st.floats(0, 1e9))
correlations = st.floats(-1, 1)
measures = st.builds(Metrics, correlations, correlations, st.floats(-20, 200), sizes, sizes, st.just(100.0), sizes)


def rated(row: Row) -> Row:
    return replace(row, times_floor=1.234e-6, times_golden=31.4)


@given(measures, rates, rates, st.floats(0, 100))
def test_every_figure_of_the_panel_is_the_pages(
    measured: Metrics, floor: float | None, golden: float | None, seconds: float
) -> None:
    times = {"times_floor": floor, "times_golden": golden, "seconds": seconds, "reference_seconds": seconds}
    row = replace(REPORT.rows[0], metrics=measured, **times)
    page, panel = dict(zip(FIGURE_NAMES, figures(row), strict=False)), dict(figures_of(row))
    assert {name: page[name] for name in IN_BOTH} == {name: panel.get(ours, NOTHING) for name, ours in IN_BOTH.items()}
    assert (f"{page['ms']} ms", f"{page['ms, reference']} ms") == (panel["Time"], panel["Reference time"])


@pytest.mark.parametrize("row", ISOLATED, ids=lambda row: row.output)
def test_every_cell_of_the_list_is_that_of_the_terminal(row: Row) -> None:
    row = rated(row)
    text = text_report(replace(REPORT, rows=(row,)))
    line = next(line for line in text.splitlines() if line.startswith(f"{row.stage} "))
    entry = StageEntry(stage_named(row.stage), 0, row)
    for column in (Column.CORRELATION, Column.MAX_ERROR, Column.TIMES_FLOOR):
        assert f" {words_of(entry, column)} " in f" {line} "
    assert f" {row.verdict} " in f" {line} "


TEXT = "Hi."
REGIMES = (Regime.UPSTREAM, Regime.STATIC_NO_PACK, Regime.COMPILED)
CROSS = (("decoder", Regime.DYNAMIC),)
TIMES = ("seconds", "reference_seconds")
"""The fields that differ between any two runs."""


def without_times(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


@pytest.fixture(scope="module")
def run() -> DiagnosticsRun:
    """The run as the window builds it from events through the pipe."""
    request = ValidationRequest(SpeechRequest(TEXT, starter_voices()[0].name), regimes=REGIMES, cross=CROSS)
    made = DiagnosticsRun(request, model_config(STARTER))
    validator = Validator()
    validator.validate(
        request, lambda event: made.handle_event(decoded(encoded(event, ValidationEvent), ValidationEvent))
    )
    validator.close()
    return made


def test_every_row_of_the_window_is_that_of_the_command_line(run: DiagnosticsRun, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    cross = ",".join(f"{stage}={regime}" for stage, regime in CROSS)
    arguments = ["--text", TEXT, "--regimes", ",".join(REGIMES), "--cross", cross, "--json", str(path)]
    main(["validate", "--model", STARTER, *arguments])
    written = without_times(json.loads(path.read_text(encoding="utf-8"))["rows"])
    shown = without_times([json.loads(json.dumps(Wire().row_to_dict(row))) for row in run.rows])
    assert sorted(shown, key=str) == sorted(written, key=str)
    assert InputSource.END_TO_END_REFERENCE_DURATIONS in {row["reading"] for row in written}


def test_static_no_pack_is_red_from_where_packing_matters(run: DiagnosticsRun) -> None:
    shown = Shown(Regime.COMPILED, InputSource.END_TO_END_REFERENCE_DURATIONS)
    matrix = matrix_of(run, shown)
    assert matrix.regimes == (*REGIMES, "compiled+decoder=dynamic")
    verdicts = [str(cells[1].row.verdict) for cells in matrix.cells if cells[1].row is not None]
    assert verdicts[:2] == ["pass", "fail"]
    assert "pass" not in verdicts[2:]


@pytest.fixture
def view(qtbot: QtBot) -> FiguresView:
    view = FiguresView("Numbers")
    qtbot.addWidget(view)
    view.show()
    view.show_figures("It fails.", ColorTone.ERROR, (("Max error", "0.5"), ("Read by", (("b1", "conv1d b1"),))))
    return view


def test_every_number_is_shown_and_available_to_screen_readers(view: FiguresView) -> None:
    for words in ("It fails", "Max error", "0.&#8203;5", "conv1d b1"):
        assert words in view.label.text()
    assert view.accessibleDescription() == "It fails.; Max error 0.5"


def test_a_followed_link_is_reported(view: FiguresView, qtbot: QtBot) -> None:
    assert "href='b1'" in view.label.text()
    with qtbot.waitSignal(view.link_chosen) as chosen:
        view.label.linkActivated.emit("b1")
    assert chosen.args == ["b1"]


def test_it_takes_the_theme_s_colors(view: FiguresView, theme: Theme) -> None:
    theme.choose(Appearance.DARK)
    assert DARK.error in view.label.text()
    assert DARK.faint in view.label.text()
    assert DARK.accent in view.label.text()
