"""The processor speaks the first words; a GPU that takes its time to get ready speaks from some later utterance on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from engine.artifacts.manifest import CPU, CPU_DEVICE
from engine.errors import EngineError, GpuFailed
from engine.runtime.pipeline import Observer
from engine.runtime.preparation import devices
from engine.runtime.preparation.devices import AUTO, DeviceChoice
from engine.runtime.preparation.files import ModelFiles, ensure_files
from engine.runtime.synthesizer import Synthesizer
from engine.speech import AudioChunk, DeviceEvent, Event, SpeechRequest
from tests.patience import PATIENCE_SECONDS
from tests.starter_voices import FEMALE

TEXT = "One is here. Two is here. Three is here."
RIGHT = DeviceChoice("metal", CPU, "it computes as it should")
WRONG = DeviceChoice(CPU_DEVICE, CPU, "the GPU is not used: it computes nonsense", setback=True)


@dataclass
class SlowGpu:
    """A stand-in that is tried until `done` is set; then it is the processor under another name, or fails."""

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
    """On a computer that might have one."""
    gpu = SlowGpu()
    monkeypatch.setattr(devices, "metal_obstacle", lambda: None)
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
    """The chunks of the request during which another device is told of."""
    before = len(told(events))
    while True:
        chunks = list(spoken(synthesizer, events.append))
        if len(told(events)) > before:
            return chunks


def told(events: list[Event]) -> list[DeviceEvent]:
    return [event for event in events if isinstance(event, DeviceEvent)]


def test_the_first_words_do_not_wait_for_the_gpu_which_takes_over_later(
    synthesizer: Synthesizer, gpu: SlowGpu, starter: Synthesizer
) -> None:
    events: list[Event] = []
    chunks = list(spoken(synthesizer, events.append))
    assert gpu.begun.wait(PATIENCE_SECONDS)
    assert [event.device.partition(" ")[0] for event in told(events)] == ["cpu"]
    assert synthesizer.device == CPU_DEVICE
    gpu.done.set()
    later = until_told(synthesizer, events)
    assert told(events)[-1].device == RIGHT.words
    assert told(events)[-1].setback == ""
    assert synthesizer.device == "metal"
    for each in (chunks, later):
        for mine, usual in zip(each, spoken(starter), strict=True):
            np.testing.assert_array_equal(mine.samples, usual.samples)


@pytest.mark.parametrize("error", [None, GpuFailed("The GPU failed (5).", "Use --device cpu.")])
def test_a_gpu_that_is_of_no_use_leaves_speech_to_the_processor_and_says_why(
    synthesizer: Synthesizer, gpu: SlowGpu, error: EngineError | None
) -> None:
    gpu.choice, gpu.error = WRONG, error
    synthesizer.prepare()
    gpu.done.set()
    events: list[Event] = []
    until_told(synthesizer, events)
    assert told(events)[-1].device.startswith("cpu")
    assert ("nonsense" if error is None else "(5)") in told(events)[-1].setback
    assert synthesizer.device == CPU_DEVICE


def test_what_is_made_before_and_after_is_kept_under_one_name(synthesizer: Synthesizer, gpu: SlowGpu) -> None:
    list(spoken(synthesizer))
    before = synthesizer.fingerprint(FEMALE)
    gpu.done.set()
    until_told(synthesizer, [])
    assert synthesizer.fingerprint(FEMALE) == before


def test_closing_stops_what_gets_the_gpu_ready(synthesizer: Synthesizer, gpu: SlowGpu) -> None:
    list(spoken(synthesizer))
    assert gpu.begun.wait(PATIENCE_SECONDS)
    synthesizer.close()
    assert gpu.stopped is not None
    assert gpu.stopped.is_set()


def test_a_processor_that_was_asked_for_speaks_for_good(gpu: SlowGpu) -> None:
    synthesizer = Synthesizer("starter", CPU_DEVICE)
    list(spoken(synthesizer))
    synthesizer.close()
    assert not gpu.begun.is_set()
