from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.speech.voice_choice import Choice
from app.theme import SERIF, Appearance
from tests.app.fakes import TWO_MODELS
from tests.app.settings_window.desk import Desk, choose

STARTER = "starter"


def test_speed_and_pauses_are_those_of_the_header(desk: Desk) -> None:
    desk.header.speed.set_speed(1.5)
    reading = desk.open().reading
    assert (reading.speed.speed, reading.pauses.pause_scale) == (1.5, 1.0)
    reading.speed.set_speed(0.8)
    reading.pauses.set_pause_scale(2.0)
    assert (desk.header.speed.speed, desk.settings.speed) == (0.8, 0.8)
    assert (desk.header.pauses.pause_scale, desk.settings.pause_scale) == (2.0, 2.0)
    desk.menu.usual_speed.trigger()
    desk.header.pauses.longer()
    assert (reading.speed.speed, reading.pauses.pause_scale) == (1.0, 2.5)


def test_the_voice_is_shown_and_chosen_elsewhere(desk: Desk, qtbot: QtBot) -> None:
    reading = desk.open().reading
    desk.header.voices.show_models(TWO_MODELS, STARTER)
    assert "Sally" in reading.voice.label.toolTip()
    desk.header.voices.take(Choice("bm_george", "kokoro-82m"))
    assert "George" in reading.voice.label.toolTip()
    assert "Kokoro-82M" in reading.voice.label.toolTip()
    with qtbot.waitSignal(desk.feature.voices_wanted):
        reading.voice.button.click()


def test_what_a_menu_has_as_well_is_the_same_choice(desk: Desk) -> None:
    dialog = desk.open()
    desk.menu.choose_notes(True)
    assert dialog.reading.notes.value is True
    chosen: list[object] = []
    desk.menu.notes.triggered.connect(lambda action: chosen.append(action.data()))
    choose(dialog.reading.notes, False)
    assert chosen == [False]
    choose(dialog.appearance.appearance, Appearance.DARK)
    assert desk.settings.appearance is Appearance.DARK
    light = next(action for action in desk.menu.appearances.actions() if action.data() is Appearance.LIGHT)
    light.trigger()
    assert dialog.appearance.appearance.value is Appearance.LIGHT


def test_the_reading_font_is_stored_and_shown(desk: Desk) -> None:
    page = desk.open().appearance
    choose(page.size_choice, 24)
    assert (desk.settings.text_pixels, page.sample.font().pixelSize()) == (24, 24)
    system = page.sample.font().families()
    choose(page.font_choice, SERIF)
    assert desk.settings.reading_font == SERIF
    assert page.sample.font().families() != system
    desk.theme.choose(Appearance.DARK)
    assert page.sample.font().families() != system
    desk.settings.reading_font, desk.settings.text_pixels = "", 17
    assert page.sample.font().families() == system
    assert (page.font_choice.value, page.size_choice.value) == ("", 17)


def test_a_family_that_is_gone_can_still_be_seen(desk: Desk) -> None:
    desk.settings.reading_font = "Gone Gothic"
    page = desk.open().appearance
    assert page.font_choice.value == "Gone Gothic"
    choose(page.font_choice, "")
    assert desk.settings.reading_font == ""


def test_where_and_as_what_to_export(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    page = desk.open().export
    choose(page.formats, ".flac")
    assert desk.settings.export_format == ".flac"
    desk.settings.export_format = ""
    assert page.formats.value == ""
    desk.settings.save_folder = tmp_path
    assert page.folder.label.toolTip() == str(tmp_path)
    (tmp_path / "inside").mkdir()
    page.folder.button.click()
    dialog = page.findChild(QFileDialog)
    assert isinstance(dialog, QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "inside"))
    dialog.close()
    assert desk.settings.save_folder == tmp_path / "inside"
    assert page.folder.label.toolTip() == str(tmp_path / "inside")


@pytest.mark.parametrize("megabytes", [250, 20_000, 777])
def test_the_limit_of_the_history_follows_the_panel(desk: Desk, megabytes: int) -> None:
    page = desk.open().history
    desk.settings.kept_megabytes = megabytes
    assert page.limit.value == megabytes
    choose(page.limit, 0)
    assert desk.settings.kept_megabytes == 0


def test_the_models_are_those_that_can_speak(desk: Desk, qtbot: QtBot) -> None:
    page = desk.open().models
    desk.header.voices.show_models(TWO_MODELS, STARTER)
    kokoro, starter = page.installed.text().splitlines()
    assert kokoro.startswith("Kokoro-82M")
    assert starter.startswith("Starter voices")
    desk.header.voices.choose_model("kokoro-82m")
    assert page.installed.text().splitlines() != [kokoro, starter]
    with qtbot.waitSignal(desk.menu.models.triggered):
        page.button.click()


def test_all_keys_are_listed_as_they_are_now(desk: Desk) -> None:
    dialog = desk.open()
    desk.menu.models.setShortcut("Ctrl+Shift+F12")
    dialog.list.setCurrentRow(5)
    assert "Ctrl+Shift+F12" in dialog.shortcuts.toPlainText()
