import sys
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit
from pytestqt.qtbot import QtBot

from app.theme import Appearance, Theme, colors
from app.widgets.place_chooser import (
    MARGIN_PIXELS,
    TOOL_TIP,
    PlaceChooser,
    chooses_place,
    format_place_click,
    place_key,
)

TEXT = "One 🙂 word here.\n\nThe next line has more of them."
WORDS = "It was late in the year when they came down from the hills, and nobody in the town knew their names. "
KEYS = Qt.KeyboardModifier


class Plain(QPlainTextEdit):
    def __init__(self) -> None:
        super().__init__()
        self.places = PlaceChooser(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.places.paint()


class Rich(QTextEdit):
    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.places = PlaceChooser(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.places.paint()


Edit = Plain | Rich


@pytest.fixture(params=[Plain, Rich])
def edit(qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[Edit]:
    edit: Edit = request.param()
    qtbot.addWidget(edit)
    edit.resize(500, 200)
    edit.setPlainText(TEXT)
    edit.show()
    qtbot.waitExposed(edit)
    qtbot.mouseMove(edit.viewport(), QPoint(479, 179))  # tests begin elsewhere: Qt ignores a move to the same place
    yield edit
    edit.close()


def place_of(edit: Edit, words: str, part: float = 0.5) -> QPoint:
    """Return a position in the viewport, somewhere inside these words."""
    cursor = edit.document().find(words)
    right = edit.cursorRect(cursor)
    cursor.setPosition(cursor.selectionStart())
    left = edit.cursorRect(cursor)
    return QPoint(round(left.left() + part * (right.left() - left.left())), left.center().y())


def margin_beside(edit: Edit, words: str) -> QPoint:
    return QPoint(MARGIN_PIXELS // 2, place_of(edit, words).y())


@pytest.mark.parametrize("word", ["One", "word", "here", "next", "them"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.95])
def test_a_click_with_alt_chooses_the_word_under_it(edit: Edit, qtbot: QtBot, word: str, part: float) -> None:
    before = edit.textCursor().position()
    with qtbot.waitSignal(edit.places.place_chosen) as chosen:
        qtbot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton, place_key(), place_of(edit, word, part))
    assert chosen.args == [edit.document().find(word).selectionStart()]
    assert edit.textCursor().position() == before


def test_other_clicks_go_to_the_edit(edit: Edit, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(edit.places.place_chosen):
        qtbot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton, pos=place_of(edit, "next"))
    assert edit.textCursor().position() > TEXT.index("The")


def test_the_mark_in_the_margin_chooses_its_line(edit: Edit, qtbot: QtBot) -> None:
    qtbot.mouseMove(edit.viewport(), place_of(edit, "more"))
    mark = edit.places.mark
    assert mark.right() < MARGIN_PIXELS
    place = margin_beside(edit, "more")
    assert mark.contains(place)
    qtbot.mouseMove(edit.viewport(), place)
    assert edit.viewport().cursor().shape() is Qt.CursorShape.PointingHandCursor
    assert edit.viewport().toolTip() == TOOL_TIP
    with qtbot.waitSignal(edit.places.place_chosen) as chosen:
        qtbot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen.args == [edit.document().find("The next").selectionStart()]
    qtbot.mouseMove(edit.viewport(), place_of(edit, "more"))
    assert edit.viewport().cursor().shape() is Qt.CursorShape.IBeamCursor
    assert not edit.viewport().toolTip()


def test_a_wrapped_line_has_its_own_mark(edit: Edit, qtbot: QtBot) -> None:
    edit.setPlainText(WORDS * 3)
    below = margin_beside(edit, "It was") + QPoint(0, edit.fontMetrics().lineSpacing())
    qtbot.mouseMove(edit.viewport(), below)
    with qtbot.waitSignal(edit.places.place_chosen) as chosen:
        qtbot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton, pos=below)
    line = edit.document().firstBlock().layout().lineAt(1)
    assert line.textStart() > 0
    assert chosen.args == [line.textStart()]


def test_there_is_no_mark_without_a_line_of_text_or_a_pointer(edit: Edit, qtbot: QtBot) -> None:
    empty = place_of(edit, "One") + QPoint(0, edit.fontMetrics().lineSpacing())
    for nowhere in (empty, QPoint(100, 170)):
        qtbot.mouseMove(edit.viewport(), place_of(edit, "more"))
        assert edit.places.mark is not None
        qtbot.mouseMove(edit.viewport(), nowhere)
        assert edit.places.mark is None
    qtbot.mouseMove(edit.viewport(), place_of(edit, "more"))
    QApplication.sendEvent(edit.viewport(), QEvent(QEvent.Type.Leave))
    assert edit.places.mark is None


def test_no_line_keeps_its_mark_while_the_text_is_scrolled(edit: Edit, qtbot: QtBot) -> None:
    edit.setPlainText("\n".join([TEXT] * 50))
    qtbot.mouseMove(edit.viewport(), place_of(edit, "more"))
    assert edit.places.mark is not None
    edit.verticalScrollBar().setValue(3)
    assert edit.places.mark is None


def test_the_mark_is_drawn_in_the_themes_color(edit: Edit, qtbot: QtBot, theme: Theme) -> None:
    theme.choose(Appearance.DARK)

    def margin() -> set[str]:
        picture = edit.viewport().grab().toImage()
        return {picture.pixelColor(x, y).name() for x in range(MARGIN_PIXELS) for y in range(picture.height())}

    assert colors().accent not in margin()
    qtbot.mouseMove(edit.viewport(), place_of(edit, "One"))
    qtbot.mouseMove(edit.viewport(), place_of(edit, "more"))
    assert colors().accent in margin()


def click(held: KEYS) -> QMouseEvent:
    button = Qt.MouseButton.LeftButton
    return QMouseEvent(QEvent.Type.MouseButtonPress, QPointF(), QPointF(), button, button, held)


@pytest.mark.parametrize(
    ("platform", "key", "others"),
    [
        ("darwin", KEYS.AltModifier, (KEYS.ControlModifier, KEYS.MetaModifier)),
        ("linux", KEYS.ControlModifier, (KEYS.AltModifier, KEYS.MetaModifier)),
    ],
)
def test_only_its_own_key_makes_a_click_choose(
    platform: str, key: KEYS, others: tuple[KEYS, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert chooses_place(click(key))
    for other in (KEYS.NoModifier, *others, key | KEYS.ShiftModifier):
        assert not chooses_place(click(other))


def test_each_system_has_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    words = set()
    for platform in ("darwin", "linux"):
        monkeypatch.setattr(sys, "platform", platform)
        words.add(format_place_click())
    assert len(words) == 2
