import os
import signal
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.reference_process import ReferenceProcess, Serve
from app.diagnostics.run_queue import KEPT_RUNS, MAX_ARRAY_BYTES, WAITING_WORDS, InspectionJob, RunQueue, wrong_stages
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun, RunState, Shown
from app.diagnostics.runs.run_folders import RunFolders
from app.diagnostics.runs.run_text import describe_state, under_way
from engine.errors import UnknownModel
from engine.models.checkpoints import STARTER, model_config
from engine.speech import PreparationEvent, SpeechRequest
from engine.stages import STAGES, Stage
from engine.validator.data.results import (
    FinishedEvent,
    InputSource,
    Regime,
    Report,
    Row,
    RowEvent,
    ValidationRequest,
    Verdict,
)
from engine.validator.inspection.results import KernelsEvent
from tests.app import fake_kernel_service, fake_service
from tests.app.fake_kernel_service import row_of as row_of_stage
from tests.app.fake_service import FRAMES_PER_TOKEN, row_of
from tests.app.inspection_fakes import CODES, FINDING, GRAPH, STAGE
from tests.patience import PATIENCE_MS
from tests.processes import exists
from tests.starter_voices import MALE

STALLED_SECONDS = 1.0
OPTIONS = DiagnosticsOptions(regimes=(Regime.COMPILED,), padding=0.5, probes=True)


class Desk:
    """A queue with a service that is controlled by its text."""

    def __init__(self, qtbot: QtBot, folder: Path, function: Serve = fake_service.serve) -> None:
        self.qtbot, self.folder = qtbot, folder
        self.process = ReferenceProcess(function, stalled_after_seconds=STALLED_SECONDS)
        self.queue = RunQueue(self.process, RunFolders(folder))
        self.runs: list[DiagnosticsRun] = []
        self.queue.run_started.connect(self.runs.append)

    def diagnose(self, text: str) -> DiagnosticsRun:
        self.queue.diagnose(SpeechRequest(text, "af_heart", 1.5, 7), OPTIONS)
        return self.runs[-1]

    def wait_for(self, run: DiagnosticsRun, state: RunState) -> None:
        self.qtbot.waitUntil(lambda: run.state is state)

    def wait_until_frozen(self, run: DiagnosticsRun, row_count: int) -> None:
        """Wait for the rows too: on a busy machine the process may seem stuck while it starts, before its first row."""
        self.qtbot.waitUntil(lambda: run.row_count == row_count and run.stalled_seconds > 0)

    def array_folders(self) -> list[Path]:
        return sorted(self.folder.glob("*/run-*"))


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, tmp_path)
    yield desk
    desk.queue.shut_down(PATIENCE_MS)
    assert not list(tmp_path.iterdir())


def test_speech_and_options_become_a_request(desk: Desk) -> None:
    run = desk.diagnose("rows 1")
    folder = run.request.arrays_folder
    speech = SpeechRequest("rows 1", "af_heart", 1.5, 7)
    assert run.request == ValidationRequest(
        speech,
        STARTER,
        regimes=(Regime.COMPILED,),
        padding=0.5,
        probes=True,
        arrays_folder=folder,
        most_array_bytes=MAX_ARRAY_BYTES,
    )
    assert desk.array_folders() == [Path(str(folder))]
    assert run.config == model_config(STARTER)


def test_an_unknown_model_is_reported_and_nothing_begins(desk: Desk, qtbot: QtBot) -> None:
    with qtbot.waitSignal(desk.queue.failed) as failed:
        desk.queue.diagnose(SpeechRequest("rows 1", "af_heart"), OPTIONS, "abacus")
    assert isinstance(failed.args[0], UnknownModel)
    assert not desk.runs
    assert not desk.array_folders()


