"""A window with its settings, whose engine, device and voices are a test's."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.main_window import MainWindow
from app.settings import Settings
from app.settings_window.feature import SettingsFeature
from app.settings_window.window import SettingsWindow
from app.speech.controller import SpeechController
from app.theme import Appearance, Theme
from app.widgets.combo_box import ComboBox
from tests.app.fakes import FakeEngine, FakeOutput
from tests.patience import PATIENCE_MS


class Desk:
    """The settings are opened by their menu entry."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        self.settings = Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat))
        self.speech = SpeechController(FakeEngine, FakeOutput())
        self.theme = Theme(qapp, Appearance.LIGHT)
        self.window = MainWindow(self.speech, self.settings, self.theme)
        self.header, self.menu = self.window.page.header, self.window.menu
        self.feature = SettingsFeature(self.window, self.speech, self.settings)
        self.engines_wanted: list[str] = []
        self.feature.engine_wanted.connect(self.note_engine)
        qtbot.addWidget(self.window)
        self.window.show()
        qtbot.waitExposed(self.window)

    def note_engine(self) -> None:
        self.engines_wanted.append(self.header.voices.speaking_model)

    def open(self) -> SettingsWindow:
        self.menu.settings.trigger()
        return self.feature.dialog

    def close(self) -> None:
        self.window.close()
        assert self.speech.shut_down(PATIENCE_MS)
        self.theme.deleteLater()


def choose(box: ComboBox, value: object) -> None:
    """As a person does."""
    box.setCurrentIndex(box.values.index(value))
    box.activated.emit(box.currentIndex())
