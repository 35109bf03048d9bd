import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.inspection.inspection_controller import InspectionController, Job, wrong_stages
from app.diagnostics.process.controller import DiagnosticsController
from app.diagnostics.process.process import DiagnosticsProcess
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun, RunState
from app.diagnostics.runs.run_folders import RunFolders
from engine.model_store.checkpoints import STARTER, model_config
from engine.speech import SpeechRequest
from engine.validator.data.kernel_request import KernelRequest
from engine.validator.data.results import (
    FinishedEvent,
    Reading,
    Regime,
    Report,
    Row,
    RowEvent,
    ValidationRequest,
    Verdict,
)
from tests.app.fake_kernel_service import row_of
from tests.app.inspection_fakes import CODES, FINDING, GRAPH, STAGE
from tests.patience import PATIENCE_MS
from tests.starter_voices import MALE

COMMAND = (sys.executable, "-m", "tests.app.fake_kernel_service")


class Desk:
    """Diagnosing and inspecting with a service that does what a text says."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.process = DiagnosticsProcess(COMMAND)
        self.controller = DiagnosticsController(self.process, RunFolders(folder))
        self.runs: list[DiagnosticsRun] = []
        self.controller.run_started.connect(self.runs.append)
        self.controller.event_received.connect(lambda event: self.runs[-1].take(event))
        self.controller.stopped.connect(lambda: self.runs[-1].stop())
        self.inspections = InspectionController(self.process, self.controller)
        self.told: list[str] = []
        self.found: list[tuple] = []
        self.failures: list[str] = []
        self.changed: list[tuple[DiagnosticsRun, str]] = []
        self.inspections.told.connect(lambda words, fraction: self.told.append(words))
        self.inspections.found.connect(lambda run, findings: self.found.append((run, findings)))
        self.inspections.failed.connect(self.failures.append)
        self.inspections.changed.connect(lambda run, stage: self.changed.append((run, stage)))

    def diagnose(self, text: str) -> DiagnosticsRun:
        self.controller.diagnose(SpeechRequest(text, MALE), DiagnosticsOptions(regimes=(Regime.COMPILED,)))
        self.qtbot.waitUntil(lambda: self.runs[-1].state is RunState.FINISHED)
        return self.runs[-1]

    def wait_until_idle(self) -> None:
        self.qtbot.waitUntil(lambda: not self.inspections.active and not self.controller.active)


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, tmp_path)
    yield desk
    desk.controller.shut_down(PATIENCE_MS)


def test_a_wrong_stage_is_inspected_without_being_asked_for(desk: Desk) -> None:
    run = desk.diagnose("Hello.")
    desk.qtbot.waitUntil(lambda: bool(desk.found))
    assert desk.found == [(run, (FINDING,))]
    known = desk.inspections.known(run).stage(STAGE)
    assert known is not None
    assert known.graph == GRAPH
    assert known.findings == (FINDING,)
    assert set(known.codes) == {code.kernel for code in CODES}
    assert (run, STAGE) in desk.changed


def test_progress_is_told_and_ends_with_no_words(desk: Desk) -> None:
    desk.diagnose("Hello.")
    desk.qtbot.waitUntil(lambda: bool(desk.found))
    desk.wait_until_idle()
    assert desk.told[0] == "Looking into the kernels"
    assert "Loading modules" in desk.told
    assert "Pitch and energy: 3 of 6 kernels measured" in desk.told
    assert desk.told[-1] == ""


def test_nothing_is_inspected_of_a_run_that_is_fine(desk: Desk) -> None:
    desk.diagnose("fine")
    desk.qtbot.wait_for_timers()
    assert not desk.inspections.active
    assert desk.told == []


def test_a_stage_can_be_asked_for(desk: Desk) -> None:
    run = desk.diagnose("fine")
    desk.inspections.inspect(Job(run, ("decoder",)))
    desk.qtbot.waitUntil(lambda: bool(desk.found))
    assert desk.inspections.known(run).stage("decoder") is not None
    assert desk.inspections.known(run).stage(STAGE) is None


def test_what_is_asked_for_waits_until_what_is_wrong_has_been_looked_into(desk: Desk) -> None:
    run = desk.diagnose("Hello.")
    desk.inspections.inspect(Job(run, ("decoder",)))
    desk.inspections.inspect(Job(run, ("bert",)))
    desk.qtbot.waitUntil(lambda: desk.inspections.known(run).stage("bert") is not None)
    desk.wait_until_idle()
    desk.qtbot.waitUntil(lambda: desk.inspections.known(run).stage(STAGE) is not None)


def test_a_stage_that_is_wrong_is_not_inspected_again_for_who_waits_for_it(desk: Desk) -> None:
    def ask(words: str) -> None:
        if not asked and desk.inspections.active:
            asked.append(Job(desk.runs[-1], (STAGE,)))
            desk.inspections.inspect(asked[0])

    asked: list[Job] = []
    desk.inspections.told.connect(ask)
    desk.diagnose("Hello.")
    desk.qtbot.waitUntil(lambda: bool(desk.found))
    desk.wait_until_idle()
    assert asked
    assert len(desk.found) == 1


def test_a_run_that_begins_the_moment_another_ends_is_looked_into_too(desk: Desk) -> None:
    def begin_another(event: object) -> None:
        if isinstance(event, FinishedEvent) and len(desk.runs) == 1:
            desk.controller.diagnose(SpeechRequest("Hello.", MALE), DiagnosticsOptions(regimes=(Regime.COMPILED,)))

    desk.controller.event_received.connect(begin_another)
    desk.diagnose("Hello.")
    desk.qtbot.waitUntil(lambda: any(run is desk.runs[1] for run, _ in desk.found))


def test_a_failure_is_said_and_the_next_works(desk: Desk) -> None:
    run = desk.diagnose("fail")
    desk.qtbot.waitUntil(lambda: bool(desk.failures))
    assert desk.failures == ["The module is stale. Build it again."]
    desk.wait_until_idle()
    assert desk.told[-1] == ""
    assert desk.inspections.known(run).stage(STAGE) is not None


def test_a_process_that_dies_is_said(desk: Desk) -> None:
    run = desk.diagnose("crash")
    desk.qtbot.waitUntil(lambda: bool(desk.failures))
    assert desk.failures[0].startswith("The reference process ended while inspecting kernels. It was ended by signal")
    assert run.state is RunState.FINISHED
    again = desk.diagnose("Hello.")
    desk.qtbot.waitUntil(lambda: (again, (FINDING,)) in desk.found)


def test_a_new_diagnosis_stops_an_inspection(desk: Desk) -> None:
    desk.diagnose("hold")
    desk.qtbot.waitUntil(lambda: bool(desk.changed))
    run = desk.diagnose("Hello.")
    desk.qtbot.waitUntil(lambda: bool(desk.found))
    assert desk.found == [(run, (FINDING,))]
    assert desk.failures == []


@pytest.mark.parametrize("interrupt", [DiagnosticsController.stop, DiagnosticsController.release])
def test_after_an_inspection_that_was_stopped_another_can_be_asked_for(
    desk: Desk, interrupt: Callable[[DiagnosticsController], None]
) -> None:
    run = desk.diagnose("fine")
    desk.diagnose("hold")
    desk.qtbot.waitUntil(lambda: bool(desk.changed))
    interrupt(desk.controller)
    assert desk.told[-1] == ""
    assert not desk.inspections.active
    desk.inspections.inspect(Job(run, ("decoder",)))
    desk.qtbot.waitUntil(lambda: bool(desk.found))
    assert desk.inspections.known(run).stage("decoder") is not None


def test_an_inspection_takes_the_place_of_whatever_else_is_in_progress(desk: Desk) -> None:
    run = desk.diagnose("fine")
    held = replace(run.request, speech=SpeechRequest("hold", MALE), arrays_folder=None)
    with desk.qtbot.waitSignal(desk.process.event_received):
        desk.process.inspect(KernelRequest(held, 0, (STAGE,)))
    desk.inspections.inspect(Job(run, ("decoder",)))
    desk.qtbot.waitUntil(lambda: bool(desk.found))


def test_a_run_is_forgotten_with_what_is_known_of_it(desk: Desk) -> None:
    run = DiagnosticsRun(ValidationRequest(SpeechRequest("Hello.", MALE)), model_config(STARTER))
    desk.inspections.known(run)
    assert len(desk.inspections._known) == 1
    del run
    assert len(desk.inspections._known) == 0


def run_of(*rows: Row) -> DiagnosticsRun:
    run = DiagnosticsRun(ValidationRequest(SpeechRequest("Hello.", MALE)), model_config(STARTER))
    for row in rows:
        run.take(RowEvent(row))
    run.take(FinishedEvent(Report(run.request, (), (), (), {})))
    return run


def test_wrong_stages_are_those_of_the_compiled_model_that_are_themselves_wrong() -> None:
    from dataclasses import replace

    inherited = row_of("decoder", Verdict.INHERITED)
    own_fed = replace(row_of("source", Verdict.FAIL), reading=Reading.OWN_FED)
    upstream = row_of("bert", Verdict.FAIL, Regime.UPSTREAM)
    host = row_of("alignment", Verdict.FAIL)
    wrong = [row_of("text_encoder", Verdict.FAIL), row_of("duration", Verdict.FAIL)]
    later = replace(row_of("istft", Verdict.FAIL), utterance=2)
    run = run_of(inherited, own_fed, upstream, host, *wrong, later)
    assert wrong_stages(run) == Job(run, ("duration", "text_encoder"), 0)
    assert wrong_stages(run_of(inherited, own_fed, upstream, host)) is None
    alone = run_of(later)
    assert wrong_stages(alone) == Job(alone, ("istft",), 2)