def test_rows_arrive_one_by_one_and_the_report_has_them_all(desk: Desk) -> None:
    run = desk.diagnose("rows 16")
    assert desk.queue.active
    counts: list[int] = []
    desk.queue.changed.connect(lambda event: counts.append(run.row_count))
    desk.wait_for(run, RunState.FINISHED)
    assert sorted(set(counts)) == list(range(17))
    assert run.report.rows == tuple(row_of(number) for number in range(16))
    assert run.alignment(0) == FRAMES_PER_TOKEN
    assert not desk.queue.active


def test_stopping_keeps_the_findings(desk: Desk) -> None:
    run = desk.diagnose("hold")
    desk.qtbot.waitUntil(lambda: run.row_count == 1)
    desk.queue.stop()
    assert run.state is RunState.STOPPED
    desk.queue.stop()
    assert run.row_count == 1


def test_a_new_diagnosis_stops_the_old_one(desk: Desk) -> None:
    old = desk.diagnose("hold")
    desk.qtbot.waitUntil(lambda: old.row_count == 1)
    new = desk.diagnose("rows 6")
    desk.wait_for(new, RunState.FINISHED)
    assert old.state is RunState.STOPPED
    assert old.row_count == 1
    assert new.row_count == 6


@pytest.mark.parametrize("stage", [STAGES[0], STAGES[3], STAGES[-1]], ids=lambda stage: stage.name)
def test_a_process_killed_at_any_row_is_reported_there_and_can_restart(desk: Desk, stage: Stage) -> None:
    rows = 2 * STAGES.index(stage) + 1
    run = desk.diagnose(f"crash {rows}")
    desk.wait_for(run, RunState.CRASHED)
    assert f"while computing the {stage.title.lower()}. It was terminated by signal 9" in run.message
    shown = Shown("compiled", InputSource.END_TO_END, 0)
    verdicts = [run.stage_summary(shown, each.name).verdict for each in STAGES]  # type: ignore[union-attr]
    done = STAGES.index(stage)
    assert verdicts == [Verdict.PASS] * done + [Verdict.CRASHED] * (len(STAGES) - done)
    desk.wait_for(desk.diagnose("rows 2"), RunState.FINISHED)


def test_a_hanging_process_is_reported_and_can_be_ended_and_restarted(desk: Desk) -> None:
    stage = STAGES[3]
    row_count = 2 * STAGES.index(stage) + 1
    run = desk.diagnose(f"freeze {row_count}")
    desk.wait_until_frozen(run, row_count)
    assert run.active
    assert f"s while computing the {stage.title.lower()}." in describe_state(run)
    frozen = desk.process.process_id
    assert frozen is not None
    desk.queue.start_again()
    assert run.state is RunState.CRASHED
    assert f"wasn’t responding while computing the {stage.title.lower()}" in run.message
    again = desk.runs[-1]
    assert again is not run
    assert replace(again.request, arrays_folder=None) == replace(run.request, arrays_folder=None)
    desk.qtbot.waitUntil(lambda: not exists(frozen))


def test_a_stalled_process_that_continues_after_all_is_left_alone(desk: Desk) -> None:
    run = desk.diagnose("freeze 3")
    desk.wait_until_frozen(run, 3)
    assert desk.process.process_id is not None
    os.kill(desk.process.process_id, signal.SIGCONT)
    desk.wait_for(run, RunState.FINISHED)
    assert not run.stalled_seconds
    assert len(desk.runs) == 1


@pytest.mark.parametrize("begun", [False, True])
def test_the_playback_position_in_the_text_is_passed_on(desk: Desk, begun: bool) -> None:
    run = desk.diagnose("listen 1")
    if begun:
        desk.qtbot.waitUntil(lambda: bool(run.utterances))
    desk.queue.hear(3)
    desk.wait_for(run, RunState.FINISHED)
    assert run.last_row.utterance == 3


def test_a_crash_before_the_first_row(desk: Desk) -> None:
    run = desk.diagnose("leave")
    desk.wait_for(run, RunState.CRASHED)
    assert "while starting up. It ended with exit code 1. There is no memory left." in run.message


