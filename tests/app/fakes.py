"""An engine and a sound device that a test controls."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from app.audio.output import AudioDeviceError, Fill
from app.audio.player import Playback
from app.speech.controller import SpeechController
from app.speech.engine_worker import VoicesListed
from engine.config import ModelConfig
from engine.errors import Canceled, NothingToSpeak
from engine.models.installed_voices import ModelVoices
from engine.runtime.edited_curves import with_curves, with_durations
from engine.runtime.edits import edited_plan
from engine.speech import (
    AudioChunk,
    Contours,
    DeviceEvent,
    Event,
    FallbackEvent,
    Notice,
    Plan,
    PlanEvent,
    PreparationEvent,
    PronunciationSource,
    SpeechRequest,
    Utterance,
    UtteranceEdit,
    VoiceInfo,
    WordReading,
    WrittenWord,
)
from engine.system.paths import resources_folder

RATE_HZ = 1000
VOICES = (
    VoiceInfo("af_heart", "Heart", "en-US", "female"),
    VoiceInfo("bm_george", "George", "en-GB", "male"),
    VoiceInfo("am_adam", "Adam", "en-US", "male"),
)


STARTER_VOICES = (VoiceInfo("af_sally", "Sally", "en-US", "female"), VoiceInfo("am_adam", "Adam", "en-US", "male"))
ONE_MODEL = (ModelVoices("starter", "Starter voices", VOICES),)
TWO_MODELS = (
    ModelVoices("kokoro-82m", "Kokoro-82M", VOICES),
    ModelVoices("starter", "Starter voices", STARTER_VOICES),
)


@cache
def load_config() -> ModelConfig:
    """Return the configuration of Kokoro-82M."""
    return ModelConfig.load(resources_folder() / "kokoro-82m" / "config.json")


def list_voices() -> VoicesListed:
    """Return one model that is ready to speak."""
    return VoicesListed(ONE_MODEL, "starter")


def utterances_of(text: str) -> tuple[Utterance, ...]:
    """Return one utterance per sentence, its span without the surrounding white space."""
    found: list[Utterance] = []
    start = 0
    for part in text.split("."):
        words = part.strip()
        if words:
            begin = text.index(words, start)
            end = min(begin + len(words) + 1, len(text))
            found.append(Utterance(len(found), text[begin:end], words, begin, end))
        start += len(part) + 1
    return tuple(found)


def chunk_of(utterance: Utterance, count: int, length: int = RATE_HZ) -> AudioChunk:
    """Return noise that is different for every utterance and the same in every run."""
    samples = np.random.default_rng(utterance.index).uniform(-0.9, 0.9, length).astype(np.float32)
    return AudioChunk(utterance, count, samples, RATE_HZ)


def with_words(utterance: Utterance) -> Utterance:
    """Return the utterance with its words, whose letters are their phonemes."""
    spans = (match.span() for match in re.finditer(r"\S+", utterance.phonemes))
    start = utterance.start
    return replace(utterance, words=tuple(WrittenWord(start + a, start + b, a, b) for a, b in spans))


@dataclass
class FakeEngine:
    """Speaks a second of noise per sentence; `hold` and `prepare_hold` block it, `error` makes it fail.

    It blocks from the utterance with number `hold_from` on. With `fallbacks` it reports, for the utterances of these
    numbers, that the CPU is prepared and used.
    """

    notices: tuple[Notice, ...] = ()
    device: DeviceEvent | None = None
    prepare_error: Exception | None = None
    speak_error: Exception | None = None
    fails_after: int = 0
    hold_from: int = 0
    fallbacks: dict[int, str] = field(default_factory=dict)
    hold: threading.Event = field(default_factory=threading.Event)
    prepare_hold: threading.Event = field(default_factory=threading.Event)
    threads: set[int] = field(default_factory=set)
    niceness: int = 0
    requests: list[SpeechRequest] = field(default_factory=list)
    edits: list[UtteranceEdit] = field(default_factory=list)
    lexicon: dict[str, str] = field(default_factory=dict)
    """The phonemes of words, as long as these."""
    prepared: int = 0
    closed: bool = False
    sample_rate_hz: int = RATE_HZ

    def __post_init__(self) -> None:
        self.hold.set()
        self.prepare_hold.set()

    def prepare(self, observe: Callable[[Event], None], cancel: threading.Event | None) -> None:
        self.threads.add(threading.get_ident())
        self.niceness = os.getpriority(os.PRIO_PROCESS, 0)
        if self.prepared:
            return
        if self.prepare_error is not None:
            raise self.prepare_error
        observe(PreparationEvent("Compiling the decoder", 5, 7))
        if self.device is not None:
            observe(self.device)
        while not self.prepare_hold.wait(0.005):
            if cancel is not None and cancel.is_set():
                raise Canceled("Stopped")
        self.prepared += 1

    def synthesize(
        self, request: SpeechRequest, observe: Callable[[Event], None], cancel: threading.Event | None
    ) -> Iterator[AudioChunk]:
        self.threads.add(threading.get_ident())
        self.requests.append(request)
        plan = Plan(self._utterances(request), self.notices).moved(request.start)
        observe(PlanEvent(plan))
        for utterance in plan.utterances:
            while utterance.index >= self.hold_from and not self.hold.wait(0.005):
                if cancel is not None and cancel.is_set():
                    raise Canceled("Speech stopped.")
            if self.speak_error is not None and utterance.index >= self.fails_after:
                raise self.speak_error
            if utterance.index in self.fallbacks:
                observe(PreparationEvent("Preparing the CPU", 0, 1))
                observe(FallbackEvent(self.fallbacks[utterance.index]))
            yield chunk_of(utterance, len(plan.utterances))

    def plans(self, request: SpeechRequest) -> Iterator[Plan]:
        utterances = tuple(map(with_words, self._utterances(request)))
        if not utterances:
            raise NothingToSpeak("There is nothing to speak.")
        yield Plan(utterances).moved(request.start)

    def _utterances(self, request: SpeechRequest) -> tuple[Utterance, ...]:
        found = utterances_of(request.part)
        for word, phonemes in self.lexicon.items():
            found = tuple(replace(each, phonemes=each.phonemes.replace(word, phonemes)) for each in found)
        return found

    def edited(
        self,
        utterance: Utterance,
        request: SpeechRequest,
        edit: UtteranceEdit,
        observe: Callable[[Event], None],
        cancel: threading.Event | None,
    ) -> tuple[Utterance, Contours, AudioChunk]:
        """Four frames of 25 ms per phoneme, at 200 Hz; as many samples of noise."""
        self.edits.append(edit)
        if self.speak_error is not None:
            raise self.speak_error
        config = load_config()
        changed = edited_plan(Plan((utterance,)), {edit.start: edit}, config).utterances[0]
        model = np.repeat(np.arange(len(changed.phonemes) + 2), 4)
        changes = changed.edit.changes
        tokens = with_durations(config, changes, model)[0][0]
        pitch, energy = np.full((1, 2 * len(tokens)), 200, np.float32), np.full((1, 2 * len(tokens)), 5, np.float32)
        curves = with_curves(changes, tokens, pitch, energy)
        frames = (np.bincount(each)[1:-1] for each in (model, tokens))
        contours = Contours(*frames, pitch[0], curves[0][0], energy[0], curves[1][0], 40.0, 4)
        return changed, contours, chunk_of(changed, 1, RATE_HZ * len(tokens) // 40)

    def readings(self, word: str, request: SpeechRequest, voice: str = "") -> tuple[WordReading, ...]:
        """Return the letters of a word, and the same without its last one as a verb."""
        source = PronunciationSource.LEXICON
        return (WordReading(word, source, british=False), WordReading(word[:-1], source, british=True, form="verb"))

    @property
    def symbols(self) -> str:
        return "".join(load_config().vocab)

    def fingerprint(self, voice: str) -> str:
        return "fake"

    def close(self) -> None:
        self.closed = True


class FakeStream:
    """A device that takes samples when the test says so; with the test's clock, if any, they play in real time."""

    latency_seconds = 0.0
    error: AudioDeviceError | None = None

    def __init__(self, fill: Fill, clock: FakeClock | None = None) -> None:
        self._fill = fill
        self._clock = clock
        self._heard_at = 0.0
        self.active = False
        self.closed = False
        self.played: list[np.ndarray] = []

    @property
    def lag_seconds(self) -> float:
        return self._heard_at - self._clock() if self._clock is not None else self.latency_seconds

    def start(self) -> None:
        self.active = True

    def abort(self) -> None:
        self.active = False

    def close(self) -> None:
        self.closed = True

    def pull(self, frames: int) -> np.ndarray:
        """Take one block, as the device's callback would; silence if there are no samples."""
        block = np.zeros(frames, np.float32)
        if self.active:
            count = self._fill(block)
            if self._clock is not None and count:
                self._heard_at = self._clock() + count / RATE_HZ + self.latency_seconds
            self.played.append(block[:count].copy())
        return block

    def heard(self) -> np.ndarray:
        return np.concatenate([np.zeros(0, np.float32), *self.played])


class FakeOutput:
    """Opens fake streams; if `error` is set, opening raises it."""

    def __init__(self, error: AudioDeviceError | None = None, clock: FakeClock | None = None) -> None:
        self.error = error
        self.clock = clock
        self.streams: list[FakeStream] = []
        self.refreshed = 0
        self.checked = 0

    @property
    def stream(self) -> FakeStream:
        return self.streams[-1]

    def check(self) -> None:
        self.checked += 1
        if self.error is not None:
            raise self.error

    def refresh(self) -> None:
        self.refreshed += 1

    def follow_default(self) -> None:
        pass

    def open(self, sample_rate_hz: int, fill: Fill) -> FakeStream:
        self.check()
        self.streams.append(FakeStream(fill, self.clock))
        return self.stream


class FakeClock:
    """A clock that only advances when told."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def toggle(controller: SpeechController) -> None:
    """Pause, or resume."""
    if controller.playback is Playback.PLAYING:
        controller.pause()
    else:
        controller.go_on()
