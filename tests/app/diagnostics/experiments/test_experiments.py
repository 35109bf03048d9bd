from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.experiments import experiments as module
from app.diagnostics.experiments.experiments import STOPPED, Experiments
from app.diagnostics.process.controller import DiagnosticsController
from app.diagnostics.process.process import DiagnosticsProcess
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun
from app.diagnostics.runs.run_folders import RunFolders
from engine.errors import EngineError
from engine.speech import SpeechRequest
from engine.validator.data.experiments import (
    ProgressEvent,
    ServiceEvent,
    SweepRequest,
    SweptEvent,
)
from engine.validator.data.results import RowEvent, ValidationRequest
from tests.app.diagnostics.process.test_process import COMMAND
from tests.patience import PATIENCE_MS


class Desk:
    """Experiments and diagnoses with one process, and what came of the experiments."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.process = DiagnosticsProcess(COMMAND)
        self.controller = DiagnosticsController(self.process, RunFolders(folder))
        self.experiments = Experiments(self.process, self.controller)
        self.events: list[ServiceEvent] = []
        self.endings: list[str] = []
        self.diagnosed: list[object] = []
        self.experiments.event_received.connect(self.events.append)
        self.experiments.ended.connect(self.endings.append)
        self.controller.event_received.connect(self.diagnosed.append)
        self.controller.run_started.connect(self.follow)

    def follow(self, run: DiagnosticsRun) -> None:
        """As the panel does."""
        self.controller.event_received.connect(run.take)
        self.controller.stopped.connect(run.stop)

    def wait_for_the_end(self) -> None:
        self.qtbot.waitUntil(lambda: bool(self.endings))

    def wait_for_an_event(self) -> None:
        self.qtbot.waitUntil(lambda: bool(self.events))


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(qtbot, tmp_path)
    yield made
    made.controller.shut_down(PATIENCE_MS)


def request(text: str = "any") -> ValidationRequest:
    return ValidationRequest(SpeechRequest(text, "af_heart"))


def test_a_sweep_arrives_with_its_points(desk: Desk) -> None:
    desk.experiments.begin(SweepRequest(request(), (0.0, 1.0)))
    desk.wait_for_the_end()
    assert desk.endings == [""]
    assert isinstance(desk.events[-1], SweptEvent)
    assert {point.padding for point in desk.events[-1].points} == {0.0, 1.0}
    assert desk.diagnosed == []


def test_an_experiment_can_be_stopped_and_another_begun(desk: Desk) -> None:
    desk.experiments.begin(SweepRequest(request("hold")))
    desk.wait_for_an_event()
    desk.experiments.stop()
    assert desk.endings == [STOPPED]
    desk.endings.clear()
    desk.experiments.begin(SweepRequest(request(), (0.0,)))
    desk.wait_for_the_end()
    assert desk.endings == [""]


def test_a_diagnosis_stops_an_experiment_and_is_answered_itself(desk: Desk) -> None:
    desk.experiments.begin(SweepRequest(request("hold")))
    desk.wait_for_an_event()
    desk.controller.diagnose(SpeechRequest("rows 4", "af_heart"), DiagnosticsOptions())
    assert desk.endings == [STOPPED]
    desk.qtbot.waitUntil(lambda: not desk.controller.active)
    assert not any(isinstance(event, SweptEvent | RowEvent) for event in desk.events)
    assert desk.diagnosed


def test_an_experiment_stops_a_diagnosis(desk: Desk) -> None:
    stopped: list[bool] = []
    desk.controller.stopped.connect(lambda: stopped.append(True))
    desk.controller.diagnose(SpeechRequest("hold", "af_heart"), DiagnosticsOptions())
    desk.qtbot.waitUntil(lambda: bool(desk.diagnosed))
    desk.experiments.begin(SweepRequest(request()))
    assert stopped == [True]
    desk.wait_for_the_end()
    assert desk.endings == [""]


def test_a_failure_is_told_in_words(desk: Desk) -> None:
    desk.experiments.begin(SweepRequest(request("fail")))
    desk.wait_for_the_end()
    assert desk.endings == ["No voice. Choose another."]


def test_the_end_of_the_process_is_told(desk: Desk) -> None:
    desk.experiments.begin(SweepRequest(request("crash")))
    desk.wait_for_the_end()
    assert "ended by signal 9" in desk.endings[0]


def test_it_waits_until_speech_is_ready(desk: Desk) -> None:
    desk.controller.hold_back(True)
    desk.experiments.begin(SweepRequest(request(), (0.0,)))
    assert desk.process.process_id is None
    desk.controller.hold_back(False)
    desk.wait_for_the_end()
    assert any(isinstance(event, ProgressEvent) for event in desk.events)


def test_what_waits_is_not_taken_for_what_is_given_up_for_it(desk: Desk) -> None:
    desk.controller.hold_back(True)
    desk.experiments.begin(SweepRequest(request(), (0.0,)))
    desk.process.validate(request("hold"))  # an inspection, for example, which is not held back
    desk.controller.hold_back(False)
    desk.wait_for_the_end()
    assert desk.endings == [""]


def test_the_end_of_the_process_is_no_end_of_what_waits(desk: Desk) -> None:
    desk.controller.hold_back(True)
    desk.experiments.begin(SweepRequest(request(), (0.0,)))
    with desk.qtbot.waitSignal(desk.process.died):
        desk.process.validate(request("crash 0"))
    desk.controller.hold_back(False)
    desk.wait_for_the_end()
    assert desk.endings == [""]


def test_what_is_given_up_before_its_turn_has_ended(desk: Desk) -> None:
    desk.controller.hold_back(True)
    desk.experiments.begin(SweepRequest(request()))
    desk.controller.release()
    assert desk.endings == [STOPPED]
    assert not desk.experiments.active


def test_without_pytorch_nothing_is_begun(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise EngineError("There is no PyTorch.", "Add it.")

    failures: list[EngineError] = []
    desk.experiments.failed.connect(failures.append)
    monkeypatch.setattr(module, "require_reference", missing)
    desk.experiments.begin(SweepRequest(request()))
    assert [failure.message for failure in failures] == ["There is no PyTorch."]
    assert desk.experiments.request is None
