"""The main window with a fake engine and sound device, for tests that add a feature to it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.reading.places import ReadingPositions
from app.recent_texts import RecentTexts
from app.settings import Settings
from app.speech.activity import Readiness
from app.speech.controller import SpeechController
from app.theme import Appearance, Theme
from tests.app.fakes import FakeEngine, FakeOutput, list_voices
from tests.patience import PATIENCE_MS


class WindowDesk:
    """A window that is not shown yet, so that a feature is there from the start, and nothing is prepared."""

    def __init__(
        self, qtbot: QtBot, qapp: QApplication, folder: Path, text: str, engine: FakeEngine | None = None
    ) -> None:
        self.engine, self.output, self.qtbot = engine or FakeEngine(), FakeOutput(), qtbot
        self.settings = Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat))
        self.settings.text, self.settings.save_folder = text, folder
        self.controller = SpeechController(lambda: self.engine, self.output, list_voices=list_voices)
        self.theme = Theme(qapp, Appearance.LIGHT)
        self.places = ReadingPositions(folder / "places.json")
        texts = RecentTexts(folder / "texts")
        self.window = MainWindow(self.controller, self.settings, self.theme, texts, self.places)
        self.page, self.editor = self.window.page, self.window.page.editor
        qtbot.addWidget(self.window)

    def show(self) -> None:
        self.window.show()
        self.qtbot.waitExposed(self.window)

    def prepare(self) -> None:
        """Wait until it can speak."""
        self.controller.list_voices()
        self.controller.prepare()
        self.qtbot.waitUntil(lambda: self.controller.activity.readiness is Readiness.READY)

    def wait_made(self) -> None:
        self.qtbot.waitUntil(lambda: self.controller.track.finished and not self.controller.activity.making)

    def speak(self) -> None:
        """Play, and generate all of it."""
        self.window.play()
        self.wait_made()

    @property
    def marked(self) -> list[str]:
        """The marked parts of the text that the user typed."""
        return [each.cursor.selectedText() for each in self.editor.edit.extraSelections()]

    def hear(self, samples: int) -> None:
        self.output.stream.pull(samples)
        self.controller.player.tick()

    def close(self) -> None:
        assert self.controller.shut_down(PATIENCE_MS)
        self.theme.deleteLater()
