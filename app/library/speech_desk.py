"""Hears and saves the orders of the queue with the window's own player and saving: one of each at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.library.records import Order
from app.speech.controller import SpeechController
from app.speech.voice_picker import VoicePicker
from engine.errors import Cancelled


@dataclass(frozen=True, eq=False)
class _Heard:
    number: int
    track: AudioTrack


@dataclass(frozen=True)
class _Saved:
    number: int
    path: Path


class SpeechDesk(QObject):
    """Implements `app.library.queue_runner.Desk`; nothing that a person is hearing is interrupted."""

    ended = Signal(int, object)
    freed = Signal()

    def __init__(self, speech: SpeechController, voices: VoicePicker, parent: QObject) -> None:
        super().__init__(parent)
        self._speech = speech
        self._voices = voices
        self._heard: _Heard | None = None
        self._saved: _Saved | None = None
        self._error: Exception | None = None
        self._paths_saved: set[Path] = set()
        self._settle_later = QTimer(self, singleShot=True, interval=0)
        self._settle_later.timeout.connect(self._settle)
        speech.failed.connect(self._on_failed)
        speech.saved.connect(self._on_saved)
        speech.activity_changed.connect(self._later)
        speech.track_changed.connect(self._later)
        voices.model_changed.connect(self._later)

    def obstacle(self, order: Order) -> str | None:
        """What an order has to wait for, or None."""
        if not self._voices.known or order.model == self._voices.speaking_model:
            return None
        titles = {each.model: each.title for each in self._voices.models}
        return f"Some wait until you choose a voice of {titles.get(order.model, order.model)}."

    def has_place(self, order: Order) -> bool:
        """Whether an order could begin now."""
        if not self._voices.known or self.obstacle(order) is not None:
            return False
        activity = self._speech.activity
        if order.target is not None:
            return self._saved is None and activity.save is None
        return self._heard is None and not activity.can_stop and activity.playback is Playback.STOPPED

    def begin(self, number: int, order: Order) -> None:
        """Begin to hear or save an order."""
        if order.target is None:
            self._speech.speak(order.request)
            self._heard = _Heard(number, self._speech.track)
        else:
            self._saved = _Saved(number, order.target)
            self._paths_saved.discard(order.target)
            self._speech.save(order.target, order.request)

    def cancel(self, number: int) -> None:
        """Stop an order that has begun."""
        if self._heard is not None and self._heard.number == number:
            self._speech.stop()
        if self._saved is not None and self._saved.number == number:
            self._speech.cancel_save()
        self._later()

    @Slot()
    def _later(self) -> None:
        """What an order has come to is clear only once all signals about it have arrived."""
        self._settle_later.start()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._error = error
        self._later()

    @Slot(object)
    def _on_saved(self, path: Path) -> None:
        self._paths_saved.add(path)
        self._later()

    @Slot()
    def _settle(self) -> None:
        error, self._error = self._error, None
        self._end_heard(error)
        self._end_saved(error)
        self.freed.emit()

    def _end_heard(self, error: Exception | None) -> None:
        if self._heard is None:
            return
        track = self._heard.track
        replaced = self._speech.track is not track
        stopped = self._speech.player.playback is Playback.STOPPED
        to_the_end = stopped and track.whole and self._speech.player.position >= track.length
        if replaced or stopped or error is not None:
            number, self._heard = self._heard.number, None
            self.ended.emit(number, None if to_the_end and not replaced else error or Cancelled("It was stopped."))

    def _end_saved(self, error: Exception | None) -> None:
        if self._saved is None or self._speech.activity.save is not None:
            return
        saved, self._saved = self._saved, None
        written = saved.path in self._paths_saved
        self.ended.emit(saved.number, None if written else error or Cancelled("It was cancelled."))
