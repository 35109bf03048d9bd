"""A window with its settings, whose engine, device and voices the test provides."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.settings_window.feature import SettingsFeature
from app.settings_window.window import SettingsWindow
from app.sharing.voice_server import VoiceServer
from app.widgets.controls import ComboBox
from tests.app.window_desk import WindowDesk


class Desk(WindowDesk):
    """A desk that opens the settings with their menu entry."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        super().__init__(qtbot, qapp, folder, "")
        self.speech = self.controller
        self.header, self.menu = self.window.page.header, self.window.menu
        self.server = VoiceServer()
        self.feature = SettingsFeature(self.window, self.speech, self.settings, self.server)
        self.engines_requested: list[str] = []
        self.feature.engine_requested.connect(self.note_engine)
        self.show()

    def note_engine(self) -> None:
        self.engines_requested.append(self.header.voices.speaking_model)

    def open(self) -> SettingsWindow:
        self.menu.settings.trigger()
        return self.feature.dialog

    def close(self) -> None:
        self.window.close()
        super().close()


def choose(box: ComboBox, value: object) -> None:
    """Choose a value as the user does."""
    box.setCurrentIndex(box.values.index(value))
    box.activated.emit(box.currentIndex())
