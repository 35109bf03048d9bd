"""Enters what is spoken into the history, and has its sound kept once it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Slot

from app.audio.track import AudioTrack, Segment
from app.library.library import Library
from app.speech.controller import SpeechController
from engine.speech import SpeechRequest


@dataclass(eq=False)
class _Speech:
    """`kept` is the last utterance that is kept."""

    request: SpeechRequest
    model: str
    track: AudioTrack
    kept: Segment | None = None


class Recorder(QObject):
    """A speech is entered as soon as it begins, with its text; of one that is stopped, what was made is kept.

    One that is made for a file is kept as well, though another may be heard in the meantime.
    """

    def __init__(self, speech: SpeechController, library: Library, model: Callable[[], str], parent: QObject) -> None:
        super().__init__(parent)
        self._speech = speech
        self._library = library
        self._model = model
        self._followed: list[_Speech] = []
        speech.track_changed.connect(self._on_track)
        speech.track_grew.connect(self._keep_finished)
        speech.activity_changed.connect(self._keep_finished)  # one that is not heard does not tell of its growth

    @Slot(object)
    def _on_track(self, track: AudioTrack) -> None:
        self._keep_finished()
        request = self._speech.request
        if request is None or any(each.track is track for each in self._followed):
            return
        was_kept = track.segments[-1] if track.finished and track.length else None
        self._followed.append(_Speech(request, self._model(), track, was_kept))
        if not track.finished:  # a finished one comes from the history
            self._library.begin(request, self._model())

    @Slot()
    def _keep_finished(self) -> None:
        """Keep those that are finished; the one that is shown may go on later, and is kept again then."""
        for each in [each for each in self._followed if each.track.finished]:
            last = each.track.segments[-1] if each.track.length else None
            if last is not None and last != each.kept:
                each.kept = last
                self._library.keep(each.request, each.model, each.track)
            if each.track is not self._speech.track:
                self._followed.remove(each)
