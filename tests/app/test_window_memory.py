from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.speech.page import SpeechPage
from app.speech.voice_choice import Choice
from app.window_memory import SIZE_PIXELS, WindowMemory
from tests.app.fakes import TWO_MODELS


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))


def opened(qtbot: QtBot, settings: Settings) -> tuple[QMainWindow, SpeechPage, WindowMemory]:
    window = QMainWindow()
    qtbot.addWidget(window)
    page = SpeechPage(window)
    window.setCentralWidget(page)
    memory = WindowMemory(window, page, settings)
    memory.restore()
    return window, page, memory


def test_a_first_start_is_empty_and_of_a_good_size(qtbot: QtBot, settings: Settings) -> None:
    window, page, _ = opened(qtbot, settings)
    assert (window.width(), window.height()) == SIZE_PIXELS
    assert page.editor.text == ""


def test_everything_comes_back(qtbot: QtBot, settings: Settings) -> None:
    window, page, memory = opened(qtbot, settings)
    page.header.voices.show_models(TWO_MODELS, "starter")
    page.editor.set_text("Remember me. 🙂")
    page.header.speed.set_speed(1.5)
    page.header.voices.activated.emit(9)
    window.resize(700, 600)
    memory.remember()
    other_window, other, _ = opened(qtbot, settings)
    other.header.voices.show_models(TWO_MODELS, "starter")
    assert other.editor.text == "Remember me. 🙂"
    assert other.header.speed.speed == 1.5
    assert other.header.voices.choice == Choice("am_adam", "starter")
    assert (settings.voice, settings.model) == ("am_adam", "starter")
    assert (other_window.width(), other_window.height()) == (700, 600)


def test_text_is_kept_soon_after_it_is_typed(qtbot: QtBot, settings: Settings) -> None:
    _, page, _ = opened(qtbot, settings)
    page.editor.edit.insertPlainText("Do not lose me.")
    qtbot.waitUntil(lambda: settings.text == "Do not lose me.", timeout=3000)


def test_a_text_from_outside_does_not_replace_the_users_unless_it_is_edited(qtbot: QtBot, settings: Settings) -> None:
    settings.text = "My own draft."
    _, page, memory = opened(qtbot, settings)
    memory.lend_text("From the command line.")
    memory.remember()
    assert settings.text == "My own draft."
    page.editor.edit.insertPlainText("Edited. ")
    memory.remember()
    assert settings.text == "Edited. From the command line."
