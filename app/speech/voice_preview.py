"""Plays a sentence in a voice as a preview without losing the current speech."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from app.audio.output import AudioOutput
from app.audio.player import AudioPlayer, Playback
from app.audio.sound_player import SoundPlayer
from app.speech.engine_worker import Ended, EngineFactory, EngineTask, EngineWorker, Report, Urgency, speaking
from engine.errors import Canceled
from engine.speech import AudioChunk, SpeechRequest


class VoicePreview(QObject):
    """Previews one sentence at a time; the speech pauses when the sentence begins and can be resumed there.

    `changed` is emitted when `active` may have changed, `heard` when a sentence was played to its end.
    """

    changed = Signal()
    heard = Signal()
    failed = Signal(object)

    def __init__(self, speech: AudioPlayer, output: AudioOutput, worker: EngineWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._task: EngineTask | None = None
        self._chunks: list[AudioChunk] = []
        self._sounds = SoundPlayer(speech, output, self)
        self._sounds.playing_changed.connect(self.changed)
        self._sounds.ended.connect(self.heard)
        self._sounds.failed.connect(self.failed)
        speech.playback_changed.connect(self._on_speech)
        worker.reported.connect(self._on_report)

    @property
    def active(self) -> bool:
        """True while a sentence is being generated or played."""
        return self._task is not None or self._sounds.playing

    def hear(self, request: SpeechRequest, make_engine: EngineFactory) -> None:
        """Generate a sentence as soon as the engine is free, and play it."""
        self.stop()
        self._task = self._worker.start_task(EngineTask(speaking(request), Urgency.AT_ONCE, make_engine))
        self.changed.emit()

    def stop(self) -> None:
        """Stop generating or playing a sentence."""
        if self._task is not None:
            self._task.cancel.set()
        self._task, self._chunks = None, []
        self._sounds.stop()
        self.changed.emit()

    @Slot(object)
    def _on_speech(self, playback: Playback) -> None:
        """Stop the preview, so that a sentence requested before does not interrupt the speech."""
        if playback is Playback.PLAYING:
            self.stop()

    @Slot(object, object)
    def _on_report(self, task: EngineTask, report: Report) -> None:
        if task is not self._task:
            return
        if isinstance(report, AudioChunk):
            self._chunks.append(report)
        elif isinstance(report, Ended):
            self._end(report.error)

    def _end(self, error: Exception | None) -> None:
        chunks, self._task, self._chunks = self._chunks, None, []
        if error is None:
            self._sounds.play(np.concatenate([chunk.samples for chunk in chunks]), chunks[0].sample_rate_hz)
        elif not isinstance(error, Canceled):
            self.failed.emit(error)
        self.changed.emit()
