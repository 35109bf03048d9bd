import os
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QLabel, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from app import window_memory
from app.closing import CLOSE_WHEN_SAVED, STOP_SAVING, ask_about_save
from app.recent_texts import RecentTexts
from app.settings import Settings
from app.speech.page import SpeechPage
from app.speech.voice_choice import VoiceChoice
from app.window_memory import SIZE_PIXELS, WindowMemory
from tests.app.fakes import TWO_MODELS


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecentTexts:
    monkeypatch.setattr("app.recent_texts.data_folder", lambda: tmp_path)
    return RecentTexts()


def opened(qtbot: QtBot, settings: Settings) -> tuple[QMainWindow, SpeechPage, WindowMemory]:
    window = QMainWindow()
    qtbot.addWidget(window)
    page = SpeechPage(window)
    window.setCentralWidget(page)
    memory = WindowMemory(window, page, settings, RecentTexts())
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
    assert other.header.voices.choice == VoiceChoice("am_adam", "starter")
    assert (settings.voice, settings.model) == ("am_adam", "starter")
    assert (other_window.width(), other_window.height()) == (700, 600)


def test_the_side_bar_comes_back_with_its_panel_and_width(qtbot: QtBot, settings: Settings) -> None:
    _, page, memory = opened(qtbot, settings)
    page.side_bar.add("Chapters", QLabel("One")).trigger()
    page.side_bar.width_pixels = 333
    memory.remember()
    _, other, other_memory = opened(qtbot, settings)
    other_memory.remember()  # closed before the panel was added
    panel = QLabel("One")
    other.side_bar.add("Chapters", panel)
    assert other.side_bar.panel is panel
    assert other.side_bar.width_pixels == 333
    assert settings.side_bar == "Chapters"


def test_text_is_saved_soon_after_typing(qtbot: QtBot, settings: Settings) -> None:
    _, page, _ = opened(qtbot, settings)
    page.editor.edit.insertPlainText("Do not lose me.")
    qtbot.waitUntil(lambda: settings.text == "Do not lose me.")


def test_external_text_does_not_replace_the_users_unless_it_is_edited(qtbot: QtBot, settings: Settings) -> None:
    settings.text = "My own draft."
    _, page, memory = opened(qtbot, settings)
    memory.lend_text("From the command line.")
    memory.remember()
    assert settings.text == "My own draft."
    page.editor.edit.insertPlainText("Edited. ")
    memory.remember()
    assert settings.text == "Edited. From the command line."


def test_typing_that_never_pauses_is_still_saved(
    qtbot: QtBot, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window_memory, "REMEMBER_TEXT_WITHIN_MS", 200)
    _, page, _ = opened(qtbot, settings)
    typing = QTimer(interval=30)
    typing.timeout.connect(lambda: page.editor.edit.insertPlainText("a"))
    typing.start()
    qtbot.waitUntil(lambda: bool(settings.text))
    typing.stop()
    assert page.editor.text.startswith(str(settings.text))


def test_an_unedited_text_never_overwrites_a_newer_one(qtbot: QtBot, settings: Settings) -> None:
    settings.text = "Old."
    _, _, untouched = opened(qtbot, settings)
    _, page, edited = opened(qtbot, settings)
    page.editor.edit.insertPlainText("New, not ")
    edited.remember()
    untouched.remember()
    assert settings.text == "New, not Old."


def test_a_text_edited_back_to_its_original_is_saved(qtbot: QtBot, settings: Settings) -> None:
    settings.text = "First."
    _, page, memory = opened(qtbot, settings)
    for text in ("Second.", "First."):
        page.editor.set_text(text)
        memory.remember_text()
        assert settings.text == text


