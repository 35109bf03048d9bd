"""Tests of falling back to the CPU, visibly, if the GPU fails; a slow GPU takes over at a later utterance."""

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import CPU, CPU_DEVICE
from engine.errors import Canceled, EngineError, GpuFailed
from engine.runtime.fallback import MAX_FAILURES_IN_A_ROW, PREPARING_SPARE, FallbackSpeaker, LoadedPipeline
from engine.runtime.pipeline import Observer
from engine.runtime.preparation import devices
from engine.runtime.preparation.devices import AUTO, DeviceChoice
from engine.runtime.preparation.files import ModelFiles, ensure_files
from engine.runtime.synthesizer import Synthesizer
from engine.speech import (
    AudioChunk,
    DeviceEvent,
    Event,
    FallbackEvent,
    PreparationEvent,
    Speech,
    SpeechRequest,
    Style,
    Utterance,
)
from tests.patience import PATIENCE_SECONDS
from tests.starter_voices import FEMALE

STYLE = Style(np.zeros(1, np.float32), np.zeros(1, np.float32))
LOADED = PreparationEvent("Loading the voice model", 0, 1)


class FakePipeline:
    """Raises the next of `errors` unless it is None, or returns its arguments as samples."""

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
    """A speaker on Metal that fails with these errors, with the pipelines that it loads and its events."""

    def __init__(self, *errors: Exception | None) -> None:
        self.gpu, self.processor = FakePipeline(errors), FakePipeline()
        self.events: list[Event] = []
        self.speaker = FallbackSpeaker(LoadedPipeline(self.gpu, "metal", "the GPU"), self.load)
        self.count = 0

    def load(self, observe: Observer, cancel: threading.Event | None) -> LoadedPipeline:
        observe(LOADED)
        return LoadedPipeline(self.processor, "cpu", "the processor")

    def speak(self) -> tuple[str, list[Event]]:
        """Speak the next utterance; return the device used, and the events meanwhile."""
        self.events.clear()
        self.count += 1
        speech = self.speaker.speak(Utterance(self.count, "Hi.", "hI.", 0, 3), STYLE, 2.0, 7, self.events.append)
        assert speech.samples.tolist() == [self.count, 2, 7]
        return self.speaker.device, list(self.events)


def failed(number: int = 1) -> GpuFailed:
    return GpuFailed(f"The GPU failed (error {number}).", "Use --device cpu.")


def told(number: int = 1) -> FallbackEvent:
    return FallbackEvent(f"The GPU failed (error {number}). Using the CPU for this part.")


def test_the_cpu_redoes_failed_gpu_work_and_the_gpu_resumes_afterward():
    desk = Desk(None, failed())
    assert desk.speak() == ("metal", [])
    assert desk.speaker.identity == "the GPU"
    assert desk.speak() == ("cpu", [PREPARING_SPARE, LOADED, told()])
    assert desk.speaker.identity == "the processor"
    assert desk.speak() == ("metal", [])
    assert desk.speaker.identity == "the GPU"


def test_the_spare_is_loaded_once():
    desk = Desk(failed(1), None, failed(2))
    assert [desk.speak()[1] for _ in range(3)] == [[PREPARING_SPARE, LOADED, told(1)], [], [told(2)]]


def test_after_several_failures_in_a_row_the_gpu_is_left_alone():
    desk = Desk(*[failed()] * MAX_FAILURES_IN_A_ROW)
    for _ in range(MAX_FAILURES_IN_A_ROW - 1):
        assert desk.speak()[1][-1] == told()
    final = FallbackEvent("The GPU failed (error 1). It failed 3 times in a row. Using the CPU from now on.")
    for _ in range(3):  # the GPU would no longer fail
        assert desk.speak() == ("cpu", [final])
    assert desk.speaker.has_given_up


def test_failures_with_speech_between_them_are_not_in_a_row():
    desk = Desk(*[failed(), failed(), None] * 3)
    assert [desk.speak()[0] for _ in range(9)] == ["cpu", "cpu", "metal"] * 3
    assert not desk.speaker.has_given_up


@pytest.mark.parametrize("error", [ValueError("a wrong shape"), RuntimeError("a bug"), Canceled("Stopped.")])
def test_errors_other_than_gpu_failures_are_raised(error):
    desk = Desk(error)
    with pytest.raises(type(error)) as raised:
        desk.speak()
    assert raised.value is error
    assert desk.events == []
    assert desk.speak() == ("metal", [])


def test_closing_closes_both():
    desk = Desk(failed())
    desk.speaker.close()
    assert (desk.gpu.closed, desk.processor.closed) == (True, False)
    desk.speak()
    desk.speaker.close()
    assert desk.processor.closed


