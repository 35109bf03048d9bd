"""Tests of the events that arrive at the other end of the pipe."""

import queue
import sys
import threading
from collections.abc import Iterator

import pytest

from engine.speech import PlanEvent, SpeechRequest
from engine.system.remote import Connection
from engine.validator.data.results import (
    AlignmentEvent,
    FailedEvent,
    FinishedEvent,
    PulseEvent,
    Regime,
    RowEvent,
    ValidationEvent,
    ValidationRequest,
)
from engine.validator.runs.validation import Validator
from engine.validator.service.service import PIECE_UTTERANCES, Command, Hear, Service, Stop
from tests.engine.validator.service import limited
from tests.patience import PATIENCE_SECONDS
from tests.starter_voices import MALE


class Caller:
    """Sends commands, and receives events."""

    def __init__(self) -> None:
        self._said: queue.Queue[Command | None] = queue.Queue()
        self.heard: queue.Queue[ValidationEvent] = queue.Queue()
        self.pulses: queue.Queue[PulseEvent] = queue.Queue()
        self._thread = threading.Thread(target=Service(self._hear).serve, args=(iter(self._said.get, None),))
        self._thread.start()

    def ask(self, command: Command) -> None:
        self._said.put(command)

    def hang_up(self) -> None:
        self._said.put(None)
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()

    def until(self, kind: type) -> list[ValidationEvent]:
        events = [self.heard.get(timeout=PATIENCE_SECONDS)]
        while not isinstance(events[-1], kind):
            events.append(self.heard.get(timeout=PATIENCE_SECONDS))
        return events

    def _hear(self, event: ValidationEvent) -> None:
        (self.pulses if isinstance(event, PulseEvent) else self.heard).put(event)


@pytest.fixture
def caller() -> Iterator[Caller]:
    made = Caller()
    yield made
    made.hang_up()


def asked(text: str = "Hello there.", **options: object) -> ValidationRequest:
    options = {"regimes": (Regime.UPSTREAM,), **options}
    return ValidationRequest(SpeechRequest(text, MALE), **options)


def test_a_request_is_answered_row_by_row(caller: Caller) -> None:
    caller.ask(asked())
    kinds = [type(event) for event in caller.until(FinishedEvent)]
    assert kinds.index(PlanEvent) < kinds.index(RowEvent)
    assert AlignmentEvent in kinds
    assert FailedEvent not in kinds


def test_rows_are_reported_once(caller: Caller) -> None:
    caller.ask(asked())
    events = caller.until(FinishedEvent)
    assert any(isinstance(event, RowEvent) for event in events)
    assert events[-1].report.rows == ()
    assert events[-1].report.findings  # upstream's source is itself wrong


def test_a_second_request_finds_the_model_loaded(caller: Caller) -> None:
    caller.ask(asked())
    caller.until(FinishedEvent)
    caller.ask(asked("Again."))
    assert isinstance(caller.until(FinishedEvent)[0], PlanEvent)


def test_a_user_mistake_is_reported_with_a_hint(caller: Caller) -> None:
    caller.ask(asked(device="abacus"))
    (failure,) = caller.until(FailedEvent)
    assert "abacus" in failure.message
    assert failure.hint


def test_a_cancel_stops_the_work(caller: Caller) -> None:
    caller.ask(asked("One sentence. " * 40))
    caller.until(RowEvent)
    caller.ask(Stop())
    assert "stopped" in caller.until(FailedEvent)[-1].message


def test_a_new_request_replaces_the_one_under_way(caller: Caller) -> None:
    caller.ask(asked("One sentence. " * 40))
    caller.until(RowEvent)
    caller.ask(asked("New text."))
    caller.until(FailedEvent)
    (report,) = [event.report for event in caller.until(FinishedEvent)[-1:]]
    assert report.request.speech.text == "New text."


def compared(events: list[ValidationEvent]) -> list[int]:
    """Return the utterances in the order in which they were compared."""
    return list(dict.fromkeys(event.row.utterance for event in events if isinstance(event, RowEvent)))


def test_the_utterance_being_played_is_compared_next(caller: Caller) -> None:
    text = "One goes first.\n\n" * 5
    caller.ask(asked(text))
    before = caller.until(RowEvent)
    caller.ask(Hear(text.rindex("One")))
    order = compared(before + caller.until(FinishedEvent))
    assert order == [0, 4, 1, 2, 3]


def test_playback_of_an_earlier_text_does_not_affect_the_next(caller: Caller) -> None:
    caller.ask(asked())
    caller.until(FinishedEvent)
    caller.ask(Hear(40))
    caller.ask(asked("One goes first.\n\n" * 3))
    assert compared(caller.until(FinishedEvent)) == [0, 1, 2]


def test_there_is_a_pulse_while_it_computes_and_while_it_waits(caller: Caller) -> None:
    caller.ask(asked())
    caller.until(FinishedEvent)
    first, second = (caller.pulses.get(timeout=PATIENCE_SECONDS).computed_seconds for _ in range(2))
    assert 0 < first <= second


@pytest.mark.parametrize(
    "error",
    [MemoryError(), RuntimeError("[enforce fail at alloc_cpu.cpp:118] DefaultCPUAllocator: can't allocate memory")],
)
def test_running_out_of_memory_is_reported(caller: Caller, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Validator, "validate", fail)
        caller.ask(asked())
        (failure,) = caller.until(FailedEvent)
    assert "enough memory" in failure.message
    caller.ask(asked())
    caller.until(FinishedEvent)


@pytest.mark.skipif(sys.platform != "linux", reason="macOS does not limit address space")
def test_a_process_without_memory_says_so() -> None:
    request = asked("This is a long sentence, which takes more memory than there is left for it to be spoken in. " * 4)
    with Connection(limited.serve) as process:
        process.send(request)
        events = (event for (event,) in process.reports())
        failure = next(event for event in events if isinstance(event, FailedEvent | FinishedEvent))
    assert isinstance(failure, FailedEvent)
    assert "enough memory" in failure.message


def test_a_long_plan_comes_in_short_lines_that_continue_each_other(caller: Caller) -> None:
    text = "One goes first.\n\n" * 130
    caller.ask(asked(text))
    events = caller.until(RowEvent)
    while not (isinstance(events[-1], PlanEvent) and events[-1].plan.whole):
        events.append(caller.heard.get(timeout=PATIENCE_SECONDS))
    plans = [event.plan for event in events if isinstance(event, PlanEvent)]
    assert all(len(plan.utterances) <= PIECE_UTTERANCES for plan in plans)
    known: list[int] = []
    for plan in plans:
        numbers = [each.index for each in plan.utterances]
        assert numbers[0] <= len(known)
        known = known[: numbers[0]] + numbers
    assert known == list(range(len(known)))
    caller.ask(Stop())
    caller.until(FailedEvent)
