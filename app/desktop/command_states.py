"""Offers each command while it does something: what the text, the speech and the speed allow."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QGuiApplication

from app.main_window import MainWindow
from app.settings import USUAL_PAUSES, USUAL_SPEED
from app.speech.controller import SpeechController
from app.speech.pause_control import LONGEST_PAUSES
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED


class CommandStates(QObject):
    """What edits the text, and Stop, the menu offers by itself."""

    def __init__(self, window: MainWindow, controller: SpeechController) -> None:
        super().__init__(window)
        self._menu, self._page, self._controller = window.menu, window.page, controller
        self._reading = window.reading
        self._page.editor.text_changed.connect(self._follow_text)
        self._reading.text_changed.connect(self._follow_text)
        controller.activity_changed.connect(self._follow_speech)
        controller.track_changed.connect(self._follow_speech)
        controller.track_grew.connect(self._follow_speech)
        controller.voices_listed.connect(self._follow_voices)
        self._page.header.speed.speed_changed.connect(self._follow_speed)
        self._page.header.pauses.pauses_changed.connect(self._follow_pauses)
        QGuiApplication.clipboard().dataChanged.connect(self._follow_clipboard)
        self._follow_text()
        self._follow_speech()
        self._follow_speed(self._page.header.speed.speed)
        self._follow_pauses(self._page.header.pauses.pause_scale)
        self._follow_clipboard()

    @Slot()
    def _follow_text(self) -> None:
        menu, text = self._menu, self._reading.text
        self._has_text = bool(text.strip())
        for action in (menu.speak_from_here, menu.from_beginning, menu.save, menu.add_to_queue, menu.queue_file):
            action.setEnabled(self._has_text)
        menu.find_text.setEnabled(bool(text))
        self._follow_speech()
        self._follow_voices()

    @Slot()
    def _follow_speech(self) -> None:
        heard = self._controller.track.length > 0 or self._controller.activity.making
        for action in (self._menu.back, self._menu.forward):
            action.setEnabled(heard)
        self._menu.play.setEnabled(heard or self._has_text)

    @Slot()
    def _follow_voices(self) -> None:
        known = self._page.header.voices.known
        self._menu.preview.setEnabled(known)

    @Slot(float)
    def _follow_speed(self, speed: float) -> None:
        self._menu.faster.setEnabled(speed < FASTEST_SPEED)
        self._menu.slower.setEnabled(speed > SLOWEST_SPEED)
        self._menu.usual_speed.setEnabled(speed != USUAL_SPEED)

    @Slot(float)
    def _follow_pauses(self, scale: float) -> None:
        self._menu.longer_pauses.setEnabled(scale < LONGEST_PAUSES)
        self._menu.shorter_pauses.setEnabled(scale > 0)
        self._menu.usual_pauses.setEnabled(scale != USUAL_PAUSES)

    @Slot()
    def _follow_clipboard(self) -> None:
        copied = QGuiApplication.clipboard().mimeData()  # None as long as nothing was ever copied
        self._menu.speak_clipboard.setEnabled(bool(copied) and copied.hasText())
        self._menu.open_clipboard.setEnabled(
            bool(copied) and any((copied.hasText(), copied.hasHtml(), copied.hasUrls()))
        )