TEXT = "One is here. Two is here. Three is here."
RIGHT = DeviceChoice("metal", CPU, "it computes as it should")
WRONG = DeviceChoice(CPU_DEVICE, CPU, "the GPU computes nonsense", is_fallback=True)


@dataclass
class SlowGpu:
    """A stand-in that is tried until `done` is set; then it is the CPU under a different name, or fails."""

    choice: DeviceChoice = RIGHT
    error: EngineError | None = None
    begun: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)
    stopped: threading.Event | None = None

    def files(
        self, checkpoint, wanted: str, observe: Observer, cancel: threading.Event | None = None, *more: str
    ) -> ModelFiles:
        files = ensure_files(checkpoint, CPU_DEVICE, observe, cancel, *more)
        if wanted == CPU_DEVICE:
            return files
        self.stopped = cancel
        self.begun.set()
        assert self.done.wait(PATIENCE_SECONDS)
        if self.error is not None:
            raise self.error
        return replace(files, choice=self.choice)


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowGpu]:
    """A slow GPU, on a computer that might have one."""
    gpu = SlowGpu()
    monkeypatch.setattr(devices, "metal_unavailable_reason", lambda: None)
    monkeypatch.setattr("engine.runtime.synthesizer.ensure_files", gpu.files)
    yield gpu
    gpu.done.set()


@pytest.fixture
def synthesizer(gpu: SlowGpu) -> Iterator[Synthesizer]:
    synthesizer = Synthesizer("starter", AUTO)
    yield synthesizer
    synthesizer.close()


def spoken(synthesizer: Synthesizer, observe: Observer = lambda event: None) -> Iterator[AudioChunk]:
    return synthesizer.synthesize(SpeechRequest(TEXT, FEMALE), observe)


def until_told(synthesizer: Synthesizer, events: list[Event]) -> list[AudioChunk]:
    """Repeat the request until a new device is reported, and return the chunks of that request."""
    before = len(told_devices(events))
    while True:
        chunks = list(spoken(synthesizer, events.append))
        if len(told_devices(events)) > before:
            return chunks


def told_devices(events: list[Event]) -> list[DeviceEvent]:
    return [event for event in events if isinstance(event, DeviceEvent)]


def test_first_words_do_not_wait_for_the_gpu_taking_over_later(synthesizer, gpu, starter):
    events: list[Event] = []
    chunks = list(spoken(synthesizer, events.append))
    assert gpu.begun.wait(PATIENCE_SECONDS)
    assert [event.device.partition(" ")[0] for event in told_devices(events)] == ["cpu"]
    assert synthesizer.device == CPU_DEVICE
    gpu.done.set()
    later = until_told(synthesizer, events)
    assert told_devices(events)[-1].device == RIGHT.words
    assert told_devices(events)[-1].fallback_reason == ""
    assert synthesizer.device == "metal"
    for each in (chunks, later):
        for mine, usual in zip(each, spoken(starter), strict=True):
            np.testing.assert_array_equal(mine.samples, usual.samples)


@pytest.mark.parametrize("error", [None, GpuFailed("The GPU failed (5).", "Use --device cpu.")])
def test_an_unusable_gpu_leaves_speech_to_the_cpu_and_reports_the_reason(synthesizer, gpu, error):
    gpu.choice, gpu.error = WRONG, error
    synthesizer.prepare()
    gpu.done.set()
    events: list[Event] = []
    until_told(synthesizer, events)
    assert told_devices(events)[-1].device.startswith("cpu")
    assert ("nonsense" if error is None else "(5)") in told_devices(events)[-1].fallback_reason
    assert synthesizer.device == CPU_DEVICE


def test_the_fingerprint_stays_the_same_after_the_gpu_takes_over(synthesizer, gpu):
    list(spoken(synthesizer))
    before = synthesizer.fingerprint(FEMALE)
    gpu.done.set()
    until_told(synthesizer, [])
    assert synthesizer.fingerprint(FEMALE) == before


def test_closing_stops_gpu_preparation(synthesizer, gpu):
    list(spoken(synthesizer))
    assert gpu.begun.wait(PATIENCE_SECONDS)
    synthesizer.close()
    assert gpu.stopped is not None
    assert gpu.stopped.is_set()


def test_a_requested_cpu_never_hands_over_to_the_gpu(gpu):
    synthesizer = Synthesizer("starter", CPU_DEVICE)
    list(spoken(synthesizer))
    synthesizer.close()
    assert not gpu.begun.is_set()
