"""Enters what is spoken into the history, and has its sound kept once it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Slot

from app.audio.track import AudioTrack
from app.library.library import Library
from app.speech.controller import SpeechController
from app.speech.heard_speech import HeardSpeech
from engine.speech import SpeechRequest


@dataclass(eq=False)
class _Followed:
    """`kept_length` is how many samples are kept."""

    speech: HeardSpeech
    request: SpeechRequest
    model: str
    kept_length: int = 0


class Recorder(QObject):
    """A speech is entered as soon as it begins, with its text; of one that is stopped, what was made is kept."""

    def __init__(self, speech: SpeechController, library: Library, model: Callable[[], str], parent: QObject) -> None:
        super().__init__(parent)
        self._speech = speech
        self._library = library
        self._model = model
        self._followed: list[_Followed] = []
        speech.track_changed.connect(self._on_track)
        speech.track_grew.connect(self._keep_finished)

    @Slot(object)
    def _on_track(self, track: AudioTrack) -> None:
        self._keep_finished()
        request = self._speech.request
        if request is None or any(each.speech.track is track for each in self._followed):
            return
        kept_length = track.length if track.finished else 0
        self._followed.append(_Followed(self._speech.speech, request, self._model(), kept_length))
        if not track.finished:  # a finished one comes from the history
            self._library.begin(request, self._model())

    @Slot()
    def _keep_finished(self) -> None:
        """Keep those that are finished; the one that is shown may go on later, and is kept again then.

        Sound by another voice than the entry names is not kept, nor one shorter than what is kept.
        """
        for each in [each for each in self._followed if each.speech.track.finished]:
            track = each.speech.track
            if track.length > each.kept_length and each.speech.as_asked:
                each.kept_length = track.length
                self._library.keep(each.request, each.model, track)
            if track is not self._speech.track:
                self._followed.remove(each)
