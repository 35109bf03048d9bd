import os
import signal
import sys
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics import reference_process
from app.diagnostics.reference_process import (
    KILLED_WHY,
    MIN_COMPUTED_SECONDS,
    NICENESS,
    NO_START,
    ReferenceProcess,
    Serve,
    Watchdog,
)
from engine.speech import PreparationEvent, SpeechRequest
from engine.validator.data.results import FailedEvent, FinishedEvent, RowEvent, ValidationEvent, ValidationRequest
from tests.app import fake_service
from tests.app.fake_service import row_of
from tests.patience import PATIENCE_MS
from tests.processes import exists

SILENT_SECONDS = 20.0


class Listener:
    """A process and all its events."""

    def __init__(self, qtbot: QtBot, function: Serve = fake_service.serve) -> None:
        self.qtbot = qtbot
        self.process = ReferenceProcess(function)
        self.events: list[ValidationEvent] = []
        self.deaths: list[str] = []
        self.process.event_received.connect(self.events.append)
        self.process.died.connect(self.deaths.append)

    def ask(self, text: str) -> None:
        self.process.validate(ValidationRequest(SpeechRequest(text, "af_heart")))

    def wait_for(self, kind: type[ValidationEvent]) -> None:
        self.qtbot.waitUntil(lambda: any(isinstance(event, kind) for event in self.events))

    def wait_for_death(self) -> None:
        self.qtbot.waitUntil(lambda: bool(self.deaths))

    def rows(self) -> list[RowEvent]:
        return [event for event in self.events if isinstance(event, RowEvent)]


@pytest.fixture
def listener(qtbot: QtBot) -> Iterator[Listener]:
    listener = Listener(qtbot)
    yield listener
    listener.process.shut_down(PATIENCE_MS)


def test_nothing_is_started_before_it_is_needed(listener: Listener) -> None:
    listener.process.cancel()
    listener.process.release()
    assert listener.process.process_id is None


def test_every_event_comes_in_order_and_unchanged(listener: Listener) -> None:
    listener.ask("rows 40")
    listener.wait_for(FinishedEvent)
    assert isinstance(listener.events[0], PreparationEvent)
    assert [event.row for event in listener.rows()] == [row_of(number) for number in range(40)]
    assert isinstance(listener.events[-1], FinishedEvent)
    assert not listener.deaths


def test_it_lets_the_window_go_first(listener: Listener) -> None:
    listener.ask("rows 1")
    listener.wait_for(FinishedEvent)
    assert listener.process.process_id is not None
    assert os.getpriority(os.PRIO_PROCESS, listener.process.process_id) >= NICENESS


def test_one_process_answers_many_requests(listener: Listener) -> None:
    listener.ask("rows 1")
    listener.wait_for(FinishedEvent)
    process_id = listener.process.process_id
    listener.events.clear()
    listener.ask("fail")
    listener.wait_for(FailedEvent)
    assert listener.process.process_id == process_id
    assert listener.events[-1] == FailedEvent("No voice.", "Choose one.")


def test_a_new_request_replaces_the_old_one(listener: Listener) -> None:
    listener.ask("hold")
    listener.wait_for(RowEvent)
    listener.events.clear()
    listener.ask("rows 3")
    listener.wait_for(FinishedEvent)
    assert [event.row for event in listener.rows()] == [row_of(number) for number in range(3)]
    assert not any(isinstance(event, FailedEvent) for event in listener.events)
    assert listener.events[-1].report.request.speech.text == "rows 3"


def test_requests_in_quick_succession_leave_the_last(listener: Listener) -> None:
    for text in ("hold", "rows 2", "hold", "rows 4"):
        listener.ask(text)
    listener.wait_for(FinishedEvent)
    assert len(listener.rows()) == 4


def test_nothing_comes_after_a_cancel(listener: Listener) -> None:
    listener.ask("hold")
    listener.wait_for(RowEvent)
    listener.process.cancel()
    listener.events.clear()
    listener.ask("rows 1")
    listener.wait_for(FinishedEvent)
    assert len(listener.rows()) == 1
    assert not any(isinstance(event, FailedEvent) for event in listener.events)


