"""The only caller of the engine; lives in a separate thread and answers every job with events."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Protocol

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.audio.track import AudioTrack
from app.speech.jobs import (
    ChunkSpoken,
    DeviceChosen,
    FellBack,
    JobEvent,
    PreparationAdvanced,
    Prepared,
    PrepareJob,
    PreviewEnded,
    PreviewJob,
    SaveAdvanced,
    SaveEnded,
    SaveJob,
    SpeakJob,
    SpeechEnded,
    SpeechPlanned,
    VoicesListed,
)
from app.speech.voice_choice import prosody_of
from app.system.threads import failure_of, give_way
from engine.errors import EngineError
from engine.export.progress import ExportProgress
from engine.export.speaker import Speaker
from engine.preparation.devices import AUTO
from engine.speech import (
    STARTER,
    DeviceEvent,
    Event,
    FallbackEvent,
    PlanEvent,
    PreparationEvent,
    Prosody,
    Samples,
)
from engine.system.waiting import raise_if_set

NICENESS = 5
WRITTEN_SAMPLES = 1 << 16
"""So much of a file is written between two looks at what else there is to do."""
STOPPED = "Speaking was stopped."


class SpeechEngine(Speaker, Protocol):
    """What the window needs from the engine; implemented by `engine.synthesizer.Synthesizer`."""

    def close(self) -> None:
        """Release the model."""


EngineFactory = Callable[[], SpeechEngine]
VoiceLister = Callable[[], VoicesListed]


def engine_for(
    model: str, device: str = AUTO, lstm_method: str = AUTO, prosody: Prosody = Prosody.LSTM
) -> SpeechEngine:
    """The engine with a model; imported here, in the worker's thread, because the import takes a while."""
    from engine.audio.kept_speech import KeptSpeech
    from engine.synthesizer import Synthesizer
    from engine.system.paths import kept_speech_folder

    kept = KeptSpeech(kept_speech_folder())
    return Synthesizer(model, device, lstm_method=lstm_method, kept=kept, prosody=prosody)


def voices_here(device: str = AUTO, lstm_method: str = AUTO, prosody: Prosody = Prosody.LSTM) -> VoicesListed:
    """The voices of all models, of which none is loaded; imported here, in the worker's thread."""
    from engine.model_store.installed_voices import installed_voices

    models = installed_voices()
    wanted = {each.model: prosody_of(each.model, models, prosody) for each in models}
    ready = (n for n, manner in wanted.items() if n == STARTER or can_speak_at_once(n, device, lstm_method, manner))
    return VoicesListed(models, next(ready, STARTER))


def can_speak_at_once(model: str, device: str, lstm_method: str = AUTO, prosody: Prosody = Prosody.LSTM) -> bool:
    """Whether a model only has to be loaded; one that cannot be opened is left for the engine to complain about."""
    from engine.preparation.files import is_ready

    try:
        return is_ready(model, device, lstm_method, prosody)
    except EngineError:
        return False


