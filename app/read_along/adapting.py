"""Speed, voice and pauses act on the speech that is heard."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Slot

from app.audio.track import AudioTrack
from app.main_window import MainWindow
from app.speech.controller import SpeechController

ADAPT_AFTER_MS = 250
"""What is made follows once a slider has come to rest; what is heard follows at once."""


class Adapting(QObject):
    """An item of the queue or the history keeps its own voice until another is chosen while it is heard."""

    def __init__(self, window: MainWindow, speech: SpeechController) -> None:
        super().__init__(window)
        self._window = window
        self._speech = speech
        self._track = speech.track
        self._voice_chosen = False
        self._timer = QTimer(self, singleShot=True, interval=ADAPT_AFTER_MS)
        self._timer.timeout.connect(self.adapt)
        speech.track_changed.connect(self._on_track)
        header = window.page.header
        header.speed.speed_changed.connect(speech.player.set_speed)
        header.speed.speed_changed.connect(self._timer.start)
        header.pauses.pauses_changed.connect(self._timer.start)
        header.voices.voice_chosen.connect(self._on_voice)

    @Slot()
    def adapt(self) -> None:
        """Let the speech go on with the voice, speed and pauses that are chosen now."""
        self._timer.stop()
        chosen, spoken = self._window.chosen, self._window.reading.spoken
        own_voice = spoken is not None and spoken.owner is None and not self._voice_chosen
        voice = self._speech.request.voice if own_voice and self._speech.request is not None else chosen.voice
        if voice:
            self._speech.adapt(voice, chosen.speed, chosen.pause_scale)

    def adapt_now(self) -> None:
        """Do so at once if it is about to be done."""
        if self._timer.isActive():
            self.adapt()

    @Slot()
    def _on_voice(self) -> None:
        self._voice_chosen = True
        self._timer.start()

    @Slot(object)
    def _on_track(self, track: AudioTrack) -> None:
        """What was chosen just before was chosen for the speech before; another begins as it is asked for."""
        if track is not self._track:
            self._track, self._voice_chosen = track, False
            self._timer.stop()
