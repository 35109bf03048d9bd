from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_status import RunChip, RunStatus
from engine.speech import PreparationEvent
from engine.stages import STAGES
from engine.validator.data.results import Regime, RowEvent, Verdict
from tests.app.diagnostics_fakes import CONFIG, events, finished_run, request, row


@pytest.fixture
def status(qtbot: QtBot) -> RunStatus:
    status = RunStatus()
    qtbot.addWidget(status)
    status.resize(800, 24)
    status.show()
    return status


def test_the_pointer_leads_to_the_first_divergence(status: RunStatus, qtbot: QtBot) -> None:
    status.show_run(finished_run((Regime.STATIC_NO_PACK,)), Regime.STATIC_NO_PACK)
    assert status.pointer.accessibleName() == "✗ First divergence, as expected: Text features"
    assert status.details.text() == "LSTM packing matters"
    with qtbot.waitSignal(status.stage_requested) as wanted:
        status.pointer.click()
    assert wanted.args == ["bert"]


def test_the_verdict_is_there_in_full_where_a_window_is_wide(status: RunStatus) -> None:
    status.resize(1400, 50)
    status.show_run(finished_run(), Regime.COMPILED)
    for part in (status.pointer, status.label):
        assert "…" not in part.text()
    assert status.pointer.property("tone") == "good"
    assert not status.pointer.isEnabled()


def test_progress_has_no_total_while_loading(status: RunStatus) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    said = events(run.request)
    assert not status.progress.isVisible()
    status.show_run(run, Regime.COMPILED)
    assert (status.progress.minimum(), status.progress.maximum()) == (0, 0)
    run.handle_event(PreparationEvent("Compiling", 3, 4))
    status.show_run(run, Regime.COMPILED)
    assert status.progress.value() / status.progress.maximum() == pytest.approx(0.75)
    for event in said:
        run.handle_event(event)
        if isinstance(event, RowEvent) and (event.row.utterance, event.row.stage) == (2, "text_encoder"):
            break
    status.show_run(run, Regime.COMPILED)
    assert status.progress.value() / status.progress.maximum() == pytest.approx((2 + 4 / 8) / 3, abs=0.001)
    for event in said:
        run.handle_event(event)
    status.show_run(run, Regime.COMPILED)
    assert not status.progress.isVisible()


def test_a_crash_is_an_error(status: RunStatus) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    run.crash("The reference process has ended.")
    status.show_run(run, Regime.COMPILED)
    assert status.label.property("tone") == "error"
    status.show_run(finished_run(), Regime.COMPILED)
    assert status.label.property("tone") == ""


def test_a_regime_that_was_not_run_says_so(status: RunStatus) -> None:
    run = finished_run()
    status.show_run(run, Regime.STATIC_PACKED)
    assert "Click Diagnose" in status.label.accessibleDescription()
    status.show_run(run, Regime.DYNAMIC)
    assert "is the reference" in status.label.accessibleDescription()


@pytest.fixture
def chip(qtbot: QtBot) -> RunChip:
    chip = RunChip()
    qtbot.addWidget(chip)
    return chip


def tell(chip: RunChip, run: DiagnosticsRun, regime: Regime = Regime.COMPILED) -> None:
    chip.show_run(run)
    chip.refresh(regime)


def test_it_is_not_there_while_there_is_nothing_to_tell(chip: RunChip) -> None:
    chip.refresh(Regime.COMPILED)
    assert chip.isHidden()
    tell(chip, finished_run())
    assert not chip.isHidden()
    chip.show_run(None)
    assert chip.isHidden()
    chip.refresh(Regime.COMPILED)
    assert chip.isHidden()


def test_it_tells_in_words_and_color(chip: RunChip) -> None:
    tell(chip, finished_run())
    assert chip.accessibleName() == "✓ Compiled: no stage diverges"
    assert chip.property("tone") == "good"
    tell(chip, finished_run((Regime.STATIC_NO_PACK,)), Regime.STATIC_NO_PACK)
    assert chip.accessibleName() == "✗ First divergence, as expected: Text features"
    assert chip.property("tone") == "note"
    run = DiagnosticsRun(request(), CONFIG)
    run.handle_event(RowEvent(replace(row(STAGES[0], "text_features", Regime.COMPILED), verdict=Verdict.FAIL)))
    tell(chip, run)
    assert chip.accessibleName() == "✗ First divergence: Text features"
    assert chip.property("tone") == "error"
    tell(chip, DiagnosticsRun(request(), CONFIG))
    assert chip.accessibleName() == "Comparing 0 of 8"


def test_a_regime_outside_the_run_gives_way_to_one_inside_it(chip: RunChip) -> None:
    tell(chip, finished_run(), Regime.STATIC_NO_PACK)
    assert "no stage diverges" in chip.accessibleName()