class EngineWorker(QObject):
    """Takes jobs through its slots; every failure becomes an event.

    The speech begun last comes first: it is made at once, what was being made before, for a file, afterwards, and what
    is exported or written last, in the order in which it was asked for, except that what is short comes in between.
    `previews` may be appended to from any thread; they are made between the utterances of a speech.
    """

    reported = Signal(object)
    _step_wanted = Signal()

    def __init__(self, make_engine: EngineFactory, list_voices: VoiceLister = voices_here) -> None:
        super().__init__()
        self._make_engine = make_engine
        self._list_voices = list_voices
        self._engine: SpeechEngine | None = None
        self.previews: deque[PreviewJob] = deque()
        self._former_engines: list[tuple[EngineFactory, SpeechEngine]] = []  # which still make speech
        self._in_work: list[tuple[SpeakJob | SaveJob, Iterator[None]]] = []
        self._renewal_due = False
        self._step_wanted.connect(self._step, Qt.ConnectionType.QueuedConnection)

    @Slot()
    def list_voices(self) -> None:
        """List the voices of all models."""
        error = failure_of(lambda: self._report(self._list_voices()))
        if error is not None:
            self._report(Prepared(error))

    @Slot(object)
    def prepare(self, job: PrepareJob) -> None:
        """Prepare the engine."""
        error = failure_of(partial(self._prepare, job))
        self._report(Prepared(error, job))

    @Slot(object)
    def speak(self, job: SpeakJob) -> None:
        """Speak a request, chunk by chunk; other slots have their turn in between."""
        self._in_work.append((job, self._speak(job)))
        self._step()

    @Slot()
    def _step(self) -> None:
        if not self._in_work:
            return
        job, chunks = self._in_work[-1]
        made: list[bool] = []
        error = failure_of(lambda: made.extend(True for _ in islice(chunks, 1)))
        if made:
            self._step_wanted.emit()
        else:
            self._in_work.pop()
            self._report(SaveEnded(job, error) if isinstance(job, SaveJob) else SpeechEnded(job, error))
            self._free_engines()

    @Slot()
    def preview(self) -> None:
        """Make the previews that are waiting for the present engine, or by a visiting one; others wait for theirs."""
        while self.previews and (self.previews[0].visits or self.previews[0].make_engine is self._make_engine):
            job = self.previews.popleft()
            error = failure_of(partial(self._preview, job))
            if error is not None:
                self._report(PreviewEnded(job, np.zeros(0, np.float32), error=error))

    @Slot(object)
    def save(self, job: SaveJob) -> None:
        """Carry out an order, step by step, while no speech is wanted."""
        saves = [each for each, _ in self._in_work if isinstance(each, SaveJob)]
        place = sum(not each.short and not each.cancel.is_set() for each in saves) if job.short else 0
        self._in_work.insert(place, (job, self._save(job)))
        self._step_wanted.emit()

    @Slot(object)
    def change_engine(self, make_engine: EngineFactory) -> None:
        """Make the next job with a new engine; the present one is released once it has made what it is making."""
        if self._engine is not None:
            self._former_engines.append((self._make_engine, self._engine))
        self._engine, self._make_engine = None, make_engine
        self._free_engines()

    @Slot()
    def renew(self) -> None:
        """Load the model again, with whichever modules are the best by now; a failure shows at the next job."""
        self._renewal_due = self._engine is not None
        self._free_engines()

    @Slot()
    def close(self) -> None:
        """Release every engine."""
        self._in_work.clear()
        if self._engine is not None:
            self._former_engines.append((self._make_engine, self._engine))
        self._renewal_due = False
        self._free_engines()

    def _free_engines(self) -> None:
        """Release and renew what was to be, unless speech is being made."""
        if self._in_work:
            return
        while self._former_engines:
            failure_of(self._former_engines.pop()[1].close)
        if self._renewal_due and self._engine is not None:
            self._engine.close()
            failure_of(partial(self._engine.prepare, _say_nothing, None))
        self._renewal_due = False

    def _prepare(self, job: PrepareJob) -> None:
        raise_if_set(job.cancel, STOPPED)
        self._opened().prepare(self._observe_preparation, job.cancel)

    def _speak(self, job: SpeakJob) -> Iterator[None]:
        raise_if_set(job.cancel, STOPPED)
        engine = self._opened()
        engine.prepare(self._observe_preparation, job.cancel)
        self._report(Prepared())
        for chunk in engine.synthesize(job.request, partial(self._observe_speech, job), job.cancel):
            self._report(ChunkSpoken(job, chunk))
            self.preview()
            yield
            raise_if_set(job.cancel, STOPPED)

    def _save(self, job: SaveJob) -> Iterator[None]:
        for progress in self._steps_of(job):
            self._report(SaveAdvanced(job, progress))
            self.preview()
            yield

    def _steps_of(self, job: SaveJob) -> Iterator[ExportProgress]:
        from engine.export.exporting import export, write_made  # loads what writes sound files

        raise_if_set(job.cancel, STOPPED)
        track = job.track
        if track is not None:
            return write_made(job.order, _blocks(track), track.length, track.sample_rate_hz, job.cancel)
        present = job.make_engine is self._make_engine
        engine = self._engine_of(job)
        observe = self._observe_preparation if present else _say_nothing
        engine.prepare(observe, job.cancel)
        if present:
            self._report(Prepared())
        return export(job.order, engine, observe, job.cancel)

    def _engine_of(self, job: SaveJob | PreviewJob) -> SpeechEngine:
        """The engine that there was when the order was given, or a visiting one, beside the present one."""
        if job.make_engine is self._make_engine:
            return self._opened()
        for make_engine, engine in self._former_engines:
            if make_engine is job.make_engine:
                return engine
        self._former_engines.append((job.make_engine, job.make_engine()))
        return self._former_engines[-1][1]

    def _preview(self, job: PreviewJob) -> None:
        raise_if_set(job.cancel, STOPPED)
        engine = self._engine_of(job) if job.visits else self._opened()
        observe = _say_nothing if job.visits else self._observe_preparation
        engine.prepare(observe, job.cancel)
        if not job.visits:
            self._report(Prepared())
        chunks = list(engine.synthesize(job.request, observe, job.cancel))
        samples = np.concatenate([chunk.samples for chunk in chunks])
        self._report(PreviewEnded(job, samples, chunks[0].sample_rate_hz))

    def _opened(self) -> SpeechEngine:
        if self._engine is None:
            give_way(NICENESS)  # sound and window go first
            self._engine = self._make_engine()
        return self._engine

    def _observe_preparation(self, event: Event) -> None:
        match event:
            case PreparationEvent():
                self._report(PreparationAdvanced(event))
            case DeviceEvent():
                self._report(DeviceChosen(event))
            case FallbackEvent(message):
                self._report(FellBack(message))

    def _observe_speech(self, job: SpeakJob, event: Event) -> None:
        match event:  # stage events carry arrays that the window does not use
            case PlanEvent():
                self._report(SpeechPlanned(job, event))
            case FallbackEvent(message):
                self._report(FellBack(message, job))
            case _:
                self._observe_preparation(event)

    def _report(self, event: JobEvent) -> None:
        self.reported.emit(event)


def _say_nothing(event: Event) -> None:
    """The window need not show what is done between two requests."""


def _blocks(track: AudioTrack) -> Iterator[Samples]:
    """All samples of a track that is whole."""
    position = 0
    while len(block := track.read(position, WRITTEN_SAMPLES)):
        yield block
        position += len(block)
