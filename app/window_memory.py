"""Saves what is on the page to the settings and the recent texts, and restores it at the next start."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QMainWindow

from app.recent_texts import RecentText, RecentTexts, TextNotKept
from app.settings import Settings
from app.speech.page import SpeechPage
from app.speech.voice_choice import Choice
from engine.errors import EngineError


class ChoicesNotKept(EngineError):
    """The settings cannot be written."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"Your settings can’t be saved because {path} isn’t writable.",
            "Make it writable, then restart Kokoro Desk.",
        )


REMEMBER_TEXT_WITHIN_MS = 1500
"""After a change, however many follow; with Qt's 5 % and the writing, at most 2 s of typing can be lost."""
SIZE_PIXELS = (920, 640)


class WindowMemory(QObject):
    """Saves an edited text soon after each change, everything else at once or when the window closes.

    `failed` carries the error whenever the text cannot be written, or the settings cannot. A text that is replaced is
    saved before.
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
        """What need not be written; None after an attempt that failed."""
        self.kept = True
        self._text_timer = QTimer(self, singleShot=True, interval=REMEMBER_TEXT_WITHIN_MS)
        self._text_timer.timeout.connect(self.remember_text)
        page.editor.text_leaves.connect(self.remember_text)
        page.editor.text_replaced.connect(texts.begin)
        page.editor.text_changed.connect(self._on_text)
        page.header.voices.voice_chosen.connect(self._on_voice)
        page.header.speed.speed_changed.connect(self._on_speed)
        page.header.pauses.pauses_changed.connect(self._on_pauses)

    @property
    def texts(self) -> list[RecentText]:
        """The last texts, the latest first."""
        return self._texts.texts

    def restore(self) -> None:
        """Restore everything."""
        self._window.resize(*SIZE_PIXELS)
        self._window.restoreGeometry(self._settings.geometry)
        self._page.split_state = self._settings.split
        self._page.side_bar.width_pixels = self._settings.side_bar_pixels or self._page.side_bar.width_pixels
        self._page.side_bar.expect(self._settings.side_bar)
        text = self._unedited = self._last_text()
        self._page.editor.start_with(text)
        self._keep(text)
        self.kept = True  # where it came from
        if not self._settings.writable:
            self.failed.emit(ChoicesNotKept(self._settings.path))
        self._page.header.voices.choose(Choice(self._settings.voice, self._settings.model))
        self._page.header.speed.set_speed(self._settings.speed)
        self._page.header.pauses.set_pause_scale(self._settings.pause_scale)

    def lend_text(self, text: str) -> None:
        """Show a text given from outside; unless it is edited, it does not replace the saved text."""
        self._page.editor.set_text(text)
        self._unedited = self._page.editor.text

    def remember(self) -> None:
        """Save the text, and what is saved only at the end."""
        self.remember_text()
        self._settings.geometry = self._window.saveGeometry()
        self._settings.split = self._page.split_state
        self._settings.side_bar = self._page.side_bar.title
        self._settings.side_bar_pixels = self._page.side_bar.width_pixels

    @Slot()
    def remember_text(self) -> None:
        """Save the text if it was edited; one that was not may be older than what another window has saved."""
        self._text_timer.stop()
        text = self._page.editor.text
        if text != self._unedited:
            self._settings.text = text
            self._keep(text)
            self._unedited = text if self.kept else None
            self.text_saved.emit()

    def _last_text(self) -> str:
        """The text at the end of the last run: a recent one, if that was written when the settings could not be."""
        latest = next(iter(self._texts.texts), None)
        if latest is not None and latest.written > self._settings.written:
            self._settings.text = latest.text
        return self._settings.text or ""

    def _keep(self, text: str) -> None:
        try:
            self._texts.keep(text)
        except TextNotKept as error:
            self.kept = False
            self.failed.emit(error)
        else:
            self.kept = True

    @Slot()
    def _on_text(self) -> None:
        if not self._text_timer.isActive():  # started anew at each key, it would never end while somebody types
            self._text_timer.start()

    @Slot(object)
    def _on_voice(self, choice: Choice) -> None:
        self._settings.voice, self._settings.model = choice.voice, choice.model

    @Slot(float)
    def _on_speed(self, speed: float) -> None:
        self._settings.speed = speed

    @Slot(float)
    def _on_pauses(self, pause_scale: float) -> None:
        self._settings.pause_scale = pause_scale
