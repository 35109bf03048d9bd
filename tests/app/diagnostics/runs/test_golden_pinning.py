from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.golden_pinning import NOT_GOLDEN, NOT_YET, GoldenPinning
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from engine.validator.data.circumstances import Build, Circumstances, Subject
from engine.validator.data.results import FinishedEvent, Regime, Report, Row, Verdict
from engine.validator.data.wire import Wire
from engine.validator.runs.golden import GoldenRuns
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, finished_run, request

SUBJECT = Subject("starter", "0f", "Say it.", "am_rowan", 1.0, 0, "dynamic", 1.0, "cpu", "tir", "float32")
NOW = Circumstances(SUBJECT, Build("abc", "0.27", "x86-64-v3"))


def run_of(error_times: float = 1.0, now: Circumstances | None = NOW) -> DiagnosticsRun:
    """A finished run whose compiled decoder is so many times as far off."""
    rows = [replace(row, times_floor=None, times_golden=None) for row in finished_run().rows]
    rows = [_further_off(row, error_times) for row in rows]
    run = DiagnosticsRun(request(), CONFIG)
    report = Report(run.request, UTTERANCES, tuple(rows), (), {}, circumstances=now)
    run.take(FinishedEvent(report))
    return run


def _further_off(row: Row, times: float) -> Row:
    if row.stage != "decoder" or row.regime != Regime.COMPILED or row.metrics is None:
        return row
    return replace(row, metrics=replace(row.metrics, relative_l2=(row.metrics.relative_l2 or 0) * times))


@pytest.fixture
def runs(tmp_path: Path) -> GoldenRuns:
    (tmp_path / "shipped").mkdir()
    return GoldenRuns(tmp_path / "data" / "golden", tmp_path / "shipped")


@pytest.fixture
def panel(qtbot: QtBot) -> DiagnosticsPanel:
    made = DiagnosticsPanel()
    qtbot.addWidget(made)
    return made


def verdicts(run: DiagnosticsRun) -> dict[str, Verdict]:
    rows = {stage: run.stage_summary(Shown(Regime.COMPILED), stage) for stage in ("bert", "f0n", "decoder")}
    return {stage: row.verdict for stage, row in rows.items() if row is not None}


def test_a_pinned_run_is_what_all_runs_of_the_same_are_held_against(
    qtbot: QtBot, panel: DiagnosticsPanel, runs: GoldenRuns
) -> None:
    pinning = GoldenPinning(panel, runs)
    worse, other, good = run_of(30.0), run_of(30.0, replace(NOW, subject=replace(SUBJECT, text="No."))), run_of()
    for run in (worse, other, good):
        panel.show_run(run)
    with qtbot.waitSignal(pinning.told):
        pinning.pin.trigger()
    assert runs.is_pinned(SUBJECT)
    assert verdicts(worse) == {"bert": Verdict.PASS, "f0n": Verdict.PASS, "decoder": Verdict.WORSE}
    assert set(verdicts(good).values()) == set(verdicts(other).values()) == {Verdict.PASS}
    row = worse.stage_summary(Shown(Regime.COMPILED), "decoder")
    assert row is not None
    assert row.times_golden == pytest.approx(30)
    assert worse.report is not None
    assert worse.report.golden.startswith("The golden run is of the same build")
    assert worse.report.rows == worse.rows
    panel.look_at(worse)
    assert panel.model.entries[0].golden == worse.report.golden
    panel.look_at(good)
    with qtbot.waitSignal(pinning.told):
        pinning.unpin.trigger()
    assert not runs.is_pinned(SUBJECT)
    assert set(verdicts(worse).values()) == {Verdict.PASS}
    assert not pinning.unpin.isEnabled()


def test_it_is_kept_across_restarts(panel: DiagnosticsPanel, tmp_path: Path, runs: GoldenRuns) -> None:
    pinning = GoldenPinning(panel, runs)
    panel.show_run(run_of())
    pinning.pin.trigger()
    again = GoldenRuns(tmp_path / "data" / "golden", tmp_path / "shipped")
    found = again.of(SUBJECT)
    assert found is not None
    assert {error.regime for error in found.errors} == {Regime.COMPILED}
    later = GoldenPinning(panel, again)
    panel.refresh()
    assert later.unpin.isEnabled()


def test_only_a_good_and_finished_run_can_be_golden(panel: DiagnosticsPanel, runs: GoldenRuns) -> None:
    pinning = GoldenPinning(panel, runs)
    assert not pinning.pin.isEnabled()
    panel.show_run(DiagnosticsRun(request(), CONFIG))
    assert (pinning.pin.isEnabled(), pinning.pin.toolTip()) == (False, NOT_YET)
    panel.show_run(run_of(now=None))
    assert (pinning.pin.isEnabled(), pinning.pin.toolTip()) == (False, NOT_YET)
    failed = run_of()
    assert failed.report is not None
    rows = tuple(replace(row, verdict=Verdict.FAIL) if row.decides else row for row in failed.report.rows)
    failed.report = replace(failed.report, rows=rows)
    panel.show_run(failed)
    assert (pinning.pin.isEnabled(), pinning.pin.toolTip()) == (False, NOT_GOLDEN)
    panel.show_run(run_of())
    assert pinning.pin.isEnabled()
    assert not pinning.unpin.isEnabled()


def test_a_folder_that_cannot_be_written_is_told(
    qtbot: QtBot, panel: DiagnosticsPanel, tmp_path: Path, runs: GoldenRuns
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "golden").write_text("no folder")
    pinning = GoldenPinning(panel, runs)
    panel.show_run(run_of())
    with qtbot.waitSignal(pinning.failed):
        pinning.pin.trigger()


def test_ratios_and_circumstances_survive_the_wire(panel: DiagnosticsPanel, runs: GoldenRuns) -> None:
    run = run_of()
    panel.show_run(run)
    pinning = GoldenPinning(panel, runs)
    pinning.pin.trigger()
    assert run.report is not None
    assert all(row.times_golden == 1 for row in run.report.rows if row.decides and row.metrics is not None)
    assert Wire().report_from_dict(Wire().report_to_dict(run.report)) == run.report
