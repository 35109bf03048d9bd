from collections.abc import Iterator

import pytest
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit
from pytestqt.qtbot import QtBot

from app.theme import Appearance, Theme, colors
from app.widgets.reading_marks import FOLLOWING, LEFT, TITLE, ReadingChip, ReadingMarks

LINES = "\n".join(f"Line {number} is here." for number in range(200))
Edit = QPlainTextEdit | QTextEdit


@pytest.fixture(params=[QPlainTextEdit, QTextEdit])
def edit(qtbot: QtBot, request: pytest.FixtureRequest) -> Edit:
    """An edit that scrolls by lines, and one that scrolls by pixels."""
    edit: Edit = request.param()
    qtbot.addWidget(edit)
    edit.resize(300, 300)
    edit.setPlainText(LINES)
    edit.show()
    qtbot.waitExposed(edit)
    return edit


@pytest.fixture
def marks(edit: Edit) -> ReadingMarks:
    return ReadingMarks(edit)


def found(edit: Edit, words: str) -> QTextCursor:
    cursor = edit.document().find(words)
    assert not cursor.isNull()
    return cursor


def show(marks: ReadingMarks, edit: Edit, line: int, word: str | None = None) -> None:
    sentence = found(edit, f"Line {line} is here.")
    part = None if word is None else edit.document().find(word, sentence.selectionStart())
    marks.show(sentence, part)


def test_the_word_is_marked_by_more_than_its_color(marks: ReadingMarks, edit: Edit) -> None:
    show(marks, edit, 3, "here")
    sentence, word = edit.extraSelections()
    assert (sentence.cursor.selectedText(), word.cursor.selectedText()) == ("Line 3 is here.", "here")
    assert word.format.fontUnderline()
    assert not sentence.format.fontUnderline()


def test_marks_take_the_colors_of_a_new_theme(marks: ReadingMarks, edit: Edit, theme: Theme) -> None:
    show(marks, edit, 3, "here")
    for appearance in (Appearance.DARK, Appearance.LIGHT):
        theme.choose(appearance)
        drawn = [each.format.background().color().name() for each in edit.extraSelections()]
        assert drawn == [colors().highlight, colors().word]


def test_centering_keeps_the_playing_line_in_the_middle(marks: ReadingMarks, edit: Edit) -> None:
    marks.set_centered(True)
    for line in (60, 61, 150, 199):
        show(marks, edit, line, "here")
        place = edit.cursorRect(found(edit, f"Line {line} is here.")).center().y()
        assert abs(place - edit.viewport().height() / 2) <= edit.fontMetrics().lineSpacing()
    marks.set_centered(False)
    show(marks, edit, 198)
    assert edit.cursorRect(found(edit, "Line 198 is")).bottom() <= edit.viewport().height()


def test_a_word_beyond_the_view_is_followed_inside_a_long_sentence(marks: ReadingMarks, edit: Edit) -> None:
    edit.setPlainText("word " * 2000 + "end.")
    whole = QTextCursor(edit.document())
    whole.select(QTextCursor.SelectionType.Document)
    marks.show(whole, found(edit, "end"))
    assert edit.cursorRect(found(edit, "end")).bottom() <= edit.viewport().height()


def test_leaving_the_playing_text_is_reported_once_until_following_resumes(marks: ReadingMarks, edit: Edit) -> None:
    told: list[bool] = []
    marks.left_changed.connect(told.append)
    marks.leave()
    assert not told  # nothing plays yet
    show(marks, edit, 3)
    assert not told  # it is in sight
    for line in (100, 101):
        show(marks, edit, line)
    assert told == [True]
    assert edit.accessibleDescription() == LEFT
    assert edit.verticalScrollBar().value() == 0
    marks.resume_following()
    assert told == [True, False]
    assert edit.accessibleDescription() == FOLLOWING
    assert edit.verticalScrollBar().value() > 80
    marks.leave()
    edit.verticalScrollBar().setValue(0)
    marks.show(None)
    assert told == [True, False, True, False]


def test_text_scrolled_back_into_view_does_not_count_as_left(marks: ReadingMarks, edit: Edit) -> None:
    show(marks, edit, 100)
    marks.leave()
    bar = edit.verticalScrollBar()
    place, lefts = bar.value(), []
    for value in (0, place, bar.maximum(), place):
        bar.setValue(value)
        lefts.append(marks.left)
    assert lefts == [True, False, True, False]
    show(marks, edit, 150)
    assert bar.value() == place  # nor is it followed


def test_any_part_of_a_sentence_longer_than_the_view_counts_as_visible(marks: ReadingMarks, edit: Edit) -> None:
    edit.setPlainText(f"{LINES}\n{'word ' * 2000}\n{LINES}")
    marks.show(found(edit, "word " * 2000))
    marks.leave()
    bar = edit.verticalScrollBar()
    bar.setValue(bar.value() + bar.pageStep())
    assert not marks.left
    bar.setValue(bar.maximum())
    assert marks.left


def test_a_screen_reader_is_not_told_each_word(marks: ReadingMarks, edit: Edit, qtbot: QtBot) -> None:
    """It reads out the text at the cursor, the selection, and a description that changes."""
    show(marks, edit, 3)
    before = (edit.textCursor().position(), edit.accessibleName(), edit.accessibleDescription())
    with qtbot.assertNotEmitted(edit.cursorPositionChanged), qtbot.assertNotEmitted(edit.selectionChanged):
        for word in ("Line", "is", "here"):
            show(marks, edit, 3, word)
    assert (edit.textCursor().position(), edit.accessibleName(), edit.accessibleDescription()) == before


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
