"""The settings in the whole application: what is chosen in them takes effect."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.options import Options
from app.settings import Settings
from app.speech.activity import Readiness
from app.theme import SERIF
from tests.app.fakes import FakeEngine, FakeOutput, list_voices
from tests.app.settings_window.desk import choose


@pytest.fixture
def application(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Application]:
    settings = Settings(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    settings.text = "One. Two."
    application = Application(qapp, Options(), settings, FakeEngine, FakeOutput(), list_voices=list_voices)
    application.open()
    qtbot.waitUntil(lambda: application.controller.activity.readiness is Readiness.READY)
    yield application
    assert application.close()
    application.window.close()
    application.theme.deleteLater()
    application.window.deleteLater()
    application.deleteLater()


def test_choosing_a_voice_opens_the_panel_of_voices(application: Application, qtbot: QtBot) -> None:
    dialog = application.settings_window.dialog
    dialog.reading.voice.button.click()
    assert application.window.page.side_bar.panel is application.voices.panel


def test_the_text_has_the_chosen_font(application: Application) -> None:
    page, edit = application.settings_window.dialog.appearance, application.window.page.editor.edit
    before = edit.font().families()
    choose(page.font_choice, SERIF)
    choose(page.size_choice, 32)
    assert (edit.font().families() != before, edit.font().pixelSize()) == (True, 32)
    application.read_along.actions.smaller.trigger()
    assert page.size_choice.value == edit.font().pixelSize() == 28
    choose(page.font_choice, "")
    assert edit.font().families() == before


def test_the_limit_reaches_the_history_and_its_panel(application: Application) -> None:
    panel, page = application.library.history, application.settings_window.dialog.history
    choose(page.limit, 5000)
    assert panel.limit.value == 5000
    choose(panel.limit, 250)
    assert page.limit.value == 250
