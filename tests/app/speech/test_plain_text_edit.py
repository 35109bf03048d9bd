from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.speech.text_editor import PlainTextEdit
from app.widgets.place_chooser import place_key

TEXT = "One 🙂 word here.\n\nThe next line has more of them."


@pytest.fixture
def edit(qtbot: QtBot) -> Iterator[PlainTextEdit]:
    parent = QWidget()
    qtbot.addWidget(parent)
    edit = PlainTextEdit(parent)
    edit.resize(500, 200)
    edit.setPlainText(TEXT)
    parent.show()
    qtbot.waitExposed(parent)
    yield edit
    parent.close()


def test_a_click_with_alt_wants_the_word_under_it(edit: PlainTextEdit, qtbot: QtBot) -> None:
    inside = edit.cursorRect(edit.document().find("nex")).center()
    with qtbot.waitSignal(edit.place_wanted) as wanted:
        qtbot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton, place_key(), inside)
    assert wanted.args == [edit.document().find("next").selectionStart()]


def test_lines_are_limited_on_demand(edit: PlainTextEdit) -> None:
    edit.resize(1900, 200)
    width = edit.viewport().width()
    edit.limit_lines(70)
    assert edit.viewport().width() < width / 2
    edit.limit_lines(None)
    assert edit.viewport().width() == width