def test_a_new_text_moves_the_previous_one_to_the_recent_texts(qtbot: QtBot, settings: Settings) -> None:
    settings.text = "From last time."
    _, page, memory = opened(qtbot, settings)
    page.editor.edit.insertPlainText("Not ")
    memory.remember_text()
    page.editor.set_text("A new text.")
    memory.remember_text()
    page.editor.edit.insertPlainText("And ")
    memory.remember_text()
    assert [each.text for each in memory.texts] == ["And A new text.", "Not From last time."]


def test_a_text_that_cannot_be_saved_is_reported_until_it_can(qtbot: QtBot, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "texts").write_text("no folder")
    _, page, memory = opened(qtbot, settings)
    told: list[str] = []
    memory.failed.connect(lambda error: told.append(str(error)))
    for _ in range(2):
        page.editor.edit.insertPlainText("Words. ")
        memory.remember_text()
    memory.remember_text()  # nothing was typed, but saving still fails
    assert len(told) == 3
    assert "saved" in told[0]
    assert not memory.kept
    (tmp_path / "texts").unlink()
    page.editor.edit.insertPlainText("Words. ")
    memory.remember_text()
    assert [each.text for each in memory.texts] == ["Words. " * 3]
    assert memory.kept
    assert len(told) == 3


def test_a_text_is_saved_before_a_new_one_replaces_it(qtbot: QtBot, settings: Settings) -> None:
    _, page, memory = opened(qtbot, settings)
    page.editor.edit.insertPlainText("Typed just now.")
    page.editor.set_text("From the history.")
    assert [each.text for each in memory.texts] == ["Typed just now."]
    assert settings.text == "Typed just now."


def test_the_editors_normalization_of_a_lent_text_is_not_an_edit(qtbot: QtBot, settings: Settings) -> None:
    settings.text = "My own draft."
    _, _, memory = opened(qtbot, settings)
    memory.lend_text("One\r\nline and\u00a0a space.")
    memory.remember()
    assert settings.text == "My own draft."


def test_a_text_that_is_newer_than_the_settings_comes_back(
    qtbot: QtBot, settings: Settings, texts: RecentTexts
) -> None:
    settings.text = "Of the last run but one."
    texts.add_text("Written when the settings could not be.")
    tomorrow = time.time() + 86_400
    os.utime(texts.texts[0].path, (tomorrow, tomorrow))
    _, page, _ = opened(qtbot, settings)
    assert page.editor.text == settings.text == "Written when the settings could not be."


def test_settings_that_have_just_changed_are_newer_than_any_text(
    qtbot: QtBot, settings: Settings, texts: RecentTexts
) -> None:
    texts.add_text("Of yesterday.")
    settings.text = "Of this very moment."
    _, page, _ = opened(qtbot, settings)
    assert page.editor.text == "Of this very moment."


def test_unwritable_settings_are_reported(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    window = QMainWindow()
    qtbot.addWidget(window)
    page = SpeechPage(window)
    store = QSettings(str(tmp_path / "file" / "s.ini"), QSettings.Format.IniFormat)
    memory = WindowMemory(window, page, Settings(store), RecentTexts())
    with qtbot.waitSignal(memory.failed) as told:
        memory.restore()
    assert "can’t be saved" in str(told.args)


@pytest.mark.parametrize("answer", [CLOSE_WHEN_SAVED, STOP_SAVING, "Cancel"])
def test_each_answer_performs_its_labeled_action(qtbot: QtBot, answer: str) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    chosen: list[str] = []
    box = ask_about_save(
        window, "a.wav", 0, lambda: chosen.append(CLOSE_WHEN_SAVED), lambda: chosen.append(STOP_SAVING)
    )
    assert box.text() == "“a.wav” is still being saved."
    next(button for button in box.buttons() if button.text().replace("&", "") == answer).click()
    assert chosen == ([] if answer == "Cancel" else [answer])


def test_those_that_wait_are_counted(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    box = ask_about_save(window, "a.wav", 2, lambda: None, lambda: None)
    assert box.text() == "“a.wav” and 2 more are still being saved."
    box.close()
