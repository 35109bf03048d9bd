"""The engine's thread: carries out tasks, the most urgent one first, and reports the results of each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal, Slot

from app.speech.activity import Activity, Readiness
from app.speech.voice_choice import prosody_of
from app.system.threads import give_way
from app.tasks import Tasks
from engine.errors import EngineError
from engine.export.export_job import ExportProgress, ExportSynthesizer
from engine.runtime.preparation.devices import AUTO
from engine.speech import (
    STARTER,
    AudioChunk,
    Contours,
    DeviceEvent,
    Event,
    FallbackEvent,
    Plan,
    PreparationEvent,
    Prosody,
    SpeechRequest,
    StageEvent,
    Utterance,
    UtteranceEdit,
    WordReading,
)
from engine.system.waiting import raise_if_set

if TYPE_CHECKING:
    from engine.models.installed_voices import ModelVoices

NICENESS = 5


class SpeechEngine(ExportSynthesizer, Protocol):
    """The engine as the window uses it; implemented by `engine.runtime.synthesizer.Synthesizer`."""

    def plans(self, request: SpeechRequest) -> Iterator[Plan]:
        """Plan a request; each plan continues the one before."""

    def readings(self, word: str, request: SpeechRequest, voice: str = "") -> tuple[WordReading, ...]:
        """Return the pronunciations that a word may have for a voice, by default the request's."""

    def edited(
        self,
        utterance: Utterance,
        request: SpeechRequest,
        edit: UtteranceEdit,
        observe: Callable[[Event], None],
        cancel: threading.Event | None,
    ) -> tuple[Utterance, Contours, AudioChunk]:
        """Generate one planned utterance with an edit."""

    @property
    def symbols(self) -> str:
        """The phonemes of the model."""

    def close(self) -> None:
        """Release the model."""


@dataclass(frozen=True)
class VoicesListed:
    """The usable models and their voices, best first, and the best model that only has to be loaded."""

    models: tuple[ModelVoices, ...]
    ready_model: str


@dataclass(frozen=True)
class Ended:
    """The end of a task; `error` is the reason if it did not finish."""

    error: Exception | None = None


@dataclass(frozen=True)
class TextPlanned:
    """The plan of a text, or of its beginning, without speech; `symbols` are the phonemes of the model."""

    plan: Plan
    symbols: str


@dataclass(frozen=True)
class SpeechEdited:
    """An utterance that was spoken alone, with its edit."""

    utterance: Utterance
    contours: Contours
    chunk: AudioChunk


@dataclass(frozen=True)
class ReadingsFound:
    """The pronunciations that a word may have."""

    readings: tuple[WordReading, ...]


EngineFactory = Callable[[], SpeechEngine]
VoiceLister = Callable[[], VoicesListed]
Result = VoicesListed | AudioChunk | ExportProgress | TextPlanned | SpeechEdited | ReadingsFound
Report = Result | Event | Ended


class Urgency(IntEnum):
    """The priority of a task; lower values go first."""

    AT_ONCE = 0
    SPEECH = 1
    FILE = 2
    BOOK = 3


@dataclass(frozen=True)
class Means:
    """The resources of a task: a function that returns the prepared engine, an event callback, and a `cancel` event."""

    engine: Callable[[], SpeechEngine]
    observe: Callable[[Event], None]
    cancel: threading.Event


Work = Callable[[Means], Iterable[Result]]


def no_engine() -> SpeechEngine:
    """Raise `LookupError`; the engine factory of a task that needs no engine."""
    raise LookupError("This task has no engine.")


@dataclass(frozen=True, eq=False)
class EngineTask:
    """Work for the engine of `make_engine`, which may differ from the window's present one."""

    work: Work
    urgency: Urgency
    make_engine: EngineFactory = no_engine
    cancel: threading.Event = field(default_factory=threading.Event)


def preparing(means: Means) -> Iterable[Result]:
    """Prepare the engine."""
    means.engine()
    return ()


def speaking(request: SpeechRequest) -> Work:
    """Return work that speaks a request, utterance by utterance."""
    return lambda means: means.engine().synthesize(request, means.observe, means.cancel)


