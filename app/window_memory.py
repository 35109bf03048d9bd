"""Saves what is on the page to the settings, and restores it at the next start."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QMainWindow

from app.settings import Settings
from app.speech.page import SpeechPage
from app.speech.voice_choice import Choice

REMEMBER_TEXT_AFTER_MS = 1000
SIZE_PIXELS = (920, 640)


class WindowMemory(QObject):
    """Saves the text shortly after the last change, everything else at once or when the window closes."""

    def __init__(self, window: QMainWindow, page: SpeechPage, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._page = page
        self._settings = settings
        self._lent_text: str | None = None
        self._text_timer = QTimer(self, singleShot=True, interval=REMEMBER_TEXT_AFTER_MS)
        self._text_timer.timeout.connect(self.remember_text)
        page.editor.text_changed.connect(self._text_timer.start)
        page.header.voices.voice_chosen.connect(self._on_voice)
        page.header.speed.speed_changed.connect(self._on_speed)

    def restore(self) -> None:
        """Restore everything."""
        self._window.resize(*SIZE_PIXELS)
        self._window.restoreGeometry(self._settings.geometry)
        self._page.split.restoreState(self._settings.split)
        self._page.editor.start_with(self._settings.text or "")
        self._page.header.voices.choose(Choice(self._settings.voice, self._settings.model))
        self._page.header.speed.set_speed(self._settings.speed)

    def lend_text(self, text: str) -> None:
        """Show a text given from outside; unless it is edited, it does not replace the saved text."""
        self._lent_text = text
        self._page.editor.start_with(text)

    def remember(self) -> None:
        """Save the text, and what is saved only at the end."""
        self.remember_text()
        self._settings.geometry = self._window.saveGeometry()
        self._settings.split = self._page.split.saveState()

    @Slot()
    def remember_text(self) -> None:
        """Save the text."""
        self._text_timer.stop()
        if self._page.editor.text != self._lent_text:
            self._settings.text = self._page.editor.text

    @Slot(object)
    def _on_voice(self, choice: Choice) -> None:
        self._settings.voice, self._settings.model = choice.voice, choice.model

    @Slot(float)
    def _on_speed(self, speed: float) -> None:
        self._settings.speed = speed
