"""Text in, audio out, chunk by chunk: the only object that an application needs."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from engine.audio.joining import AudioConcatenator, earlier, heard_part, louder, spoken_words
from engine.audio.speech_cache import SpeechCache, key_of
from engine.compiler.artifacts.manifest import CPU, CPU_DEVICE, MANIFEST_NAME
from engine.config import SAMPLE_RATE_HZ
from engine.errors import Canceled, DamagedFile, EngineError, GpuFailed, InvalidRequest
from engine.models.checkpoints import LEAD_SECONDS, STARTER, Checkpoint, open_with, starter_voices
from engine.models.installed_voices import with_saved
from engine.models.voices.blends import SavedVoices
from engine.models.voices.packs import Voice
from engine.network.ops.packed_lstm import LstmMethod
from engine.runtime.edits import edited_plan
from engine.runtime.fallback import PREPARING_SPARE, BackgroundLoad, FallbackSpeaker, LoadedPipeline, LoadResult
from engine.runtime.pipeline import Observer, Pipeline, ignore
from engine.runtime.planning import check_request, directed, planned_utterances, plans_of
from engine.runtime.preparation.devices import AUTO, DeviceChoice, check_device, first_device
from engine.runtime.preparation.files import ModelFiles, ensure_files, load_stages
from engine.runtime.preparation.lstm_methods import MethodChoice, check_lstm_method
from engine.runtime.runners.base import Runner
from engine.runtime.runners.host import HostRunner
from engine.speech import (
    AudioChunk,
    Contours,
    DeviceEvent,
    FallbackEvent,
    Notice,
    Plan,
    PreparationEvent,
    Prosody,
    Speech,
    SpeechRequest,
    Utterance,
    UtteranceEdit,
    VoiceInfo,
    WordReading,
)
from engine.stages import StagePlace
from engine.system.cores import check_threads, usable_cores
from engine.system.paths import packed_weights_folder
from engine.system.waiting import raise_if_set
from engine.text.g2p import Phonemizer
from engine.text.g2p.user_lexicon.store import UserLexicon
from engine.text.languages import language_of

GPU_COMES = "in use until the GPU has passed its self-test"


class Synthesizer:
    """Synthesizes requests with one model on one device, using the CPU for utterances at which a GPU fails.

    The constructor is cheap. `prepare` loads the model and builds missing modules; `synthesize` calls it if necessary.
    `threads` is the number of computing threads, by default one for each usable core; the constructor raises
    `InvalidRequest` for a number that this machine does not have. `lstm_method` is a preference, which applies only on
    a Mac's GPU. With the `prosody` of a Transformer, the model's students replace its LSTMs. Utterances in the cache
    `kept` are not generated again, and then have no `StageEvent`s; new ones are added to it.

    Not thread-safe: use it from one thread at a time.
    """

    sample_rate_hz = SAMPLE_RATE_HZ

    def __init__(
        self,
        model: str = STARTER,
        device: str = AUTO,
        weights: str | None = None,
        threads: int | None = None,
        lstm_method: str = AUTO,
        kept: SpeechCache | None = None,
        prosody: Prosody = Prosody.LSTM,
    ) -> None:
        check_device(device)
        check_lstm_method(lstm_method)
        check_threads(threads)
        self.model = model
        self._wanted_device = device
        self._weights = weights
        self._threads = threads
        self._lstm_method = lstm_method
        self._kept = kept
        self._prosody = prosody
        self._checkpoint: Checkpoint | None = None
        self._speaker: FallbackSpeaker | None = None
        self._takeover: BackgroundLoad | None = None
        self._phonemizers: dict[str, Phonemizer] = {}
        self._lexicon = UserLexicon()

    @property
    def device(self) -> str:
        """The requested device or, once prepared, the device that was last used."""
        return self._wanted_device if self._speaker is None else self._speaker.device

    def voices(self) -> tuple[VoiceInfo, ...]:
        """Return the voices of the model and the saved blends of them; the model is not loaded."""
        starter = self.model == STARTER and self._weights is None
        voices = starter_voices() if starter else tuple(voice.info for voice in self._opened().voices.values())
        return with_saved(voices)

    def voice(self, name: str) -> VoiceInfo:
        """Return the voice of this name or blend. Raises `UnknownVoice` or `InvalidRequest`."""
        return self._voice(name)[0].info

    def fingerprint(self, voice: str) -> str:
        """Return the factors besides the request that affect the samples of a voice: weights, its pack, device.

        Where one device may take over from another, the device that will be used is unknown, so the requested one
        counts. Raises the errors of `voice`.
        """
        device = self._wanted_device if self._may_be_taken_over else self.device
        chosen = self._voice(voice)[0]
        return f"{self._opened().identity} {chosen.info} {chosen.digest} {device}"

    @property
    def identity(self) -> str:
        """The weights, modules, device and number of threads in use, which determine the samples to the last bit.

        Raises `Canceled` unless prepared.
        """
        return self._ready().identity

    def prepare(self, observe: Observer = ignore, cancel: threading.Event | None = None) -> None:
        """Load the model; `observe` receives `PreparationEvent`s and a `DeviceEvent`.

        Missing modules are built on first use. If a GPU has to be tried and loaded first, the CPU is used until then;
        the request during which the GPU takes over receives a second `DeviceEvent`. If a requested GPU fails here, the
        model is loaded for the CPU, and `observe` also receives a `FallbackEvent`.

        Raises `Canceled`, `DamagedFile`, `MissingModel`, `CompileError`, or `EngineError` if Metal was requested but
        is unavailable.
        """
        if self._speaker is not None:
            return
        try:
            loaded = self._load(first_device(self._wanted_device), observe, cancel)
        except GpuFailed as failure:
            observe(PREPARING_SPARE)
            loaded = self._load(CPU_DEVICE, observe, cancel)
            observe(FallbackEvent(f"{failure.message} Using the CPU instead."))
        self._speaker = FallbackSpeaker(loaded, partial(self._load, CPU_DEVICE))
        for voice in self._opened().voices.values():
            if language_of(voice.info.language).english:  # takes a second; other languages need no preparation
                self._phonemizer(voice.info.language)
        if self._may_be_taken_over:
            self._takeover = BackgroundLoad(self._load_gpu)
        observe(PreparationEvent("Ready", 1, 1))

    def synthesize(
        self, request: SpeechRequest, observe: Observer = ignore, cancel: threading.Event | None = None
    ) -> Iterator[AudioChunk]:
        """Generate the audio of a request, one utterance at a time, in order.

        A long text is planned while it is spoken, so `observe` receives several `PlanEvent`s, the last with the whole
        plan. Raises an `InvalidRequest` or `MissingLanguage` before any work, `Canceled` within the time of one stage
        after `cancel` is set, and `DamagedFile` if the weights give samples that are not finite.
        """
        plans, voices = self._planning(request, cancel)
        self.prepare(observe, cancel)
        joiner = AudioConcatenator(self.sample_rate_hz, request.pause_scale)
        for utterance, plan in planned_utterances(plans, observe):
            raise_if_set(cancel, "Speech stopped.")
            raw = self._raw(utterance, voices[utterance.voice], request, observe, cancel)
            total = len(plan.utterances) if plan.whole else 0
            yield self._chunk(joiner, raw, utterance, total, last=utterance.index + 1 == total)

    def edited(
        self,
        utterance: Utterance,
        request: SpeechRequest,
        edit: UtteranceEdit,
        observe: Observer = ignore,
        cancel: threading.Event | None = None,
    ) -> tuple[Utterance, Contours, AudioChunk]:
        """Return an utterance, planned without edits, as it sounds alone with an edit; only changed stages run.

        Raises `InvalidRequest` for an unusable edit, and otherwise the same errors as `synthesize`.
        """
        check_request(request)
        voice = self._voice(request.definitions.recipe_of(utterance.voice or request.voice))[0]
        self.prepare(observe, cancel)
        plan = edited_plan(Plan((utterance,)), {utterance.start: edit}, self._opened().config)
        if plan.notices:
            raise InvalidRequest(plan.notices[0].message, "Undo the last change.")
        changed = plan.utterances[0]
        what = (changed, voice.style(len(changed.phonemes)), request.speed, request.seed, observe, cancel)
        contours = self._ready().contours(*what)
        raw = _sound(self._ready().speak(*what))
        joiner = AudioConcatenator(self.sample_rate_hz, request.pause_scale)
        return changed, contours, self._chunk(joiner, raw, changed, 1, last=True)

    @property
    def symbols(self) -> str:
        """The phonemes of the model; it is not loaded."""
        return "".join(self._opened().config.vocab)

    def _chunk(
        self, joiner: AudioConcatenator, raw: Speech, utterance: Utterance, total: int, *, last: bool
    ) -> AudioChunk:
        raw = louder(raw, 0.0 if utterance.edit is None else utterance.edit.gain_db)
        raw = heard_part(earlier(raw, round(LEAD_SECONDS * self.sample_rate_hz)), utterance)
        speech = joiner.chunk(raw, utterance, last=last)
        words = spoken_words(utterance, speech)
        return AudioChunk(utterance, total, speech.samples, self.sample_rate_hz, words)

    def contours(
        self, request: SpeechRequest, observe: Observer = ignore, cancel: threading.Event | None = None
    ) -> Iterator[tuple[Utterance, Contours]]:
        """Each utterance of a request with its durations, pitch and energy; see `synthesize`, which makes the audio."""
        plans, voices = self._planning(request, cancel)
        self.prepare(observe, cancel)
        for utterance, _ in planned_utterances(plans, observe):
            raise_if_set(cancel, "Speech stopped.")
            style = voices[utterance.voice].style(len(utterance.phonemes))
            yield utterance, self._ready().contours(utterance, style, request.speed, request.seed, observe, cancel)

    def plans(self, request: SpeechRequest) -> Iterator[Plan]:
        """Yield the plan of a request as it grows, without modules. Raises an `InvalidRequest` or `MissingLanguage`."""
        return self._planning(request)[0]

    def readings(self, word: str, request: SpeechRequest, voice: str = "") -> tuple[WordReading, ...]:
        """Return the pronunciations that a word may have for a voice, by default the request's.

        Raises an `InvalidRequest` or `MissingLanguage`.
        """
        info = self._voice(request.definitions.recipe_of(voice or request.voice))[0].info
        return self._phonemizer(language_of(request.language or info.language).tag).readings(word)

    def _planning(
        self, request: SpeechRequest, cancel: threading.Event | None = None
    ) -> tuple[Iterator[Plan], dict[str, Voice]]:
        """Return the plans of a request, created lazily, and its voices by the names in the text."""
        check_request(request)
        script, voices = directed(request, lambda name: self._voice(name)[0])
        tags = {name: language_of(request.language or voice.info.language).tag for name, voice in voices.items()}
        self._check_languages(tags.values())
        notices = () if request.language else self._voice(request.definitions.recipe_of(request.voice))[1]

        def plans() -> Iterator[Plan]:
            phonemizers = {name: self._phonemizer(tag) for name, tag in tags.items()}
            for plan in plans_of(request, script, phonemizers, self._opened().config, cancel):
                yield replace(plan, notices=(*notices, *plan.notices))

        return plans(), voices

    def _raw(
        self,
        utterance: Utterance,
        voice: Voice,
        request: SpeechRequest,
        observe: Observer,
        cancel: threading.Event | None,
    ) -> Speech:
        """Return the model's output for an utterance, from the cache or newly generated."""
        self._take_over(observe)
        speaker, style = self._ready(), voice.style(len(utterance.phonemes))
        if self._kept is None:
            return _sound(speaker.speak(utterance, style, request.speed, request.seed, observe, cancel))
        what = (utterance.phonemes, style, request.speed, request.seed, utterance.edit)
        kept = self._kept.find(key_of(speaker.identity, *what))
        if kept is not None:
            return kept
        raw = _sound(speaker.speak(utterance, style, request.speed, request.seed, observe, cancel))
        self._kept.store_speech(key_of(speaker.identity, *what), raw)  # the CPU may have replaced the GPU meanwhile
        return raw

    def close(self) -> None:
        """Release the model; the next request loads it again."""
        if self._takeover is not None:
            self._takeover.stop()
        self._takeover = None
        if self._speaker is not None:
            self._speaker.close()
        self._speaker = None

    def _check_languages(self, tags: Iterable[str]) -> None:
        """Raise `MissingLanguage` now if packages are missing; English, which takes a second, always has them."""
        for tag in tags:
            if not language_of(tag).english:
                self._phonemizer(tag)

    def _voice(self, name: str) -> tuple[Voice, tuple[Notice, ...]]:
        return SavedVoices().choose(name, self._opened().voices)

    @property
    def _may_be_taken_over(self) -> bool:
        return first_device(self._wanted_device) != self._wanted_device

    def _take_over(self, observe: Observer) -> None:
        """Switch to the GPU if it is ready, and report the outcome."""
        if self._takeover is None or (arrival := self._takeover.arrival()) is None:
            return
        self._takeover = None
        observe(arrival.event)
        if arrival.loaded is not None:
            self._ready().take_over(arrival.loaded)

    def _load(self, device: str, observe: Observer, cancel: threading.Event | None) -> LoadedPipeline:
        files = ensure_files(self._opened(), device, observe, cancel, self._lstm_method)
        if device == self._wanted_device:  # a fallback reports its own event
            observe(device_event(files.choice, files.lstm))
        elif self._speaker is None and self._may_be_taken_over:
            observe(device_event(replace(files.choice, why=GPU_COMES), files.lstm))
        return self._loaded(files, observe, cancel)

    def _load_gpu(self, cancel: threading.Event) -> LoadResult:
        try:
            files = ensure_files(self._opened(), self._wanted_device, ignore, cancel, self._lstm_method)
            told = device_event(files.choice, files.lstm)
            return LoadResult(told, None if files.device == CPU_DEVICE else self._loaded(files, ignore, cancel))
        except Canceled:
            raise
        except EngineError as error:
            why = f"the GPU isn’t used: {error.message}"
            choice = DeviceChoice(CPU_DEVICE, CPU, why, is_fallback=True)
            return LoadResult(device_event(choice, MethodChoice(LstmMethod.TIR, "built-in kernels")), None)

    def _loaded(self, files: ModelFiles, observe: Observer, cancel: threading.Event | None) -> LoadedPipeline:
        checkpoint = self._opened()
        compiled = load_stages(checkpoint.config, files, self._threads, observe, cancel)
        runners: dict[StagePlace, Runner] = {
            StagePlace.DEVICE: compiled,
            StagePlace.HOST: HostRunner(checkpoint.config),
        }
        return LoadedPipeline(Pipeline(checkpoint.config, runners), files.device, self._identity(files))

    def _identity(self, files: ModelFiles) -> str:
        """Return an identity of the weights, the modules and the thread count, which affects the last bits of sums."""
        folders = [files.modules, *([] if files.students is None else [files.students.modules])]
        modules = hashlib.sha256(b"".join((folder / MANIFEST_NAME).read_bytes() for folder in folders)).hexdigest()
        return f"{self._opened().identity} {files.device} {modules} {self._threads or len(usable_cores())}"

    def _opened(self) -> Checkpoint:
        if self._checkpoint is None:
            self._checkpoint = open_with(self._prosody, self.model, self._weights)
        return self._checkpoint

    def _ready(self) -> FallbackSpeaker:
        if self._speaker is None:
            raise Canceled("The engine was closed.")
        return self._speaker

    def _phonemizer(self, language: str) -> Phonemizer:
        if language not in self._phonemizers:
            config = self._opened().config
            symbols = frozenset(config.vocab)
            self._phonemizers[language] = Phonemizer(language, symbols, config.phoneme_limit, lexicon=self._lexicon)
        return self._phonemizers[language]


def _sound(speech: Speech) -> Speech:
    """Return the same speech.

    Raises `DamagedFile` if a sample is not finite, which never happens with trained weights.
    """
    if np.isfinite(speech.samples).all():
        return speech
    folder = packed_weights_folder()
    raise DamagedFile(
        folder,
        "The model produced invalid audio. Its cached weights are probably corrupted.",
        f"Delete {folder} and try again; it will be rebuilt. If that doesn’t help, reinstall the model.",
    )


def device_event(device: DeviceChoice, lstm: MethodChoice) -> DeviceEvent:
    """Return the event that reports the chosen device and LSTM method."""
    fallback_reasons = [choice.why for choice in (device, lstm) if choice.is_fallback]
    return DeviceEvent(device.words, lstm.words, lstm.seconds, "; ".join(fallback_reasons))