def planning(request: SpeechRequest, character: int | None = None) -> Work:
    """Return work that plans a request up to the utterance after the one at a character, or all of it."""

    def work(means: Means) -> Iterable[Result]:
        engine, plan = means.engine(), Plan(())
        for plan in engine.plans(request):
            raise_if_set(means.cancel)
            ahead = sum(1 for each in plan.utterances if character is not None and each.end > character)
            if ahead > 1:
                break
        yield TextPlanned(plan, engine.symbols)

    return work


def finding_readings(word: str, request: SpeechRequest, voice: str) -> Work:
    """Return work that finds the pronunciations of a word for a voice of the request."""
    return lambda means: [ReadingsFound(means.engine().readings(word, request, voice))]


def speaking_edited(utterance: Utterance, request: SpeechRequest, edit: UtteranceEdit) -> Work:
    """Return work that speaks one planned utterance with an edit."""
    return lambda means: [SpeechEdited(*means.engine().edited(utterance, request, edit, means.observe, means.cancel))]


def engine_for(
    model: str, device: str = AUTO, lstm_method: str = AUTO, prosody: Prosody = Prosody.LSTM
) -> SpeechEngine:
    """Return the engine with a model; imported here, in the worker's thread, because the import takes a while."""
    from engine.audio.speech_cache import SpeechCache
    from engine.runtime.synthesizer import Synthesizer
    from engine.system.paths import kept_speech_folder

    kept = SpeechCache(kept_speech_folder())
    return Synthesizer(model, device, lstm_method=lstm_method, kept=kept, prosody=prosody)


def voices_here(device: str = AUTO, lstm_method: str = AUTO, prosody: Prosody = Prosody.LSTM) -> VoicesListed:
    """Return the voices of all models without loading any; imported here, in the worker's thread."""
    from engine.models.installed_voices import installed_voices

    models = installed_voices()
    wanted = {each.model: prosody_of(each.model, models, prosody) for each in models}
    ready = (
        n
        for n, chosen_prosody in wanted.items()
        if n == STARTER or can_speak_at_once(n, device, lstm_method, chosen_prosody)
    )
    return VoicesListed(models, next(ready, STARTER))


def can_speak_at_once(model: str, device: str, lstm_method: str = AUTO, prosody: Prosody = Prosody.LSTM) -> bool:
    """Return whether a model only has to be loaded; False if it cannot be opened, which the engine reports later."""
    from engine.runtime.preparation.files import is_ready

    try:
        return is_ready(model, device, lstm_method, prosody)
    except EngineError:
        return False


class EngineWorker(QObject):
    """Carries out tasks in a thread; `start_task` returns immediately, and a failure ends its task.

    After each result, the most urgent task has its turn; of equally urgent ones, the first. An engine stays open while
    it is the `present` one or there is a task for it.
    """

    reported = Signal(object, object)  # the task, and a `Report` about it

    def __init__(self, present: EngineFactory, owner: QObject) -> None:
        super().__init__(owner)
        self.present = present
        self._begun: list[EngineTask] = []
        self._engines: dict[EngineFactory, SpeechEngine] = {}
        self._tasks = Tasks("engine", self)

    def start_task(self, task: EngineTask) -> EngineTask:
        """Carry out a task once it is the most urgent one."""
        self._begun.append(task)
        self._tasks.run(
            self._results_of,
            task,
            done=partial(self._end, task),
            failed=partial(self._end, task),
            progress=partial(self.reported.emit, task),
            cancel=task.cancel,
            urgency=task.urgency,
        )
        return task

    def shut_down(self, timeout_ms: int) -> bool:
        """Cancel every task and release every engine; return whether that finished in time."""
        self._tasks.cancel()
        self.present = no_engine
        self._begun.clear()
        self._tasks.run(self._free_engines)
        return self._tasks.shut_down(timeout_ms)

    def _end(self, task: EngineTask, error: Exception | None) -> None:
        if task in self._begun:
            self._begun.remove(task)
            self._tasks.run(self._free_engines)  # also for a task that never had its turn
            self.reported.emit(task, Ended(error))

    def _results_of(self, task: EngineTask) -> Iterator[Result]:
        observe = partial(self._observe, task)
        try:
            yield from task.work(Means(partial(self._engine_of, task, observe), observe, task.cancel))
        finally:
            self._free_engines(task)

    def _engine_of(self, task: EngineTask, observe: Callable[[Event], None]) -> SpeechEngine:
        if task.make_engine not in self._engines:
            self._free_engines()
            give_way(NICENESS)  # audio and window go first
            self._engines[task.make_engine] = task.make_engine()
        engine = self._engines[task.make_engine]
        engine.prepare(observe, task.cancel)
        return engine

    def _free_engines(self, ended: EngineTask | None = None) -> None:
        needed = {self.present, *(task.make_engine for task in tuple(self._begun) if task is not ended)}
        for make_engine in self._engines.keys() - needed:
            self._engines.pop(make_engine).close()

    def _observe(self, task: EngineTask, event: Event) -> None:
        if not isinstance(event, StageEvent):  # the window does not use its arrays
            self._tasks.call_in_window(self.reported.emit, task, event)