def test_a_crash_between_two_diagnoses_is_nobodys_business(desk: Desk) -> None:
    run = desk.diagnose("rows 1")
    desk.wait_for(run, RunState.FINISHED)
    assert desk.process.process_id is not None
    os.kill(desk.process.process_id, signal.SIGKILL)
    desk.qtbot.waitUntil(lambda: desk.process.process_id is None)
    assert run.state is RunState.FINISHED
    desk.wait_for(desk.diagnose("rows 1"), RunState.FINISHED)


def test_a_crash_while_a_diagnosis_waits_is_not_its_own(desk: Desk) -> None:
    old = desk.diagnose("hold")
    desk.qtbot.waitUntil(lambda: old.row_count > 0)
    desk.queue.hold_back(True)
    run = desk.diagnose("rows 3")
    assert desk.process.process_id is not None
    os.kill(desk.process.process_id, signal.SIGKILL)
    desk.qtbot.waitUntil(lambda: desk.process.process_id is None)
    assert run.active
    desk.queue.hold_back(False)
    desk.wait_for(run, RunState.FINISHED)


def test_arrays_of_old_runs_are_deleted(desk: Desk) -> None:
    runs = [desk.diagnose(f"rows {number}") for number in range(1, KEPT_RUNS + 3)]
    desk.wait_for(runs[-1], RunState.FINISHED)
    kept = [Path(str(run.request.arrays_folder)) for run in runs[-KEPT_RUNS:]]
    desk.qtbot.waitUntil(lambda: desk.array_folders() == sorted(kept))
    assert (kept[-1] / "arrays").is_file()


def test_a_diagnosis_waits_until_it_may_begin(desk: Desk) -> None:
    desk.queue.hold_back(True)
    run = desk.diagnose("rows 3")
    desk.qtbot.wait_for_timers()
    assert desk.process.process_id is None
    assert run.preparation == PreparationEvent(WAITING_WORDS, 0, 1)
    desk.queue.hold_back(False)
    desk.wait_for(run, RunState.FINISHED)
    assert run.row_count == 3


def test_a_run_stopped_while_it_waits_does_not_begin(desk: Desk) -> None:
    desk.queue.hold_back(True)
    run = desk.diagnose("rows 3")
    desk.queue.stop()
    desk.queue.hold_back(False)
    assert run.state is RunState.STOPPED
    assert desk.process.process_id is None


def test_release_ends_the_process_and_the_run(desk: Desk) -> None:
    run = desk.diagnose("hold")
    desk.queue.release()
    assert run.state is RunState.STOPPED
    assert desk.process.process_id is None
    desk.wait_for(desk.diagnose("rows 1"), RunState.FINISHED)


@pytest.mark.parametrize(
    ("row_count", "words"),
    [
        (0, "starting up"),
        (1, "computing the text features"),
        (2, "computing the durations"),
        (2 * len(STAGES), "computing the text features"),  # of the next utterance
    ],
)
def test_the_current_step_follows_from_the_rows(row_count: int, words: str) -> None:
    request = ValidationRequest(SpeechRequest("a", "b"), regimes=(Regime.COMPILED,))
    run = DiagnosticsRun(request, model_config(STARTER))
    for number in range(row_count):
        run.handle_event(RowEvent(row_of(number)))
    assert under_way(run) == words


