"""Saves the state of the page to the settings and the recent texts, and restores it at the next start."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QMainWindow

from app.recent_texts import RecentText, RecentTexts, TextNotSaved
from app.settings import Settings
from app.speech.page import SpeechPage
from app.speech.voice_choice import VoiceChoice
from engine.errors import EngineError


class ChoicesNotSaved(EngineError):
    """The settings cannot be written."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"Your settings can’t be saved because {path} isn’t writable.",
            "Make it writable, then restart Kokoro Desk.",
        )


REMEMBER_TEXT_WITHIN_MS = 1500
"""The delay after the first change; with Qt's 5 % and the writing, at most 2 s of typing can be lost."""
SIZE_PIXELS = (920, 640)


class WindowMemory(QObject):
    """Saves an edited text soon after each change, everything else immediately or when the window closes.

    `failed` carries the error whenever the text or the settings cannot be written. A text is saved before it is
    replaced.
    """

    failed = Signal(object)
    text_saved = Signal()

    def __init__(self, window: QMainWindow, page: SpeechPage, settings: Settings, texts: RecentTexts) -> None:
        super().__init__(window)
        self._window = window
        self._page = page
        self._settings = settings
        self._texts = texts
        self._unedited: str | None = ""
        """The text that need not be written; None after a failed attempt."""
        self.kept = True
        self._text_timer = QTimer(self, singleShot=True, interval=REMEMBER_TEXT_WITHIN_MS)
        self._text_timer.timeout.connect(self.remember_text)
        page.editor.text_leaves.connect(self.remember_text)
        page.editor.text_replaced.connect(texts.begin_text)
        page.editor.text_changed.connect(self._on_text)
        page.header.voices.voice_chosen.connect(self._on_voice)
        page.header.speed.speed_changed.connect(self._on_speed)
        page.header.pauses.pauses_changed.connect(self._on_pauses)

    @property
    def texts(self) -> list[RecentText]:
        """The recent texts, latest first."""
        return self._texts.texts

    def restore(self) -> None:
        """Restore the text, the settings and the layout."""
        self._window.resize(*SIZE_PIXELS)
        self._window.restoreGeometry(self._settings.geometry)
        self._page.split_state = self._settings.split
        self._page.side_bar.width_pixels = self._settings.side_bar_pixels or self._page.side_bar.width_pixels
        self._page.side_bar.expect(self._settings.side_bar)
        text = self._unedited = self._last_text()
        self._page.editor.start_with(text)
        self._keep(text)
        self.kept = True  # it was read from the settings
        if not self._settings.writable:
            self.failed.emit(ChoicesNotSaved(self._settings.path))
        self._page.header.voices.choose(VoiceChoice(self._settings.voice, self._settings.model))
        self._page.header.speed.set_speed(self._settings.speed)
        self._page.header.pauses.set_pause_scale(self._settings.pause_scale)

    def lend_text(self, text: str) -> None:
        """Show a text given from outside; unless it is edited, it does not replace the saved text."""
        self._page.editor.set_text(text)
        self._unedited = self._page.editor.text

    def remember(self) -> None:
        """Save the text, and the state that is saved only at the end."""
        self.remember_text()
        self._settings.geometry = self._window.saveGeometry()
        self._settings.split = self._page.split_state
        self._settings.side_bar = self._page.side_bar.title
        self._settings.side_bar_pixels = self._page.side_bar.width_pixels

    @Slot()
    def remember_text(self) -> None:
        """Save the text if it was edited; an unedited one may be older than the text saved by a different window."""
        self._text_timer.stop()
        text = self._page.editor.text
        if text != self._unedited:
            self._settings.text = text
            self._keep(text)
            self._unedited = text if self.kept else None
            self.text_saved.emit()

    def _last_text(self) -> str:
        """Return the text of the last session: the latest recent text, if it is newer than the settings."""
        latest = next(iter(self._texts.texts), None)
        if latest is not None and latest.written > self._settings.written:
            self._settings.text = latest.text
        return self._settings.text or ""

    def _keep(self, text: str) -> None:
        try:
            self._texts.add_text(text)
        except TextNotSaved as error:
            self.kept = False
            self.failed.emit(error)
        else:
            self.kept = True

    @Slot()
    def _on_text(self) -> None:
        if not self._text_timer.isActive():  # restarted at each key, it would never end while the user types
            self._text_timer.start()

    @Slot(object)
    def _on_voice(self, choice: VoiceChoice) -> None:
        self._settings.voice, self._settings.model = choice.voice, choice.model

    @Slot(float)
    def _on_speed(self, speed: float) -> None:
        self._settings.speed = speed

    @Slot(float)
    def _on_pauses(self, pause_scale: float) -> None:
        self._settings.pause_scale = pause_scale