class Engine(QObject):
    """The present engine for the window: `state` is an activity with only the facts about the engine."""

    changed = Signal()
    voices_listed = Signal(object)
    failed = Signal(object)

    def __init__(self, make_engine: EngineFactory, list_voices: VoiceLister, parent: QObject) -> None:
        super().__init__(parent)
        self.state = Activity()
        self.worker = EngineWorker(make_engine, self)
        self._list_voices = list_voices
        self._listing: EngineTask | None = None
        self._preparing: EngineTask | None = None
        self.worker.reported.connect(self._on_report)

    @Slot()
    def list_voices(self) -> None:
        """List the voices of all models."""
        self._listing = self.worker.start_task(EngineTask(lambda _: [self._list_voices()], Urgency.AT_ONCE))

    @Slot()
    def prepare(self) -> None:
        """Prepare the engine."""
        self._preparing = self.worker.start_task(EngineTask(preparing, Urgency.AT_ONCE, self.worker.present))
        self._set(readiness=Readiness.PREPARING)

    def change(self, make_engine: EngineFactory) -> None:
        """Prepare a different engine, which is the present one from now on."""
        if self._preparing is not None:
            self._preparing.cancel.set()
        self.worker.present = make_engine
        self.prepare()

    def forget_fallback(self) -> None:
        """Clear the note that the CPU generated speech instead of the GPU."""
        self._set(fallback="")

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop preparing, and end once the task in progress is canceled; return whether it did in time."""
        if self._preparing is not None:
            self._preparing.cancel.set()
        return self.worker.shut_down(timeout_ms)

    @Slot(object, object)
    def _on_report(self, task: EngineTask, report: Report) -> None:
        if task.make_engine is self.worker.present:
            self._note(task, report)
        if isinstance(report, VoicesListed):
            self.voices_listed.emit(report)
        elif isinstance(report, Ended) and (task is self._preparing or task is self._listing):
            if task is self._preparing:
                self._preparing = None
            if report.error is not None and not task.cancel.is_set():
                self._set(readiness=Readiness.FAILED, preparation=None)
                self.failed.emit(report.error)

    def _note(self, task: EngineTask, report: Report) -> None:
        """Update the state from a report; any result shows that the engine is ready."""
        match report:
            case PreparationEvent():
                self._set(readiness=Readiness.PREPARING, preparation=report)
            case DeviceEvent():
                self._set(device=report)
            case Ended(error) if error is not None:
                prepares_still = self._preparing is not None and task is not self._preparing
                if self.state.readiness is Readiness.PREPARING and not prepares_still:
                    self._set(readiness=Readiness.FAILED, preparation=None)
            case FallbackEvent(message) if not task.cancel.is_set():  # otherwise the latest speech is a different one
                self._set(readiness=Readiness.READY, preparation=None, fallback=message)
            case _:
                self._set(readiness=Readiness.READY, preparation=None)

    def _set(self, **changes: object) -> None:
        self.state = replace(self.state, **changes)  # type: ignore[arg-type]
        self.changed.emit()
