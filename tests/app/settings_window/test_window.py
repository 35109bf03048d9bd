from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QScrollArea, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from app.application import Application
from app.settings import Settings
from app.settings_window import pages
from app.speech.activity import Activity
from app.speech.voice_choice import VoiceChoice
from app.theme import SERIF, Appearance
from app.widgets.controls import ComboBox
from engine.runtime.preparation.devices import DEVICES
from engine.speech import DeviceEvent, Prosody
from tests.app.applications import Applications
from tests.app.fakes import TWO_MODELS
from tests.app.settings_window.desk import Desk, choose


def test_the_keyboard_leads_through_the_pages(desk: Desk, qtbot: QtBot) -> None:
    dialog = desk.open()
    qtbot.waitUntil(dialog.isActiveWindow)
    assert dialog.list.hasFocus()
    assert dialog.reading.isVisible()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    assert dialog.appearance.isVisible()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Tab)
    assert dialog.appearance.appearance.hasFocus()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_it_is_one_window_that_comes_back_as_it_was_left(desk: Desk) -> None:
    dialog = desk.open()
    dialog.list.setCurrentRow(3)
    dialog.close()
    assert desk.open() is dialog
    assert dialog.history.isVisible()


@pytest.mark.parametrize("pixels", [12, 26])
def test_it_fits_a_small_screen_at_any_size_of_the_text(desk: Desk, qtbot: QtBot, pixels: int) -> None:
    dialog = desk.open()
    dialog.setStyleSheet(f"* {{ font-size: {pixels}px; }}")
    dialog.resize(640, 720)
    qtbot.waitUntil(lambda: dialog.size().toTuple() == (640, 720))
    for row in range(dialog.list.count()):
        dialog.list.setCurrentRow(row)
        for page in dialog.findChildren(QScrollArea):
            assert not page.isVisible() or page.horizontalScrollBar().maximum() == 0


def test_in_a_narrow_window_a_box_has_the_place_of_the_list(desk: Desk, qtbot: QtBot) -> None:
    dialog = desk.open()
    assert (dialog.list.isVisible(), dialog.box.isVisible()) == (True, False)
    dialog.resize(320, 360)
    qtbot.waitUntil(lambda: dialog.box.isVisible() and not dialog.list.isVisible())
    assert dialog.width() == 320
    dialog.box.setCurrentIndex(2)
    assert dialog.export.isVisible()
    dialog.resize(800, 400)
    qtbot.waitUntil(dialog.list.isVisible)
    assert dialog.list.currentRow() == 2


def test_it_closes_with_the_main_window(desk: Desk) -> None:
    dialog = desk.open()
    desk.window.close()
    assert not dialog.isVisible()


@pytest.fixture
def application(applications: Applications, settings: Settings) -> Application:
    settings.text = "One. Two."
    return applications.ready()


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


STARTER, FULL_SIZE = "starter", "kokoro-82m"


def test_speed_and_pauses_are_those_of_the_header(desk: Desk) -> None:
    desk.header.speed.set_speed(1.5)
    reading = desk.open().reading
    assert (reading.speed.speed, reading.pauses.pause_scale) == (1.5, 1.0)
    reading.speed.set_speed(0.8)
    reading.pauses.set_pause_scale(2.0)
    assert (desk.header.speed.speed, desk.settings.speed) == (0.8, 0.8)
    assert (desk.header.pauses.pause_scale, desk.settings.pause_scale) == (2.0, 2.0)
    desk.menu.normal_speed.trigger()
    desk.header.pauses.longer()
    assert (reading.speed.speed, reading.pauses.pause_scale) == (1.0, 2.5)


def test_the_voice_is_shown_and_chosen_elsewhere(desk: Desk, qtbot: QtBot) -> None:
    reading = desk.open().reading
    desk.header.voices.show_models(TWO_MODELS, STARTER)
    assert "Sally" in reading.voice.label.toolTip()
    desk.header.voices.choose_voice(VoiceChoice("bm_george", "kokoro-82m"))
    assert "George" in reading.voice.label.toolTip()
    assert "Kokoro-82M" in reading.voice.label.toolTip()
    with qtbot.waitSignal(desk.feature.voices_requested):
        reading.voice.button.click()


def test_a_setting_and_its_menu_entry_share_one_value(desk: Desk) -> None:
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


def test_a_missing_font_family_is_still_shown(desk: Desk) -> None:
    desk.settings.reading_font = "Gone Gothic"
    page = desk.open().appearance
    assert page.font_choice.value == "Gone Gothic"
    choose(page.font_choice, "")
    assert desk.settings.reading_font == ""


