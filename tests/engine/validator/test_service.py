"""The events that the process at the other end of the pipe gets."""

import json
import queue
import threading
from collections.abc import Iterator

import pytest

from engine.speech import PlanEvent, PreparationEvent, SpeechRequest
from engine.validator.experiments import (
    ExperimentRequest,
    FuzzedEvent,
    FuzzRequest,
    ProgressEvent,
    ServiceEvent,
    SweepRequest,
    SweptEvent,
    TrialEvent,
)
from engine.validator.fuzz import fuzz
from engine.validator.results import (
    AlignmentEvent,
    FailedEvent,
    FinishedEvent,
    Regime,
    RowEvent,
    ValidationRequest,
)
from engine.validator.service import Service
from engine.validator.sweep import sweep_padding
from engine.validator.wire import Wire

wire = Wire()


class Caller:
    """The other end of the pipe: sends lines on demand, and receives events."""

    def __init__(self) -> None:
        self._said: queue.Queue[str | None] = queue.Queue()
        self.heard: queue.Queue[ServiceEvent] = queue.Queue()
        self._thread = threading.Thread(target=Service(self._hear).serve, args=(self._lines(),))
        self._thread.start()

    def ask(self, request: ValidationRequest) -> None:
        self.say(json.dumps({"validate": json.loads(wire.encode_request(request))}))

    def experiment(self, name: str, request: ExperimentRequest) -> None:
        self.say(json.dumps({name: json.loads(wire.encode_experiment(request))}))

    def say(self, line: str) -> None:
        self._said.put(line)

    def hang_up(self) -> None:
        self._said.put(None)
        self._thread.join(60)
        assert not self._thread.is_alive()

    def until(self, kind: type) -> list[ServiceEvent]:
        events = [self.heard.get(timeout=60)]
        while not isinstance(events[-1], kind):
            events.append(self.heard.get(timeout=60))
        return events

    def _hear(self, line: str) -> None:
        self.heard.put(wire.decode(line))

    def _lines(self) -> Iterator[str]:
        while (line := self._said.get()) is not None:
            yield line


@pytest.fixture
def caller() -> Iterator[Caller]:
    made = Caller()
    yield made
    made.hang_up()


def asked(text: str = "Hello there.", **options: object) -> ValidationRequest:
    options = {"regimes": (Regime.UPSTREAM,), **options}
    return ValidationRequest(SpeechRequest(text, "am_rowan"), **options)


def test_a_request_is_answered_row_by_row(caller: Caller) -> None:
    caller.ask(asked())
    kinds = [type(event) for event in caller.until(FinishedEvent)]
    assert kinds.index(PlanEvent) < kinds.index(RowEvent)
    assert AlignmentEvent in kinds
    assert FailedEvent not in kinds


def test_rows_are_told_once(caller: Caller) -> None:
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


@pytest.mark.parametrize("line", ["", "no json", "[]", "{}", "7", '{"validate": {}}', '{"validate": 3}'])
def test_what_cannot_be_read_is_told_and_survived(caller: Caller, line: str) -> None:
    caller.say(line)
    (failure,) = caller.until(FailedEvent)
    assert "cannot be read" in failure.message
    caller.ask(asked())
    caller.until(FinishedEvent)


def test_a_mistake_of_the_user_is_told_with_a_hint(caller: Caller) -> None:
    caller.ask(asked(device="abacus"))
    (failure,) = caller.until(FailedEvent)
    assert "abacus" in failure.message
    assert failure.hint


def test_a_cancel_stops_the_work(caller: Caller) -> None:
    caller.ask(asked("One sentence. " * 40))
    caller.until(RowEvent)
    caller.say('{"cancel": true}')
    assert "stopped" in caller.until(FailedEvent)[-1].message


def test_a_new_request_replaces_the_one_under_way(caller: Caller) -> None:
    caller.ask(asked("One sentence. " * 40))
    caller.until(RowEvent)
    caller.ask(asked("Another."))
    caller.until(FailedEvent)
    (report,) = [event.report for event in caller.until(FinishedEvent)[-1:]]
    assert report.request.speech.text == "Another."


def test_a_sweep_gives_what_the_command_line_gives(caller: Caller) -> None:
    request = asked("Hello.")
    caller.experiment("sweep", SweepRequest(request, (0.0, 0.5)))
    events = caller.until(SweptEvent)
    assert {type(event) for event in events} == {PreparationEvent, ProgressEvent, SweptEvent}
    progress = [event for event in events if isinstance(event, ProgressEvent)]
    assert [(event.done, event.total) for event in progress] == [(0, 2), (1, 2), (2, 2)]
    assert progress[0].seconds_left is None
    assert progress[1].seconds_left is not None
    assert events[-1].points == sweep_padding(request, (0.0, 0.5))


def test_a_fuzz_gives_what_the_command_line_gives(caller: Caller) -> None:
    request = asked("", regimes=(Regime.STATIC_NO_PACK,))
    caller.experiment("fuzz", FuzzRequest(request, 1))  # the second would be as long as the model takes
    events = caller.until(FuzzedEvent)
    trials = [event.trial for event in events if isinstance(event, TrialEvent)]
    expected = fuzz(request, 1)
    assert not any(isinstance(event, RowEvent) for event in events)
    assert [trial.utterance for trial in trials] == list(expected.report.utterances)
    assert [trial.within_tolerance for trial in trials] == [False]
    assert (events[-1].utterances, events[-1].within_tolerance) == (expected.utterances, expected.within_tolerance)
    assert [row.metrics for row in events[-1].worst] == [row.metrics for row in expected.worst]
    for trial in trials:
        assert trial.worst.metrics in {row.metrics for row in expected.failed if row.utterance == trial.utterance.index}


@pytest.mark.parametrize(
    ("name", "request_"),
    [("sweep", SweepRequest(asked("Hello. " * 40))), ("fuzz", FuzzRequest(asked(""), 2))],
)
def test_a_cancel_stops_an_experiment(caller: Caller, name: str, request_: ExperimentRequest) -> None:
    caller.experiment(name, request_)
    caller.until(PreparationEvent)
    caller.say('{"cancel": true}')
    assert "stopped" in caller.until(FailedEvent)[-1].message
    caller.ask(asked())
    caller.until(FinishedEvent)


def test_an_experiment_that_cannot_be_done_is_told(caller: Caller) -> None:
    caller.experiment("fuzz", FuzzRequest(asked(""), 0))
    assert "cannot be tried" in caller.until(FailedEvent)[-1].message
    caller.say('{"sweep": {"paddings": []}}')
    assert "cannot be read" in caller.until(FailedEvent)[-1].message
