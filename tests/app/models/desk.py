"""A window with a fake engine, a fake device, and models that the test chooses."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.models.card import ModelCard
from app.models.feature import ModelsFeature
from app.models.row import ModelRow
from app.models.worker import ModelLibrary
from app.speech.activity import Readiness
from engine.models.store import ModelState
from tests.app.fake_library import FULL_SIZE, STARTER, FakeLibrary
from tests.app.window_desk import WindowDesk
from tests.patience import PATIENCE_MS


class Desk(WindowDesk):
    """A desk where nothing begins in the background until `start`, because the engine is not ready before."""

    def __init__(
        self,
        qtbot: QtBot,
        qapp: QApplication,
        folder: Path,
        library: ModelLibrary | None = None,
        fake: FakeLibrary | None = None,
        fetch: str | None = None,
    ) -> None:
        super().__init__(qtbot, qapp, folder, "One. Two.")
        self.library, self.speech = fake or FakeLibrary(folder), self.controller
        self.models = ModelsFeature(self.window, self.speech, self.settings, lambda: library or self.library, fetch)
        self.dialog, self.strip = self.models.dialog, self.page.strip
        self.voices = self.page.header.voices
        self.voices.show_models(self.library.voices(), STARTER)
        self.engines_requested: list[str] = []
        self.models.engine_requested.connect(self.note_engine)
        self.voices.model_changed.connect(self.note_engine)
        self.show()

    def note_engine(self) -> None:
        self.engines_requested.append(self.voices.speaking_model)

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
        super().close()
