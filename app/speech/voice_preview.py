"""Lets a voice be heard with a sentence, beside the speech, which is not lost by it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.audio.output import AudioOutput
from app.audio.player import AudioPlayer, Playback
from app.audio.sound_player import SoundPlayer
from app.speech.engine_worker import EngineFactory, EngineWorker
from app.speech.jobs import JobEvent, PreviewEnded, PreviewJob
from engine.errors import Cancelled
from engine.speech import SpeechRequest


class VoicePreview(QObject):
    """One sentence at a time; the speech halts where it is when the sentence begins, and can be played on from there.

    `changed` tells that `active` may have changed, `heard` that a sentence was heard to its end.
    """

    changed = Signal()
    heard = Signal()
    failed = Signal(object)

    _wanted = Signal()

    def __init__(self, speech: AudioPlayer, output: AudioOutput, worker: EngineWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._job: PreviewJob | None = None
        self._sounds = SoundPlayer(speech, output, self)
        self._sounds.playing_changed.connect(self.changed)
        self._sounds.ended.connect(self.heard)
        self._sounds.failed.connect(self.failed)
        speech.playback_changed.connect(self._on_speech)
        self._wanted.connect(worker.preview)
        worker.reported.connect(self._on_event)

    @property
    def active(self) -> bool:
        """Whether a sentence is being made or heard."""
        return self._job is not None or self._sounds.playing

    def hear(self, request: SpeechRequest, make_engine: EngineFactory, *, visits: bool = False) -> None:
        """Make a sentence with the engine that this makes, as soon as it has a moment, and play it.

        One that `visits` is made for this.
        """
        self.stop()
        self._job = PreviewJob(request, make_engine, visits)
        self._worker.previews.append(self._job)
        self._wanted.emit()
        self.changed.emit()

    def stop(self) -> None:
        """Stop making or playing a sentence."""
        if self._job is not None:
            self._job.cancel.set()
        self._job = None
        self._sounds.stop()
        self.changed.emit()

    @Slot(object)
    def _on_speech(self, playback: Playback) -> None:
        """Speech that is played is not interrupted by a sentence that was wanted before."""
        if playback is Playback.PLAYING:
            self.stop()

    @Slot(object)
    def _on_event(self, event: JobEvent) -> None:
        if not isinstance(event, PreviewEnded) or event.job is not self._job:
            return
        self._job = None
        if event.error is None:
            self._sounds.play(event.samples, event.sample_rate_hz)
        elif not isinstance(event.error, Cancelled):
            self.failed.emit(event.error)
        self.changed.emit()
