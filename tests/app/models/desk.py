"""A window with a fake engine, a fake device, and models of a test's choice."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.models.card import ModelCard
from app.models.feature import ModelsFeature
from app.models.row import ModelRow
from app.models.worker import ModelLibrary
from app.settings import Settings
from app.speech.activity import Readiness
from app.speech.controller import SpeechController
from app.theme import Appearance, Theme
from engine.models.store import ModelState
from tests.app.fake_library import FULL_SIZE, STARTER, FakeLibrary
from tests.app.fakes import FakeEngine, FakeOutput
from tests.patience import PATIENCE_MS


class Desk:
    """Nothing begins in the background until `start`, because the engine is not ready before."""

    def __init__(
        self,
        qtbot: QtBot,
        qapp: QApplication,
        folder: Path,
        library: ModelLibrary | None = None,
        fake: FakeLibrary | None = None,
        fetch: str | None = None,
    ) -> None:
        self.qtbot = qtbot
        self.library = fake or FakeLibrary(folder)
        self.settings = Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat))
        self.settings.text = "One. Two."
        self.engine, self.output = FakeEngine(), FakeOutput()
        self.speech = SpeechController(lambda: self.engine, self.output)
        self.theme = Theme(qapp, Appearance.LIGHT)
        self.window = MainWindow(self.speech, self.settings, self.theme)
        self.models = ModelsFeature(self.window, self.speech, self.settings, lambda: library or self.library, fetch)
        self.dialog, self.page, self.strip = self.models.dialog, self.window.page, self.window.page.strip
        self.voices = self.page.header.voices
        self.voices.show_models(self.library.voices(), STARTER)
        self.engines_wanted: list[str] = []
        self.models.engine_wanted.connect(self.note_engine)
        self.voices.model_changed.connect(self.note_engine)
        qtbot.addWidget(self.window)
        self.window.show()
        qtbot.waitExposed(self.window)

    def note_engine(self) -> None:
        self.engines_wanted.append(self.voices.speaking_model)

    def look(self) -> None:
        self.models.controller.look()
        self.wait()

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: not self.models.controller.busy)

    def install(self) -> None:
        self.library.states[FULL_SIZE] = ModelState.INSTALLED
        self.look()

    @property
    def card(self) -> ModelCard:
        return self.dialog.cards[FULL_SIZE]

    @property
    def row(self) -> ModelRow:
        return self.card.row

    def start(self) -> None:
        """Make the engine ready."""
        self.speech.prepare()
        self.qtbot.waitUntil(lambda: self.speech.activity.readiness is Readiness.READY)

    def wait_until_told(self, words: str) -> None:
        """Wait for a notice about a model."""
        self.qtbot.waitUntil(lambda: self.strip.notice is not None and self.strip.notice.text == words)

    def wait_for_progress(self) -> None:
        self.qtbot.waitUntil(lambda: bool(self.row.progress and self.row.progress.bytes_done))

    def choose_and_close(self) -> None:
        self.look()
        self.models.use(FULL_SIZE)
        self.close()

    def close(self) -> None:
        assert self.models.shut_down(PATIENCE_MS)
        assert self.speech.shut_down(PATIENCE_MS)
        self.theme.deleteLater()