class KernelDesk(Desk):
    """A queue with a service whose kernels can be inspected, and its messages about them."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        super().__init__(qtbot, folder, fake_kernel_service.serve)
        self.message_sent: list[str] = []
        self.found: list[DiagnosticsRun] = []
        self.failures: list[str] = []
        self.inspected: list[tuple[DiagnosticsRun, str]] = []
        self.queue.message_sent.connect(lambda words, fraction: self.message_sent.append(words))
        self.queue.changed.connect(self.note)
        self.queue.not_inspected.connect(self.failures.append)
        self.queue.inspected.connect(lambda run, stage: self.inspected.append((run, stage)))

    def note(self, event: object) -> None:
        if isinstance(event, KernelsEvent):
            self.found.append(self.inspected[-1][0])

    def diagnose(self, text: str) -> DiagnosticsRun:
        self.queue.diagnose(SpeechRequest(text, MALE), DiagnosticsOptions(regimes=(Regime.COMPILED,)))
        self.qtbot.waitUntil(lambda: self.runs[-1].state is RunState.FINISHED)
        return self.runs[-1]

    def wait_until_idle(self) -> None:
        self.qtbot.waitUntil(lambda: not self.queue.inspecting and not self.queue.active)


@pytest.fixture
def kernels(qtbot: QtBot, tmp_path: Path) -> Iterator[KernelDesk]:
    desk = KernelDesk(qtbot, tmp_path)
    yield desk
    desk.queue.shut_down(PATIENCE_MS)


def test_a_wrong_stage_is_inspected_without_being_asked_for(kernels: KernelDesk) -> None:
    run = kernels.diagnose("Hello.")
    kernels.qtbot.waitUntil(lambda: bool(kernels.found))
    assert kernels.found == [run]
    known = kernels.queue.known(run).stage(STAGE)
    assert known.graph == GRAPH
    assert known.findings == (FINDING,)
    assert set(known.codes) == {code.kernel for code in CODES}
    assert (run, STAGE) in kernels.inspected


def test_progress_is_reported_and_ends_with_no_words(kernels: KernelDesk) -> None:
    kernels.diagnose("Hello.")
    kernels.qtbot.waitUntil(lambda: bool(kernels.found))
    kernels.wait_until_idle()
    assert kernels.message_sent[0] == "Inspecting kernels"
    assert "Loading modules" in kernels.message_sent
    assert "Pitch and energy: 3 of 6 kernels measured" in kernels.message_sent
    assert kernels.message_sent[-1] == ""


def test_nothing_is_inspected_of_a_run_that_is_fine(kernels: KernelDesk) -> None:
    kernels.diagnose("fine")
    kernels.qtbot.wait_for_timers()
    assert not kernels.queue.inspecting
    assert kernels.message_sent == []


def test_a_stage_can_be_asked_for(kernels: KernelDesk) -> None:
    run = kernels.diagnose("fine")
    kernels.queue.inspect(InspectionJob(run, ("decoder",)))
    kernels.qtbot.waitUntil(lambda: bool(kernels.found))
    assert kernels.queue.known(run).stage("decoder") is not None
    assert kernels.queue.known(run).stage(STAGE) is None


def test_a_requested_inspection_waits_until_wrong_stages_are_inspected(kernels: KernelDesk) -> None:
    run = kernels.diagnose("Hello.")
    kernels.queue.inspect(InspectionJob(run, ("decoder",)))
    kernels.queue.inspect(InspectionJob(run, ("bert",)))
    kernels.qtbot.waitUntil(lambda: kernels.queue.known(run).stage("bert") is not None)
    kernels.wait_until_idle()
    kernels.qtbot.waitUntil(lambda: kernels.queue.known(run).stage(STAGE) is not None)


def test_a_wrong_stage_is_not_inspected_again_for_a_waiting_request(kernels: KernelDesk) -> None:
    def ask(words: str) -> None:
        if not asked and kernels.queue.inspecting:
            asked.append(InspectionJob(kernels.runs[-1], (STAGE,)))
            kernels.queue.inspect(asked[0])

    asked: list[InspectionJob] = []
    kernels.queue.message_sent.connect(ask)
    kernels.diagnose("Hello.")
    kernels.qtbot.waitUntil(lambda: bool(kernels.found))
    kernels.wait_until_idle()
    assert asked
    assert len(kernels.found) == 1


def test_a_run_that_begins_as_the_previous_ends_is_inspected_too(kernels: KernelDesk) -> None:
    def begin_another(event: object) -> None:
        if isinstance(event, FinishedEvent) and len(kernels.runs) == 1:
            kernels.queue.diagnose(SpeechRequest("Hello.", MALE), DiagnosticsOptions(regimes=(Regime.COMPILED,)))

    kernels.queue.changed.connect(begin_another)
    kernels.diagnose("Hello.")
    kernels.qtbot.waitUntil(lambda: kernels.runs[1] in kernels.found)


def test_a_failure_is_reported_and_the_next_inspection_works(kernels: KernelDesk) -> None:
    run = kernels.diagnose("fail")
    kernels.qtbot.waitUntil(lambda: bool(kernels.failures))
    assert kernels.failures == ["The module is stale. Build it again."]
    kernels.wait_until_idle()
    assert kernels.message_sent[-1] == ""
    assert kernels.queue.known(run).stage(STAGE) is not None


def test_a_process_that_dies_is_reported(kernels: KernelDesk) -> None:
    run = kernels.diagnose("crash")
    kernels.qtbot.waitUntil(lambda: bool(kernels.failures))
    assert kernels.failures[0].startswith(
        "The reference process ended while inspecting kernels. It was terminated by signal"
    )
    assert run.state is RunState.FINISHED
    again = kernels.diagnose("Hello.")
    kernels.qtbot.waitUntil(lambda: again in kernels.found)


def test_a_new_diagnosis_stops_an_inspection(kernels: KernelDesk) -> None:
    kernels.diagnose("hold")
    kernels.qtbot.waitUntil(lambda: bool(kernels.inspected))
    run = kernels.diagnose("Hello.")
    kernels.qtbot.waitUntil(lambda: bool(kernels.found))
    assert kernels.found == [run]
    assert kernels.failures == []


@pytest.mark.parametrize("interrupt", [RunQueue.stop, RunQueue.release])
def test_a_new_inspection_can_be_requested_after_one_was_stopped(
    kernels: KernelDesk, interrupt: Callable[[RunQueue], None]
) -> None:
    run = kernels.diagnose("fine")
    kernels.diagnose("hold")
    kernels.qtbot.waitUntil(lambda: bool(kernels.inspected))
    interrupt(kernels.queue)
    assert kernels.message_sent[-1] == ""
    assert not kernels.queue.inspecting
    kernels.queue.inspect(InspectionJob(run, ("decoder",)))
    kernels.qtbot.waitUntil(lambda: bool(kernels.found))
    assert kernels.queue.known(run).stage("decoder") is not None


def test_a_run_is_forgotten_together_with_its_inspection(kernels: KernelDesk) -> None:
    run = DiagnosticsRun(ValidationRequest(SpeechRequest("Hello.", MALE)), model_config(STARTER))
    known = weakref.ref(kernels.queue.known(run))
    assert kernels.queue.known(run) is known()
    del run
    assert known() is None


def run_of(*rows: Row) -> DiagnosticsRun:
    run = DiagnosticsRun(ValidationRequest(SpeechRequest("Hello.", MALE)), model_config(STARTER))
    for row in rows:
        run.handle_event(RowEvent(row))
    run.handle_event(FinishedEvent(Report(run.request, (), (), (), {})))
    return run


def test_wrong_stages_are_those_of_the_compiled_model_that_are_themselves_wrong() -> None:
    inherited = row_of_stage("decoder", Verdict.INHERITED)
    own_fed = replace(row_of_stage("source", Verdict.FAIL), reading=InputSource.END_TO_END)
    upstream = row_of_stage("bert", Verdict.FAIL, Regime.UPSTREAM)
    host = row_of_stage("alignment", Verdict.FAIL)
    wrong = [row_of_stage("text_encoder", Verdict.FAIL), row_of_stage("duration", Verdict.FAIL)]
    later = replace(row_of_stage("istft", Verdict.FAIL), utterance=2)
    run = run_of(inherited, own_fed, upstream, host, *wrong, later)
    assert wrong_stages(run) == InspectionJob(run, ("duration", "text_encoder"), 0)
    assert wrong_stages(run_of(inherited, own_fed, upstream, host)) is None
    alone = run_of(later)
    assert wrong_stages(alone) == InspectionJob(alone, ("istft",), 2)
