from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextDocument, QWheelEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit
from pytestqt.qtbot import QtBot

from app.widgets.text_views import TextColumn, Utf16Positions, character_of, span_in

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=30)


@given(text=TEXTS, data=st.data())
def test_a_position_counts_the_units_before_its_character(text: str, data: st.DataObject) -> None:
    character = data.draw(st.integers(0, len(text)))
    assert Utf16Positions(text).of(character) == len(text[:character].encode("utf-16-le")) // 2


@given(text=TEXTS, data=st.data())
def test_characters_and_positions_are_one_to_one(text: str, data: st.DataObject) -> None:
    character = data.draw(st.integers(0, len(text)))
    positions = Utf16Positions(text)
    assert positions.character(positions.of(character)) == character
    assert character_of(text, positions.of(character)) == character


def test_a_position_inside_an_emoji_is_the_emojis() -> None:
    assert [Utf16Positions("a🙂b").character(position) for position in range(5)] == [0, 1, 1, 2, 3]


def test_a_span_selects() -> None:
    document = QTextDocument("One word. More.")
    assert span_in(document, 4, 8).selectedText() == "word"


WORDS = "It was late in the year when they came down from the hills, and nobody in the town knew their names. "
Edit = QPlainTextEdit | QTextEdit


@pytest.fixture(params=[QPlainTextEdit, QTextEdit])
def edit(qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[Edit]:
    edit: Edit = request.param()
    qtbot.addWidget(edit)
    edit.setPlainText(WORDS * 50)
    edit.resize(1900, 300)
    edit.show()
    qtbot.waitExposed(edit)
    yield edit
    edit.close()


def longest_line(edit: Edit) -> int:
    layout = edit.document().firstBlock().layout()
    return max(layout.lineAt(number).textLength() for number in range(layout.lineCount()))


@pytest.mark.parametrize("pixels", [14, 20, 32])
def test_lines_are_as_long_as_asked_at_any_size(edit: Edit, qtbot: QtBot, pixels: int) -> None:
    assert longest_line(edit) > 200
    column = TextColumn(edit)
    column.limit(70)
    edit.setStyleSheet(f"* {{ font-size: {pixels}px; }}")
    qtbot.wait_for_timers()
    assert 62 <= longest_line(edit) <= 76
    left, right = edit.viewport().x(), edit.width() - edit.viewport().geometry().right() - 1
    assert abs(left - right) <= 20  # a scroll bar
    column.limit(None)
    edit.setStyleSheet("")
    qtbot.wait_for_timers()
    assert longest_line(edit) > 200


def test_a_narrow_window_keeps_all_its_width(edit: Edit) -> None:
    edit.resize(500, 300)
    edit.setStyleSheet("* { font-size: 16px; }")
    width = edit.viewport().width()
    TextColumn(edit).limit(70)
    assert edit.viewport().width() == width


def test_the_wheel_scrolls_beside_the_text_too(edit: Edit) -> None:
    TextColumn(edit).limit(70)
    beside = QPointF(20, 100)
    assert beside.x() < edit.viewport().x()
    buttons, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    there = QPointF(edit.mapToGlobal(beside.toPoint()))
    turn = QWheelEvent(beside, there, QPoint(), QPoint(0, -120), buttons, keys, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(edit, turn)
    assert edit.verticalScrollBar().value() > 0
