"""What the GPU fails at is spoken by the processor, visibly; after several failures in a row the GPU is left alone."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np
import pytest

from engine.errors import Cancelled, GpuFailed
from engine.runtime.fallback import MOST_FAILURES_IN_A_ROW, PREPARING_SPARE, Loaded, Speaker
from engine.runtime.pipeline import Observer
from engine.speech import Event, FallbackEvent, PreparationEvent, Speech, Style, Utterance

STYLE = Style(np.zeros(1, np.float32), np.zeros(1, np.float32))
LOADED = PreparationEvent("Loading the voice model", 0, 1)


class FakePipeline:
    """Raises the next of `errors`, where that is not None, or returns what it was asked for as samples."""

    def __init__(self, errors: Iterable[Exception | None] = ()) -> None:
        self.errors = iter(errors)
        self.closed = False

    def speak(
        self,
        utterance: Utterance,
        style: Style,
        speed: float,
        seed: int,
        observe: Observer,
        cancel: threading.Event | None,
    ) -> Speech:
        error = next(self.errors, None)
        if error is not None:
            raise error
        return Speech(np.array([utterance.index, speed, seed], np.float32), np.zeros(1, np.int64))

    def close(self) -> None:
        self.closed = True


class Desk:
    """A speaker on Metal that fails with these errors, and what it loaded and told."""

    def __init__(self, *errors: Exception | None) -> None:
        self.gpu, self.processor = FakePipeline(errors), FakePipeline()
        self.events: list[Event] = []
        self.speaker = Speaker(Loaded(self.gpu, "metal", "the GPU"), self.load)  # type: ignore[arg-type]
        self.count = 0

    def load(self, observe: Observer, cancel: threading.Event | None) -> Loaded:
        observe(LOADED)
        return Loaded(self.processor, "cpu", "the processor")  # type: ignore[arg-type]

    def speak(self) -> tuple[str, list[Event]]:
        """The device that spoke the next utterance as it should be, and what was told meanwhile."""
        self.events.clear()
        self.count += 1
        speech = self.speaker.speak(Utterance(self.count, "Hi.", "hI.", 0, 3), STYLE, 2.0, 7, self.events.append)
        assert speech.samples.tolist() == [self.count, 2, 7]
        return self.speaker.device, list(self.events)


def failed(number: int = 1) -> GpuFailed:
    return GpuFailed(f"The GPU failed (error {number}).", "Use --device cpu.")


def told(number: int = 1) -> FallbackEvent:
    return FallbackEvent(f"The GPU failed (error {number}). The processor speaks this part.")


def test_the_processor_speaks_what_the_gpu_fails_at_and_the_gpu_what_follows() -> None:
    desk = Desk(None, failed())
    assert desk.speak() == ("metal", [])
    assert desk.speaker.identity == "the GPU"
    assert desk.speak() == ("cpu", [PREPARING_SPARE, LOADED, told()])
    assert desk.speaker.identity == "the processor"
    assert desk.speak() == ("metal", [])
    assert desk.speaker.identity == "the GPU"


def test_the_spare_is_loaded_once() -> None:
    desk = Desk(failed(1), None, failed(2))
    assert [desk.speak()[1] for _ in range(3)] == [[PREPARING_SPARE, LOADED, told(1)], [], [told(2)]]


def test_after_several_failures_in_a_row_the_gpu_is_left_alone() -> None:
    desk = Desk(*[failed()] * MOST_FAILURES_IN_A_ROW)
    for _ in range(MOST_FAILURES_IN_A_ROW - 1):
        assert desk.speak()[1][-1] == told()
    final = FallbackEvent(
        "The GPU failed (error 1). It has failed 3 times in a row, so the processor speaks from now on."
    )
    for _ in range(3):  # the GPU would not fail any more
        assert desk.speak() == ("cpu", [final])
    assert desk.speaker.has_given_up


def test_failures_with_speech_between_them_are_not_in_a_row() -> None:
    desk = Desk(*[failed(), failed(), None] * 3)
    assert [desk.speak()[0] for _ in range(9)] == ["cpu", "cpu", "metal"] * 3
    assert not desk.speaker.has_given_up


@pytest.mark.parametrize("error", [ValueError("a wrong shape"), RuntimeError("a bug"), Cancelled("Stopped.")])
def test_what_is_no_failure_of_the_gpu_is_raised(error: Exception) -> None:
    desk = Desk(error)
    with pytest.raises(type(error)) as raised:
        desk.speak()
    assert raised.value is error
    assert desk.events == []
    assert desk.speak() == ("metal", [])


def test_closing_closes_both() -> None:
    desk = Desk(failed())
    desk.speaker.close()
    assert (desk.gpu.closed, desk.processor.closed) == (True, False)
    desk.speak()
    desk.speaker.close()
    assert desk.processor.closed
