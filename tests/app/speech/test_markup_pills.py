import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.speech.markup_pills import DIRECTION, pills_in
from app.speech.plain_text_edit import PlainTextEdit
from app.theme import LIGHT


@pytest.fixture
def edit(qtbot: QtBot) -> PlainTextEdit:
    edit = PlainTextEdit(None)  # type: ignore[arg-type]
    qtbot.addWidget(edit)
    edit.resize(400, 200)
    edit.show()
    return edit


@pytest.mark.parametrize(
    "text", ["[pause 1.5s]", "[pause 500ms]", "[Voice: am_michael]", "[voice:a(1)+b(2)]", "[voice: Été doux]"]
)
def test_directions_are_pills(edit: PlainTextEdit, text: str) -> None:
    edit.setPlainText(f"One {text} two.")
    assert len(pills_in(edit)) == 1


@pytest.mark.parametrize("text", ["[pause](/pɔz/)", "[pause 1.5s", "pause 1.5s]", "[voices]", "[1]", "[paused]"])
def test_other_brackets_are_none(text: str) -> None:
    assert DIRECTION.search(text) is None


def test_a_pill_lies_over_its_text_also_after_an_emoji(edit: PlainTextEdit) -> None:
    edit.setPlainText("First.\n🙂 One [pause 1.5s] two.")
    cursor = edit.document().find("[pause 1.5s]")
    end = edit.cursorRect(cursor)
    cursor.setPosition(cursor.selectionStart())
    start = edit.cursorRect(cursor)
    (pill,) = pills_in(edit)
    assert pill.left() == pytest.approx(start.left(), abs=4)
    assert pill.right() == pytest.approx(end.left(), abs=4)
    assert pill.center().y() == pytest.approx(start.center().y(), abs=4)


def test_one_over_two_lines_is_drawn_on_both(edit: PlainTextEdit) -> None:
    edit.resize(160, 200)
    edit.setPlainText("Some words [voice: am_michael] more")
    lines = {round(pill.top()) for pill in pills_in(edit)}
    assert len(lines) == len(pills_in(edit)) == 2


def test_what_is_scrolled_out_of_view_is_left_out(edit: PlainTextEdit) -> None:
    edit.setPlainText("[pause 1s]\n" + "Words.\n" * 100 + "[pause 2s]")
    assert len(pills_in(edit)) == 1
    edit.verticalScrollBar().setValue(50)
    assert pills_in(edit) == []


def test_the_pill_is_drawn_and_the_text_is_untouched(edit: PlainTextEdit) -> None:
    text = "One [pause 1.5s] two."
    edit.setPlainText(text)
    (pill,) = pills_in(edit)
    assert has_tint(edit, pill)
    edit.setPlainText(text.replace("[", "("))
    assert not has_tint(edit, pill)
    assert not edit.document().isUndoAvailable()


def has_tint(edit: PlainTextEdit, area: QRectF) -> bool:
    """Whether anything there has the colour of a pill's line."""
    image = edit.viewport().grab(area.toAlignedRect().adjusted(-1, -1, 1, 1)).toImage()
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    return QColor(LIGHT.accent).name() in colours
