from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.speech.plain_text_edit import MARGIN_PIXELS, PlainTextEdit
from app.theme import DARK
from app.widgets.place_click import place_key

TEXT = "One 🙂 word here.\n\nThe next line has more of them."
WORDS = "It was late in the year when they came down from the hills, and nobody in the town knew their names. "


@pytest.fixture
def edit(qtbot: QtBot) -> Iterator[PlainTextEdit]:
    parent = QWidget()
    qtbot.addWidget(parent)
    edit = PlainTextEdit(parent)
    edit.resize(500, 200)
    parent.resize(500, 200)
    edit.setPlainText(TEXT)
    parent.show()
    qtbot.waitExposed(parent)
    qtbot.mouseMove(edit.viewport(), QPoint(499, 199))  # from where no test begins: a move to the same place is none
    yield edit
    parent.close()


def place_of(edit: PlainTextEdit, words: str, part: float = 0.5) -> QPoint:
    """In the viewport, somewhere inside these words."""
    cursor = edit.document().find(words)
    right = edit.cursorRect(cursor)
    cursor.setPosition(cursor.selectionStart())
    left = edit.cursorRect(cursor)
    return QPoint(round(left.left() + part * (right.left() - left.left())), left.center().y())


def margin_beside(edit: PlainTextEdit, words: str) -> QPoint:
    return QPoint(MARGIN_PIXELS // 2, place_of(edit, words).y())


@pytest.mark.parametrize("word", ["One", "word", "here", "next", "them"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.95])
def test_a_click_with_its_key_wants_the_word_under_it(
    edit: PlainTextEdit, qtbot: QtBot, word: str, part: float
) -> None:
    before = edit.textCursor().position()
    with qtbot.waitSignal(edit.place_wanted) as wanted:
        qtbot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton, place_key(), place_of(edit, word, part))
    assert wanted.args == [edit.document().find(word).selectionStart()]
    assert edit.textCursor().position() == before


def test_a_plain_click_moves_the_text_cursor(edit: PlainTextEdit, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(edit.place_wanted):
        qtbot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton, pos=place_of(edit, "next"))
    assert edit.textCursor().position() > TEXT.index("The")


def test_the_mark_in_the_margin_wants_its_line(edit: PlainTextEdit, qtbot: QtBot) -> None:
    qtbot.mouseMove(edit.viewport(), place_of(edit, "more"))
    assert edit.mark is not None
    assert edit.mark.right() < MARGIN_PIXELS
    place = margin_beside(edit, "more")
    assert edit.mark.contains(place)
    qtbot.mouseMove(edit.viewport(), place)
    assert edit.viewport().cursor().shape() is Qt.CursorShape.PointingHandCursor
    assert edit.viewport().toolTip()
    with qtbot.waitSignal(edit.place_wanted) as wanted:
        qtbot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert wanted.args == [edit.document().find("The next").selectionStart()]


def test_a_line_that_is_wrapped_has_a_mark_of_its_own(edit: PlainTextEdit, qtbot: QtBot) -> None:
    edit.setPlainText(WORDS * 3)
    below = margin_beside(edit, "It was") + QPoint(0, edit.fontMetrics().lineSpacing())
    qtbot.mouseMove(edit.viewport(), below)
    with qtbot.waitSignal(edit.place_wanted) as wanted:
        qtbot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton, pos=below)
    line = edit.document().firstBlock().layout().lineAt(1)
    assert line.textStart() > 0
    assert wanted.args == [line.textStart()]


def test_there_is_no_mark_without_a_line_of_text_or_a_pointer(edit: PlainTextEdit, qtbot: QtBot) -> None:
    empty = place_of(edit, "One") + QPoint(0, edit.fontMetrics().lineSpacing())
    for nowhere in (empty, QPoint(100, 190)):
        qtbot.mouseMove(edit.viewport(), place_of(edit, "more"))
        assert edit.mark is not None
        qtbot.mouseMove(edit.viewport(), nowhere)
        assert edit.mark is None
    qtbot.mouseMove(edit.viewport(), place_of(edit, "more"))
    QApplication.sendEvent(edit.viewport(), QEvent(QEvent.Type.Leave))
    assert edit.mark is None


def test_the_mark_is_drawn_in_the_themes_colour(edit: PlainTextEdit, qtbot: QtBot) -> None:
    edit.set_colours(DARK)

    def margin() -> set[str]:
        picture = edit.viewport().grab().toImage()
        return {picture.pixelColor(x, y).name() for x in range(MARGIN_PIXELS) for y in range(picture.height())}

    assert DARK.accent not in margin()
    qtbot.mouseMove(edit.viewport(), place_of(edit, "One"))
    qtbot.mouseMove(edit.viewport(), place_of(edit, "more"))
    assert DARK.accent in margin()


def longest_line(edit: PlainTextEdit) -> int:
    layout = edit.document().firstBlock().layout()
    return max(layout.lineAt(number).textLength() for number in range(layout.lineCount()))


@pytest.mark.parametrize("pixels", [14, 20, 32])
def test_lines_are_as_long_as_asked_at_any_size(edit: PlainTextEdit, qtbot: QtBot, pixels: int) -> None:
    edit.setPlainText(WORDS * 10)
    edit.resize(1900, 300)
    assert longest_line(edit) > 200
    edit.limit_lines(70)
    edit.setStyleSheet(f"QPlainTextEdit {{ font-size: {pixels}px; }}")
    qtbot.wait_for_timers()
    assert 62 <= longest_line(edit) <= 76
    left, right = edit.viewport().x(), edit.width() - edit.viewport().geometry().right() - 1
    assert abs(left - right) <= 20  # a scroll bar
    edit.limit_lines(None)
    edit.setStyleSheet("")
    qtbot.wait_for_timers()
    assert longest_line(edit) > 200


def test_a_narrow_window_keeps_all_its_width(edit: PlainTextEdit) -> None:
    edit.setStyleSheet("QPlainTextEdit { font-size: 16px; }")
    edit.limit_lines(70)
    assert edit.viewport().width() > 480
