import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.process.controller import KEPT_RUNS, MOST_ARRAY_BYTES, WAITING_WORDS, DiagnosticsController
from app.diagnostics.process.process import KILLED_WHY, DiagnosticsProcess
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun, RunState, Shown
from app.diagnostics.runs.run_folders import RunFolders
from app.diagnostics.runs.run_words import state_words, under_way
from engine.errors import OutputError, UnknownModel
from engine.model_store.checkpoints import FULL_SIZE, STARTER, model_config
from engine.speech import PreparationEvent, SpeechRequest
from engine.stages import STAGES, Stage
from engine.validator.data.results import Reading, Regime, RowEvent, ValidationRequest, Verdict
from tests.app.fake_service import FRAMES_PER_TOKEN, row_of
from tests.patience import PATIENCE_MS
from tests.processes import exists

COMMAND = (sys.executable, "-m", "tests.app.fake_service")
STALLED_SECONDS = 1.0
OPTIONS = DiagnosticsOptions(regimes=(Regime.COMPILED,), padding=0.5, probes=True)


class Desk:
    """A controller with a service that does what a text says."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot, self.folder = qtbot, folder
        self.process = DiagnosticsProcess(COMMAND, stalled_after_seconds=STALLED_SECONDS)
        self.controller = DiagnosticsController(self.process, RunFolders(folder))
        self.runs: list[DiagnosticsRun] = []
        self.stops: list[DiagnosticsRun] = []
        self.controller.run_started.connect(self.runs.append)
        self.controller.event_received.connect(lambda event: self.runs[-1].take(event))
        self.controller.crashed.connect(lambda words: self.runs[-1].crash(words))
        self.controller.stopped.connect(self.stop)
        self.controller.stalled.connect(lambda seconds: self.runs[-1].stall(seconds))
        self.controller.went_on.connect(lambda: self.runs[-1].stall(0))

    def stop(self) -> None:
        self.stops.append(self.runs[-1])
        self.runs[-1].stop()

    def diagnose(self, text: str) -> DiagnosticsRun:
        self.controller.diagnose(SpeechRequest(text, "af_heart", 1.5, 7), OPTIONS)
        return self.runs[-1]

    def wait_for(self, run: DiagnosticsRun, state: RunState) -> None:
        self.qtbot.waitUntil(lambda: run.state is state)

    def wait_until_frozen(self, run: DiagnosticsRun, row_count: int) -> None:
        """On a busy machine, the process may seem to be stuck while it starts, before it has sent any row."""
        self.qtbot.waitUntil(lambda: run.row_count == row_count and run.stalled_seconds > 0)

    def array_folders(self) -> list[Path]:
        return sorted(self.folder.glob("*/run-*"))


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, tmp_path)
    yield desk
    desk.controller.shut_down(PATIENCE_MS)
    assert not list(tmp_path.iterdir())


def test_a_speech_and_the_options_become_a_request(desk: Desk) -> None:
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
        most_array_bytes=MOST_ARRAY_BYTES,
    )
    assert desk.array_folders() == [Path(str(folder))]
    assert run.config == model_config(STARTER)


def test_the_model_in_use_is_the_one_that_is_diagnosed(desk: Desk) -> None:
    desk.controller.diagnose(SpeechRequest("rows 1", "af_heart"), OPTIONS, FULL_SIZE)
    assert desk.runs[-1].request.model == FULL_SIZE
    assert desk.runs[-1].config == model_config(FULL_SIZE)


def test_an_unknown_model_is_said_and_nothing_is_begun(desk: Desk, qtbot: QtBot) -> None:
    with qtbot.waitSignal(desk.controller.failed) as failed:
        desk.controller.diagnose(SpeechRequest("rows 1", "af_heart"), OPTIONS, "abacus")
    assert isinstance(failed.args[0], UnknownModel)
    assert not desk.runs
    assert not desk.array_folders()


def test_rows_arrive_one_by_one_and_the_report_has_them_all(desk: Desk) -> None:
    run = desk.diagnose("rows 16")
    assert desk.controller.active
    counts: list[int] = []
    desk.controller.event_received.connect(lambda event: counts.append(run.row_count))
    desk.wait_for(run, RunState.FINISHED)
    assert sorted(set(counts)) == list(range(17))
    assert run.report is not None
    assert run.report.rows == tuple(row_of(number) for number in range(16))
    assert run.alignment(0) == FRAMES_PER_TOKEN
    assert not desk.controller.active


def test_a_failure_is_in_the_run(desk: Desk) -> None:
    run = desk.diagnose("fail")
    desk.wait_for(run, RunState.FAILED)
    assert (run.message, run.hint) == ("No voice.", "Choose another.")


def test_stopping_keeps_what_was_found(desk: Desk) -> None:
    run = desk.diagnose("hold")
    desk.qtbot.waitUntil(lambda: run.row_count == 1)
    desk.controller.stop()
    assert run.state is RunState.STOPPED
    desk.controller.stop()
    assert desk.stops == [run]
    assert run.row_count == 1


def test_a_new_diagnosis_stops_the_old_one(desk: Desk) -> None:
    old = desk.diagnose("hold")
    desk.qtbot.waitUntil(lambda: old.row_count == 1)
    new = desk.diagnose("rows 6")
    desk.wait_for(new, RunState.FINISHED)
    assert old.state is RunState.STOPPED
    assert old.row_count == 1
    assert new.row_count == 6


def test_a_crash_says_where_and_what_to_do_and_the_next_diagnosis_works(desk: Desk) -> None:
    run = desk.diagnose("crash 4")
    desk.wait_for(run, RunState.CRASHED)
    first, second = STAGES[1].title.lower(), desk.process
    assert run.message == (
        f"The reference process ended while computing the {first}. "
        f"It was ended by signal {signal.SIGKILL.value}{KILLED_WHY}. Click Diagnose to try again."
    )
    assert second.process_id is None
    desk.wait_for(desk.diagnose("rows 2"), RunState.FINISHED)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_process_killed_at_any_row_is_told_in_that_row_and_can_be_started_again(desk: Desk, stage: Stage) -> None:
    rows = 2 * STAGES.index(stage) + 1
    run = desk.diagnose(f"crash {rows}")
    desk.wait_for(run, RunState.CRASHED)
    assert f"while computing the {stage.title.lower()}. It was ended by signal 9" in run.message
    shown = Shown("compiled", Reading.OWN_FED, 0)
    verdicts = [run.stage_summary(shown, each.name).verdict for each in STAGES]  # type: ignore[union-attr]
    done = STAGES.index(stage)
    assert verdicts == [Verdict.PASS] * done + [Verdict.CRASHED] * (len(STAGES) - done)
    desk.wait_for(desk.diagnose("rows 2"), RunState.FINISHED)


@pytest.mark.parametrize("stage", [STAGES[0], STAGES[3], STAGES[-1]], ids=lambda stage: stage.name)
def test_a_process_that_hangs_is_told_and_can_be_ended_and_started_again(desk: Desk, stage: Stage) -> None:
    row_count = 2 * STAGES.index(stage) + 1
    run = desk.diagnose(f"freeze {row_count}")
    desk.wait_until_frozen(run, row_count)
    assert run.active
    assert f"s while computing the {stage.title.lower()}." in state_words(run)
    frozen = desk.process.process_id
    assert frozen is not None
    desk.controller.start_again()
    assert run.state is RunState.CRASHED
    assert f"wasn’t responding while computing the {stage.title.lower()}" in run.message
    again = desk.runs[-1]
    assert again is not run
    assert replace(again.request, arrays_folder=None) == replace(run.request, arrays_folder=None)
    desk.qtbot.waitUntil(lambda: not exists(frozen))


def test_a_process_that_goes_on_after_all_is_let_go_on(desk: Desk) -> None:
    run = desk.diagnose("freeze 3")
    desk.wait_until_frozen(run, 3)
    assert desk.process.process_id is not None
    os.kill(desk.process.process_id, signal.SIGCONT)
    desk.wait_for(run, RunState.FINISHED)
    assert not run.stalled_seconds
    assert len(desk.runs) == 1


def test_there_is_nothing_to_start_again_when_nothing_runs(desk: Desk) -> None:
    desk.controller.start_again()
    desk.wait_for(desk.diagnose("rows 1"), RunState.FINISHED)
    desk.controller.start_again()
    assert len(desk.runs) == 1


def test_where_the_text_is_heard_is_passed_on(desk: Desk) -> None:
    run = desk.diagnose("listen 1")
    desk.qtbot.waitUntil(lambda: bool(run.utterances))
    desk.controller.hear(7)
    desk.wait_for(run, RunState.FINISHED)
    assert run.last_row is not None
    assert run.last_row.utterance == 7


def test_what_was_heard_before_the_process_began_is_passed_on_too(desk: Desk) -> None:
    run = desk.diagnose("listen 1")
    desk.controller.hear(3)
    desk.wait_for(run, RunState.FINISHED)
    assert run.last_row is not None
    assert run.last_row.utterance == 3


def test_a_crash_before_the_first_row(desk: Desk) -> None:
    run = desk.diagnose("leave")
    desk.wait_for(run, RunState.CRASHED)
    assert "while getting ready. It ended with exit code 1. There is no memory left." in run.message


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
    desk.controller.hold_back(True)
    run = desk.diagnose("rows 3")
    assert desk.process.process_id is not None
    os.kill(desk.process.process_id, signal.SIGKILL)
    desk.qtbot.waitUntil(lambda: desk.process.process_id is None)
    assert run.active
    desk.controller.hold_back(False)
    desk.wait_for(run, RunState.FINISHED)


def test_arrays_of_old_runs_are_deleted(desk: Desk) -> None:
    runs = [desk.diagnose(f"rows {number}") for number in range(1, KEPT_RUNS + 3)]
    desk.wait_for(runs[-1], RunState.FINISHED)
    kept = [Path(str(run.request.arrays_folder)) for run in runs[-KEPT_RUNS:]]
    desk.qtbot.waitUntil(lambda: desk.array_folders() == sorted(kept))
    assert (kept[-1] / "arrays").is_file()


def test_a_diagnosis_waits_until_it_may_begin(desk: Desk) -> None:
    desk.controller.hold_back(True)
    run = desk.diagnose("rows 3")
    desk.qtbot.wait_for_timers()
    assert desk.process.process_id is None
    assert run.preparation == PreparationEvent(WAITING_WORDS, 0, 1)
    desk.controller.hold_back(False)
    desk.wait_for(run, RunState.FINISHED)
    assert run.row_count == 3


def test_the_window_has_its_turn_before_a_process_is_started(desk: Desk) -> None:
    run = desk.diagnose("rows 1")
    assert desk.process.process_id is None
    desk.wait_for(run, RunState.FINISHED)


def test_what_is_stopped_before_its_turn_does_not_begin(desk: Desk) -> None:
    run = desk.diagnose("rows 1")
    desk.controller.stop()
    desk.qtbot.wait_for_timers()
    assert run.state is RunState.STOPPED
    assert desk.process.process_id is None


def test_what_is_stopped_while_it_waits_does_not_begin(desk: Desk) -> None:
    desk.controller.hold_back(True)
    run = desk.diagnose("rows 3")
    desk.controller.stop()
    desk.controller.hold_back(False)
    assert run.state is RunState.STOPPED
    assert desk.process.process_id is None


def test_release_ends_the_process_and_the_run(desk: Desk) -> None:
    run = desk.diagnose("hold")
    desk.controller.release()
    assert run.state is RunState.STOPPED
    assert desk.process.process_id is None
    desk.wait_for(desk.diagnose("rows 1"), RunState.FINISHED)


def test_a_cache_that_cannot_be_written_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    controller = DiagnosticsController(DiagnosticsProcess(COMMAND), RunFolders(tmp_path / "file"))
    with qtbot.waitSignal(controller.failed) as failed:
        controller.diagnose(SpeechRequest("rows 1", "af_heart"), OPTIONS)
    assert isinstance(failed.args[0], OutputError)
    assert not controller.active


@pytest.mark.parametrize(
    ("row_count", "words"),
    [(0, "getting ready"), (1, "computing the text features"), (2, "computing the durations")],
)
def test_what_is_under_way_follows_from_the_rows(row_count: int, words: str) -> None:
    request = ValidationRequest(SpeechRequest("a", "b"), regimes=(Regime.COMPILED,))
    run = DiagnosticsRun(request, model_config(STARTER))
    for number in range(row_count):
        run.take(RowEvent(row_of(number)))
    assert under_way(run) == words


def test_after_the_last_stage_comes_the_first_of_the_next_utterance() -> None:
    run = DiagnosticsRun(ValidationRequest(SpeechRequest("a", "b"), regimes=(Regime.COMPILED,)), model_config(STARTER))
    run.take(RowEvent(row_of(2 * len(STAGES) - 1)))
    assert under_way(run) == "computing the text features"
