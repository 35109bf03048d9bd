"""Hears and saves the wishes of the queue with the window's own player and saving: one of each at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.library.records import QueueJob
from app.reading.opener import Reader
from app.reading.reading import Reading
from app.speech.controller import SpeechController
from app.speech.engine_worker import EngineFactory
from app.speech.voice_picker import VoicePicker
from app.tasks import Tasks
from engine.errors import Cancelled
from engine.export.export_job import ExportJob, order_of_text
from engine.text.documents import Document, read_document

CHAPTER_GAP = "\n\n"


def read_usual(path: Path, cancel: threading.Event) -> Document:
    """What is read of a document unless a person chooses otherwise; raises `EngineError` children."""
    document = read_document(path, cancel)
    return document.with_chapters(document.usual_chapters)


@dataclass(frozen=True, eq=False)
class _Begun:
    """`track` has what is heard and `order` what is saved; neither is there while its document is read.

    `cancel` is the event that ends the reading.
    """

    number: int
    wish: QueueJob
    cancel: threading.Event = field(default_factory=threading.Event)
    track: AudioTrack | None = None
    order: ExportJob | None = None


class QueueExecutor(QObject):
    """Implements `app.library.queue_runner.Desk`; nothing that a person is hearing is interrupted.

    `engine_factory` gives what makes the engine of a model: a file may be made by a model that is not in use.
    `read` gives what is to be spoken of a document, and is called in a thread.
    """

    ended = Signal(int, object)
    freed = Signal()

    def __init__(
        self,
        speech: SpeechController,
        reading: Reading,
        voices: VoicePicker,
        engine_factory: Callable[[str], EngineFactory],
        parent: QObject,
        read: Reader = read_usual,
    ) -> None:
        super().__init__(parent)
        self._speech = speech
        self._reading = reading
        self._voices = voices
        self._engine_factory = engine_factory
        self._heard: _Begun | None = None
        self._saved: _Begun | None = None
        self._error: Exception | None = None
        self._read = read
        self._documents = Tasks("documents of the queue", self)
        self._settle_later = QTimer(self, singleShot=True, interval=0)
        self._settle_later.timeout.connect(self._settle)
        speech.speech_failed.connect(self._on_failed)
        speech.saving.ended.connect(self._on_saved)
        speech.activity_changed.connect(self._later)
        speech.track_changed.connect(self._later)
        voices.model_changed.connect(self._later)
        voices.listed.connect(self._later)

    def obstacle(self, wish: QueueJob) -> str | None:
        """What a wish has to wait for, or None."""
        if wish.target is not None or not self._voices.known or wish.model == self._voices.speaking_model:
            return None
        titles = {each.model: each.title for each in self._voices.models}
        return f"Some items need {titles.get(wish.model, wish.model)}. Choose one of its voices to continue."

    def has_place(self, wish: QueueJob) -> bool:
        """Whether a wish could begin now."""
        if not self._voices.known or self.obstacle(wish) is not None:
            return False
        if wish.target is not None:
            return self._saved is None
        return self._heard is None and self._silent

    def begin(self, number: int, wish: QueueJob) -> None:
        """Begin to hear or save a wish, of a document once that is read."""
        begun = _Begun(number, wish)
        if wish.target is None:
            self._heard = begun
        else:
            self._saved = begun
        if wish.document is not None:
            done, failed = partial(self._on_read, begun), partial(self._on_unread, begun)
            self._documents.run(self._read, wish.document, begun.cancel, done=done, failed=failed, cancel=begun.cancel)
        elif wish.target is None:
            self._hear(begun, wish.request.text)
        else:
            self._save(begun, order_of_text(wish.target, wish.request))

    def cancel(self, number: int) -> None:
        """Stop a wish that has begun."""
        for begun in (self._heard, self._saved):
            if begun is not None and begun.number == number:
                begun.cancel.set()
        if self._heard is not None and self._heard.number == number and self._heard.track is self._speech.track:
            self._speech.stop()  # but not what was begun in its place
        if self._saved is not None and self._saved.number == number and self._saved.order is not None:
            self._speech.saving.cancel_order(self._saved.order)

    def withdraw(self) -> None:
        """End what is to be heard if it is not heard yet."""
        if self._heard is not None and self._heard.track is None:
            begun, self._heard = self._heard, None
            begun.cancel.set()
            self._end(begun.number, Cancelled("Removed"))

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop reading documents; return whether that ended in time."""
        self._documents.cancel()
        return self._documents.shut_down(timeout_ms)

    @property
    def hears(self) -> bool:
        """Whether an item is being heard."""
        return self._heard is not None

    @property
    def _silent(self) -> bool:
        activity = self._speech.activity
        return not activity.can_stop and activity.playback is Playback.STOPPED

    def _hear(self, begun: _Begun, text: str) -> None:
        self._error = None  # of what was heard before
        self._reading.play_item(begun.wish.title, replace(begun.wish.request, text=text))
        self._heard = replace(begun, track=self._speech.track)

    def _save(self, begun: _Begun, order: ExportJob) -> None:
        self._saved = replace(begun, order=order)
        if begun.wish.model == self._voices.speaking_model:
            self._speech.export(order)
        else:
            self._speech.saving.add(order, self._engine_factory(begun.wish.model))

    def _on_read(self, begun: _Begun, document: Document) -> None:
        if begun is self._saved and begun.wish.target is not None:
            self._save(begun, ExportJob(document, begun.wish.request, begun.wish.target))
        elif begun is self._heard and self._silent and self.obstacle(begun.wish) is None:
            self._hear(begun, text_of(document))
        else:  # reading takes a while, in which a person may have begun to hear something else
            self._on_unread(begun, Cancelled("Skipped because something else started playing"))

    def _on_unread(self, begun: _Begun, error: Exception) -> None:
        if begun is self._heard:
            self._heard = None
        elif begun is self._saved:
            self._saved = None
        else:  # it was withdrawn
            return
        self._end(begun.number, error)

    @Slot()
    def _later(self) -> None:
        """What a wish has come to is clear only once all signals about it have arrived."""
        self._settle_later.start()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._error = error
        self._later()

    @Slot(object, object)
    def _on_saved(self, order: ExportJob, error: Exception | None) -> None:
        if self._saved is not None and self._saved.order is order:
            number, self._saved = self._saved.number, None
            self._end(number, error)

    @Slot()
    def _settle(self) -> None:
        error, self._error = self._error, None
        if self._heard is not None and self._heard.track is not None:
            self._end_heard(self._heard.number, self._heard.track, error)
        self.freed.emit()

    def _end_heard(self, number: int, track: AudioTrack, error: Exception | None) -> None:
        replaced = self._speech.track is not track
        stopped = self._speech.player.playback is Playback.STOPPED
        if replaced or stopped or error is not None:
            self._heard = None
            to_the_end = self._speech.heard_to_the_end and not replaced
            self._end(number, None if to_the_end else error or Cancelled("Stopped"))

    def _end(self, number: int, error: Exception | None) -> None:
        self.ended.emit(number, error)
        self._later()


def text_of(document: Document) -> str:
    """All chapters of a document as one text."""
    return CHAPTER_GAP.join(chapter.text for chapter in document.chapters)
