import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.closing import CLOSE_WHEN_SAVED, STOP_SAVING, ask_about_save


@pytest.mark.parametrize("answer", [CLOSE_WHEN_SAVED, STOP_SAVING, "Cancel"])
def test_each_answer_does_what_it_says(qtbot: QtBot, answer: str) -> None:
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