def test_a_crash_is_reported_and_the_next_request_starts_a_new_process(listener: Listener) -> None:
    listener.ask("crash 5")
    listener.wait_for_death()
    assert listener.deaths == [f"It was terminated by signal {signal.SIGKILL.value}{KILLED_WHY}."]
    assert len(listener.rows()) == 5
    assert listener.process.process_id is None
    listener.ask("rows 2")
    listener.wait_for(FinishedEvent)
    assert len(listener.deaths) == 1


def test_a_killed_process_is_reported(listener: Listener) -> None:
    listener.ask("hold")
    listener.wait_for(RowEvent)
    assert listener.process.process_id is not None
    os.kill(listener.process.process_id, signal.SIGKILL)
    listener.wait_for_death()
    assert "signal 9" in listener.deaths[0]


def test_the_last_output_of_a_process_is_included_in_the_report(listener: Listener) -> None:
    listener.ask("leave")
    listener.wait_for_death()
    assert listener.deaths == ["It ended with exit code 1. There is no memory left."]


def test_a_process_that_fails_to_start_is_reported(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    listener.ask("rows 1")
    listener.wait_for_death()
    assert listener.deaths == [NO_START]


@pytest.mark.parametrize("text", ["rows 1", "hold", "stubborn"])
def test_release_ends_it_without_a_word(listener: Listener, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference_process, "END_WITHIN_MS", 200)
    listener.ask(text)
    listener.wait_for(PreparationEvent)
    process_id = listener.process.process_id
    assert process_id is not None
    listener.process.release()
    assert listener.process.process_id is None
    listener.events.clear()
    listener.qtbot.waitUntil(lambda: not exists(process_id))
    assert not listener.events
    assert not listener.deaths


def test_release_and_a_new_request_at_once(listener: Listener) -> None:
    listener.ask("hold")
    listener.wait_for(RowEvent)
    listener.process.release()
    listener.events.clear()
    listener.ask("rows 2")
    listener.wait_for(FinishedEvent)
    assert len(listener.rows()) == 2


def test_shutting_down_waits_for_the_end(listener: Listener) -> None:
    listener.ask("stubborn")
    listener.wait_for(PreparationEvent)
    process_id = listener.process.process_id
    assert process_id is not None
    listener.process.shut_down(PATIENCE_MS)
    assert not exists(process_id)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Kennel:
    """A watchdog with a clock that the test controls."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.dog = Watchdog(SILENT_SECONDS, self.clock)
        self.message_sent: list[int] = []
        self.dog.stalled.connect(self.message_sent.append)
        self.dog.watch()

    def wait(self, seconds: float) -> None:
        self.clock.now += seconds
        self.dog.look()


def test_a_long_silence_is_reported_repeatedly(qtbot: QtBot) -> None:
    kennel = Kennel()
    kennel.wait(19)
    assert kennel.message_sent == []
    kennel.wait(1)
    kennel.wait(5)
    assert kennel.message_sent == [20, 25]


def test_an_answer_ends_it(qtbot: QtBot) -> None:
    kennel = Kennel()
    kennel.wait(21)
    kennel.dog.note_answer()
    kennel.wait(19)
    assert kennel.message_sent == [21, 0]


def test_a_long_computation_is_no_silence(qtbot: QtBot) -> None:
    kennel = Kennel()
    for second in range(60):
        kennel.wait(1)
        kennel.dog.note_pulse(5.0 + second)
    assert kennel.message_sent == []


def test_a_pulse_without_any_computing_is_no_sign_of_life(qtbot: QtBot) -> None:
    kennel = Kennel()
    kennel.dog.note_pulse(5.0)
    for second in range(21):
        kennel.wait(1)
        kennel.dog.note_pulse(5.0 + second * MIN_COMPUTED_SECONDS / 100)
    assert kennel.message_sent[:1] == [20]


def test_a_process_that_owes_nothing_may_be_silent(qtbot: QtBot) -> None:
    kennel = Kennel()
    kennel.dog.rest()
    assert not kennel.dog._timer.isActive()
