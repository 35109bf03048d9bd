"""Enters what is spoken into the history, and has its sound kept once it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Slot

from app.audio.track import AudioTrack
from app.library.library import Library
from app.speech.controller import SpeechController
from engine.speech import SpeechRequest


@dataclass(frozen=True, eq=False)
class _Speech:
    request: SpeechRequest
    model: str
    track: AudioTrack


class Recorder(QObject):
    """A speech is entered as soon as it begins, with its text; of one that is stopped, what was made is kept."""

    def __init__(self, speech: SpeechController, library: Library, model: Callable[[], str], parent: QObject) -> None:
        super().__init__(parent)
        self._speech = speech
        self._library = library
        self._model = model
        self._growing: list[_Speech] = []
        speech.track_changed.connect(self._on_track)
        speech.track_grew.connect(self._keep_finished)
        speech.activity_changed.connect(self._keep_finished)  # one that is not heard does not tell of its growth

    @Slot(object)
    def _on_track(self, track: AudioTrack) -> None:
        self._keep_finished()
        request = self._speech.request
        known = any(each.track is track for each in self._growing)  # and will go on otherwise
        if request is not None and not track.finished and not known:  # a finished one is in the history already
            self._growing.append(_Speech(request, self._model(), track))
            self._library.begin(request, self._model())

    @Slot()
    def _keep_finished(self) -> None:
        """Those that are finished are kept; one that is made for a file goes on while another is heard."""
        finished = [each for each in self._growing if each.track.finished]
        for each in finished:
            self._growing.remove(each)
            if each.track.length:
                self._library.keep(each.request, each.model, each.track)
