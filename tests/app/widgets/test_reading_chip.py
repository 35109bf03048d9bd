from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.widgets.reading_chip import TITLE, ReadingChip


@pytest.fixture
def chip(qtbot: QtBot) -> Iterator[ReadingChip]:
    below = QPlainTextEdit()
    qtbot.addWidget(below)
    below.resize(300, 200)
    below.show()
    qtbot.waitExposed(below)
    yield ReadingChip(below)
    below.close()


def test_it_is_there_only_while_the_reading_is_left(chip: ReadingChip) -> None:
    assert not chip.isVisible()
    chip.show_left(True)
    assert chip.isVisible()
    assert chip.text() == TITLE
    chip.show_left(False)
    assert not chip.isVisible()


def test_it_stays_at_the_lower_edge(chip: ReadingChip, qtbot: QtBot) -> None:
    chip.show_left(True)
    for size in ((300, 200), (500, 420)):
        chip.parentWidget().resize(*size)
        assert abs(chip.geometry().center().x() - size[0] // 2) <= 1
        assert size[1] - 40 < chip.geometry().bottom() < size[1]


def test_the_keyboard_goes_back_to_the_text(chip: ReadingChip, qtbot: QtBot) -> None:
    chip.show_left(True)
    chip.setFocus()
    assert chip.hasFocus()
    chip.show_left(False)
    assert chip.parentWidget().hasFocus()