def test_the_export_folder_and_format_can_be_chosen(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
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
    dialog.show_page(dialog.shortcuts)
    assert "Ctrl+Shift+F12" in dialog.shortcuts.toPlainText()


STARTER, FULL_SIZE = "starter", "kokoro-82m"
UNAVAILABLE_REASON = "It has no students."


def allowed(box: ComboBox) -> list[object]:
    model = box.model()
    return [
        value
        for number, value in enumerate(box.values)
        if model.flags(model.index(number, 0)) & Qt.ItemFlag.ItemIsEnabled
    ]


def show_models(desk: Desk, unavailable_reason: str = "") -> None:
    """Show two models, of which the full-size one has a Transformer unless there is an obstacle."""
    full_size, starter = TWO_MODELS
    desk.header.voices.show_models(
        (replace(full_size, students_unavailable_reason=unavailable_reason), starter), STARTER
    )


@pytest.mark.parametrize("unavailable_reason", [None, "Metal needs a Mac"])
def test_an_unavailable_device_is_not_offered_and_shows_the_reason(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, unavailable_reason: str | None
) -> None:
    monkeypatch.setattr(pages, "metal_unavailable_reason", lambda: unavailable_reason)
    desk.settings.device = "cpu"
    page = desk.open().advanced
    assert page.device.value == "cpu"
    assert page.device.values == DEVICES
    assert ("metal" in allowed(page.device)) == (unavailable_reason is None)
    assert page.lstm_method.isEnabled() == (unavailable_reason is None)
    tip = page.device.itemData(page.device.values.index("metal"), Qt.ItemDataRole.ToolTipRole)
    assert (tip == unavailable_reason) == (unavailable_reason is not None)


def test_a_device_is_stored_and_wants_an_engine(desk: Desk) -> None:
    page = desk.open().advanced
    choose(page.device, "cpu")
    assert (desk.settings.device, desk.engines_requested) == ("cpu", [STARTER])


def test_the_device_and_lstm_method_in_use_are_shown(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "metal_unavailable_reason", lambda: None)
    page = desk.open().advanced
    titles = [page.lstm_method.itemText(number) for number in range(page.lstm_method.count())]
    device = DeviceEvent("cpu (why)", "tir (faster)", {"tir": 0.004, "mps": 0.0051})
    desk.speech.activity_changed.emit(Activity(device=device))
    told = {label.text() for label in page.findChildren(type(page.add_row("", page.diagnose)))}
    assert any("cpu (why)" in words for words in told)
    assert any("tir (faster)" in words for words in told)
    timed = [page.lstm_method.itemText(number) for number in range(page.lstm_method.count())]
    assert timed == [titles[0], f"{titles[1]} (4.0 ms)", f"{titles[2]} (5.1 ms)"]
    desk.speech.activity_changed.emit(Activity(device=replace(device, lstm_seconds={})))
    assert [page.lstm_method.itemText(number) for number in range(page.lstm_method.count())] == titles


def test_a_model_without_a_transformer_has_no_choice(desk: Desk) -> None:
    page = desk.open().advanced
    assert not page.prosody.isEnabled()
    show_models(desk, UNAVAILABLE_REASON)
    desk.header.voices.choose_model(FULL_SIZE)
    assert page.prosody.isEnabled()
    assert allowed(page.prosody) == [Prosody.LSTM]
    show_models(desk)
    assert allowed(page.prosody) == [Prosody.LSTM, Prosody.TRANSFORMER]


def test_a_prosody_is_stored_told_and_speaks_next(desk: Desk) -> None:
    page = desk.open().advanced
    show_models(desk)
    desk.header.voices.choose_model(FULL_SIZE)
    told: list[bool] = []
    desk.feature.prosody_changed.connect(lambda: told.append(True))
    for prosody, times in ((Prosody.TRANSFORMER, 1), (Prosody.TRANSFORMER, 1), (Prosody.LSTM, 2)):
        choose(page.prosody, prosody)
        assert (desk.settings.prosody, page.prosody.value) == (prosody, prosody)
        assert desk.engines_requested == [FULL_SIZE] * times
        assert len(told) == times


def test_the_wish_counts_for_the_models_that_have_a_transformer(desk: Desk) -> None:
    desk.settings.prosody = Prosody.TRANSFORMER
    page = desk.open().advanced
    show_models(desk)
    assert (desk.header.voices.speaking_model, page.prosody.value) == (STARTER, Prosody.LSTM)
    desk.header.voices.choose_model(FULL_SIZE)
    assert page.prosody.value is Prosody.TRANSFORMER
    show_models(desk, UNAVAILABLE_REASON)
    assert page.prosody.value is Prosody.LSTM
    assert desk.settings.prosody is Prosody.TRANSFORMER


def test_switches_are_stored_and_follow(desk: Desk) -> None:
    page = desk.open().advanced
    assert (page.tray_icon.isChecked(), page.diagnose.isChecked()) == (True, False)
    page.tray_icon.click()
    page.diagnose.click()
    assert (desk.settings.tray_icon, desk.settings.diagnose_while_speaking) == (False, True)
    desk.settings.tray_icon, desk.settings.diagnose_while_speaking = True, False
    assert (page.tray_icon.isChecked(), page.diagnose.isChecked()) == (True, False)


@pytest.mark.parametrize("available", [True, False])
def test_a_tray_icon_is_offered_where_there_is_a_tray(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, *, available: bool
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: available)
    dialog = desk.open()
    dialog.show_page(dialog.advanced)
    assert dialog.advanced.tray_icon.isVisible() is available
