from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QHelpEvent, QTextCursor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSlider, QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.book.book_view import BookView
from app.theme import SERIF, Appearance, Theme, colors, reading_font
from app.widgets.place_chooser import MARGIN_PIXELS, place_key
from engine.speech import SpokenWord
from engine.text.documents import Chapter, Picture, Styled, TextStyle
from tests.app.book.drawing import picture
from tests.app.fakes import utterances_of

TEXT = "The Hen\n\n🙂 One thing and. another.\n\nRoses are red,\nviolets are blue."
EMPHASIS = Styled(TEXT.index("red"), TEXT.index("red") + 3, TextStyle.EMPHASIS)
CHAPTER = Chapter("The Hen", TEXT, styles=(EMPHASIS,), pictures=(Picture(TEXT.index("Roses"), "hen", "A hen"),))
LONG = Chapter("", "\n\n".join(f"Line {number} is here 🙂." for number in range(200)))
LEFT_BUTTON = Qt.MouseButton.LeftButton


def load_picture(name: str) -> bytes | None:
    return {"hen": picture(200, 100)}.get(name)


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[BookView]:
    view = BookView()
    qtbot.addWidget(view)
    view.resize(500, 400)
    view.show_chapter(CHAPTER, load_picture)
    view.show()
    qtbot.waitExposed(view)
    yield view
    view.close()


@pytest.fixture
def hear(view: BookView) -> Callable[[int], int]:
    """Return a function that plays a line of a long chapter and returns the scroll position then."""
    view.show_chapter(LONG, load_picture)
    view.begin_speech(LONG.text)
    utterances = {each.text.removeprefix("Line ").split()[0]: each for each in utterances_of(LONG.text)}

    def hear(line: int) -> int:
        view.mark(utterances[str(line)])
        return view.edit.verticalScrollBar().value()

    return hear


def marked(view: BookView) -> list[str]:
    return [each.cursor.selectedText() for each in view.edit.extraSelections()]


def place_of(view: BookView, words: str) -> QPoint:
    """Return the position of the middle of these words in the viewport."""
    cursor = view.edit.document().find(words)
    assert not cursor.isNull()
    right = view.edit.cursorRect(cursor)
    cursor.setPosition(cursor.selectionStart())
    return (view.edit.cursorRect(cursor).center() + right.center()) / 2


def is_in_view(view: BookView, words: str) -> bool:
    return view.edit.viewport().rect().contains(place_of(view, words))


def click(view: BookView, place: QPoint, *keys: Qt.KeyboardModifier) -> None:
    QTest.mouseClick(view.edit.viewport(), LEFT_BUTTON, keys[0] if keys else Qt.KeyboardModifier.NoModifier, place)


def drag(view: BookView, start: QPoint, end: QPoint) -> None:
    viewport = view.edit.viewport()
    QTest.mousePress(viewport, LEFT_BUTTON, pos=start)
    QTest.mouseMove(viewport, end)
    QTest.mouseRelease(viewport, LEFT_BUTTON, pos=end)


def press(view: BookView, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(view.edit, key, keys)


@pytest.fixture
def wanted(view: BookView) -> list[tuple[int | None, int]]:
    places: list[tuple[int | None, int]] = []
    view.place_requested.connect(lambda spoken, shown: places.append((spoken, shown)))
    return places


# content


def test_a_chapter_is_shown_with_its_text(view: BookView) -> None:
    assert view.text == TEXT
    assert view.chapter is CHAPTER
    assert view.edit.accessibleName() == "Book"
    assert view.edit.isReadOnly()
    before = view.edit.toPlainText()
    assert "One thing" in before
    for key in (Qt.Key.Key_A, Qt.Key.Key_Delete, Qt.Key.Key_Return):
        press(view, key)
    assert view.edit.toPlainText() == before


def test_a_new_chapter_opens_at_its_start(view: BookView, hear: Callable[[int], int]) -> None:
    hear(150)
    view.resize(490, 400)
    for chapter in (CHAPTER, LONG):
        view.show_chapter(chapter, load_picture)
        view.resize(view.width() - 10, 400)
        assert view.edit.verticalScrollBar().value() == 0
        assert view.cursor_character == 0


def test_a_picture_tells_its_description(view: BookView, qtbot: QtBot) -> None:
    document = view.edit.document()
    block = document.findBlockByNumber(2)
    inside = document.documentLayout().blockBoundingRect(block).center().toPoint()
    QApplication.sendEvent(
        view.edit.viewport(), QHelpEvent(QEvent.Type.ToolTip, inside, view.edit.viewport().mapToGlobal(inside))
    )
    assert QToolTip.text() == "A hen"
    QToolTip.hideText()


def test_lines_stay_short_in_a_wide_window(view: BookView) -> None:
    view.show_chapter(Chapter("", "It was late in the year when they came down. " * 50), load_picture)
    view.resize(1800, 400)
    layout = view.edit.document().firstBlock().layout()
    assert 60 <= max(layout.lineAt(number).textLength() for number in range(layout.lineCount())) <= 78


def test_changing_text_size_or_font_keeps_the_position_marks_and_cursor(
    view: BookView, hear: Callable[[int], int]
) -> None:
    view.place_cursor(LONG.text.index("Line 90 "))
    hear(100)
    for change in (lambda: view.set_text_size(30), lambda: view.set_reading_font(reading_font(SERIF))):
        change()
        assert is_in_view(view, "Line 100 is")
        assert marked(view) == ["Line 100 is here 🙂."]
        assert view.cursor_character == LONG.text.index("Line 90 ")
    assert view.edit.font().pixelSize() == 30
    assert view.edit.document().defaultFont().pixelSize() == 30
    first = view.edit.document().firstBlock().layout()
    assert first.lineAt(0).height() > 30


def test_a_font_that_is_chosen_is_the_texts(view: BookView) -> None:
    usual = view.edit.font().family()
    family = next(each for each in QFontDatabase.families() if each != usual)
    view.set_reading_font(QFont(family))
    assert view.edit.document().defaultFont().family() == family
    view.set_reading_font(QFont())
    assert view.edit.document().defaultFont().family() == usual


def test_other_sizes_of_the_window_keep_the_line_at_the_top(view: BookView) -> None:
    text = "\n\n".join(f"Paragraph {number} {'goes on ' * 40}" for number in range(50))
    view.show_chapter(Chapter("", text), load_picture)
    view.place_cursor(text.index("Paragraph 30 "))
    bar = view.edit.verticalScrollBar()
    bar.setValue(bar.value() + place_of(view, "Paragraph 30 ").y() - 10)
    for width in range(500, 260, -7):
        view.resize(width, 400)
    assert abs(place_of(view, "Paragraph 30 ").y() - 10) <= 2
    view.resize(500, 400)
    assert abs(place_of(view, "Paragraph 30 ").y() - 10) <= 2


@pytest.mark.parametrize("at", ["top", "bottom"])
def test_the_place_stays_in_view_at_every_size(view: BookView, at: str) -> None:
    text = "\n\n".join(f"Paragraph {number} {'goes on ' * 40}" for number in range(50))
    view.show_chapter(Chapter("", text), load_picture)
    bar = view.edit.verticalScrollBar()
    view.place_cursor(text.index("Paragraph 30 "))
    line = place_of(view, "Paragraph 30 ").y()
    bar.setValue(bar.value() + line - (20 if at == "top" else view.edit.viewport().height() - 20))
    for change in (
        lambda: view.set_text_size(30), lambda: view.resize(400, 400), lambda: view.resize(500, 200),
        lambda: view.resize(500, 400), lambda: view.set_text_size(16),
    ):  # fmt: skip
        change()
        assert is_in_view(view, "Paragraph 30 ")


def test_the_spoken_text_stays_in_view_in_a_smaller_window(view: BookView, hear: Callable[[int], int]) -> None:
    hear(10)
    view.resize(500, 100)
    assert is_in_view(view, "Line 10 is")


def test_the_book_view_leaves_drops_to_the_window(view: BookView) -> None:
    assert not view.edit.acceptDrops()
    assert not view.edit.viewport().acceptDrops()


# bookmarks


def ribbon_heights(view: BookView) -> list[int]:
    """Return the vertical positions of the ribbons in view."""
    return [each.center().y() for each in view.edit.ribbons.in_view]


def test_ribbons_are_beside_the_lines_with_bookmarks(view: BookView) -> None:
    view.show_chapter(LONG, load_picture)
    view.show_bookmarks([LONG.text.index(f"Line {number} ") for number in (2, 4, 150)])
    lines = [place_of(view, f"Line {number} ").y() for number in (2, 4)]
    assert ribbon_heights(view) == pytest.approx(lines, abs=5)
    assert all(each.left() > place_of(view, "Line 2 is here").x() for each in view.edit.ribbons.in_view)
    view.place_cursor(LONG.text.index("Line 150 "))
    assert ribbon_heights(view) == pytest.approx([place_of(view, "Line 150 ").y()], abs=5)
    view.set_text_size(30)
    assert ribbon_heights(view) == pytest.approx([place_of(view, "Line 150 ").y()], abs=15)
    view.show_chapter(CHAPTER, load_picture)
    assert not view.edit.ribbons.in_view


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_a_ribbon_has_the_color_of_the_theme(view: BookView, theme: Theme, appearance: Appearance) -> None:
    theme.choose(appearance)
    view.show_bookmarks([0])
    (ribbon,) = view.edit.ribbons.in_view
    drawn = view.edit.viewport().grab().toImage()
    assert drawn.pixelColor(ribbon.center()) == QColor(colors().accent)
    view.show_bookmarks([])
    assert view.edit.viewport().grab().toImage().pixelColor(ribbon.center()) != QColor(colors().accent)


# selections


def test_a_selection_counts_only_when_the_user_made_it(view: BookView, qtbot: QtBot) -> None:
    told: list[bool] = []
    view.selection_changed.connect(told.append)
    start = TEXT.index("thing")
    view.select(start, start + 5)
    assert view.edit.textCursor().selectedText() == "thing"
    assert view.selection is None
    drag(view, place_of(view, "One"), place_of(view, "another"))
    selected = view.selection
    assert TEXT.index("One") < selected[0] < TEXT.index("thing") < TEXT.index("another") < selected[1]
    view.select(start, start + 5)
    assert view.selection is None
    press(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view.selection == (0, len(TEXT))
    view.show_chapter(LONG, load_picture)
    assert view.selection is None
    assert told == [True, False, True, False]


def test_copying_takes_the_plain_text_of_the_chapter(view: BookView) -> None:
    press(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    copied = view.edit.createMimeDataFromSelection()
    assert copied.text() == TEXT
    assert not copied.hasHtml()
    try:
        press(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == TEXT
    finally:
        QGuiApplication.clipboard().clear()


def test_the_selected_text_or_cursor_scrolls_into_view(view: BookView) -> None:
    view.show_chapter(LONG, load_picture)
    start = LONG.text.index("Line 120 ")
    view.select(start, start + 8)
    assert is_in_view(view, "Line 120 ")
    view.place_cursor(LONG.text.index("Line 20 "))
    assert is_in_view(view, "Line 20 ")
    assert view.cursor_character == LONG.text.index("Line 20 ")


# places


@pytest.mark.parametrize("word", ["Hen", "One", "thing", "red", "violets"])
def test_a_click_wants_the_word_under_it(view: BookView, wanted: list[tuple[int | None, int]], word: str) -> None:
    click(view, place_of(view, word))
    view.begin_speech(TEXT)
    click(view, place_of(view, word), place_key())
    view.begin_speech("New text.")
    click(view, place_of(view, word))
    place = TEXT.index(word)
    assert wanted == [(None, place), (place, place), (None, place)]


def test_the_margin_wants_its_line(view: BookView, qtbot: QtBot, wanted: list[tuple[int | None, int]]) -> None:
    place = QPoint(MARGIN_PIXELS // 2, place_of(view, "violets").y())
    qtbot.mouseMove(view.edit.viewport(), place_of(view, "violets"))
    qtbot.mouseMove(view.edit.viewport(), place)
    click(view, place)
    assert wanted == [(None, TEXT.index("violets"))]


def test_other_clicks_want_nothing(view: BookView, wanted: list[tuple[int | None, int]]) -> None:
    hen = view.edit.document().documentLayout().blockBoundingRect(view.edit.document().findBlockByNumber(2))
    blank = QPoint(view.edit.viewport().width() - 5, place_of(view, "Hen").y())
    for place in (hen.center().toPoint(), blank, QPoint(100, view.edit.viewport().height() - 2)):
        click(view, place)
    QTest.mouseClick(view.edit.viewport(), Qt.MouseButton.MiddleButton, pos=place_of(view, "One"))
    click(view, place_of(view, "One"), Qt.KeyboardModifier.ShiftModifier)
    assert not wanted


def double_click(view: BookView, place: QPoint) -> None:
    """Double-click as a user does: QTest.mouseDClick leaves out the first click."""
    click(view, place)
    QTest.mouseDClick(view.edit.viewport(), LEFT_BUTTON, pos=place)


def test_a_double_click_selects_a_word_and_a_triple_click_its_paragraph(
    view: BookView, wanted: list[tuple[int | None, int]]
) -> None:
    place = place_of(view, "violets")
    double_click(view, place)
    assert view.edit.textCursor().selectedText() == "violets"
    assert len(wanted) == 1  # by the first click, immediately
    click(view, place)
    assert view.edit.textCursor().selectedText() == "Roses are red,\u2028violets are blue."
    assert len(wanted) == 1
    assert view.selection == (TEXT.index("Roses"), len(TEXT))


def test_a_double_click_on_the_margin_plays_once(
    view: BookView, qtbot: QtBot, wanted: list[tuple[int | None, int]]
) -> None:
    place = QPoint(MARGIN_PIXELS // 2, place_of(view, "violets").y())
    qtbot.mouseMove(view.edit.viewport(), place_of(view, "violets"))
    qtbot.mouseMove(view.edit.viewport(), place)
    double_click(view, place)
    assert wanted == [(None, TEXT.index("violets"))]
    assert view.selection is None


def test_neither_making_nor_clearing_a_selection_wants_a_place(
    view: BookView, wanted: list[tuple[int | None, int]]
) -> None:
    drag(view, place_of(view, "One"), place_of(view, "another"))
    click(view, place_of(view, "red"))
    assert view.selection is None
    view.select(0, 3)
    click(view, place_of(view, "red"))
    assert not wanted
    click(view, place_of(view, "red"))
    assert len(wanted) == 1


def test_the_character_at_a_place_is_known(view: BookView) -> None:
    found = view.character_at(place_of(view, "violets"))
    assert TEXT.index("violets") < found < TEXT.index("violets") + 7


# keys


def test_keys_steer_the_speech(view: BookView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.toggle_requested):
        press(view, Qt.Key.Key_Space)
    told: list[int] = []
    view.sentence_requested.connect(told.append)
    press(view, Qt.Key.Key_Left)
    press(view, Qt.Key.Key_Right)
    press(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert told == [-1, 1]
    assert view.selection == (0, 1)


def test_keys_scroll(view: BookView) -> None:
    view.show_chapter(LONG, load_picture)
    bar = view.edit.verticalScrollBar()
    values = []
    for key in (
        Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Home
    ):  # fmt: skip
        press(view, key)
        values.append(bar.value())
    down, page, back, start, end, home = values
    assert 0 == start == home < down == back < page < end == bar.maximum()
    assert page - down < view.edit.viewport().height()
    assert view.cursor_character == 0


def test_tab_leaves_the_view_and_its_frame_says_who_came_by_key(view: BookView) -> None:
    assert view.edit.tabChangesFocus()
    view.activateWindow()
    for reason, shown in ((Qt.FocusReason.TabFocusReason, True), (Qt.FocusReason.MouseFocusReason, False)):
        view.edit.clearFocus()
        assert not view.property("focused")
        view.setFocus(reason)
        assert view.property("focused") is shown


def test_the_control_key_and_the_wheel_change_no_size(view: BookView) -> None:
    view.show_chapter(LONG, load_picture)
    turn_the_wheel(view, -120, Qt.KeyboardModifier.ControlModifier)
    assert view.edit.font().pixelSize() == view.edit.document().defaultFont().pixelSize() == 16
    assert view.edit.verticalScrollBar().value() == 0


# marks


def test_the_spoken_text_is_marked_correctly_despite_emoji_and_pictures(view: BookView) -> None:
    view.begin_speech(TEXT)
    for utterance in utterances_of(TEXT):
        view.mark(utterance)
        shown = TEXT[utterance.start : utterance.end].replace("\n\n", "\n").replace("\n", "|")
        assert [
            each.replace("\u2029\ufffc", "").replace("\u2029", "|").replace("\u2028", "|") for each in marked(view)
        ] == [shown]
    view.mark(None)
    assert not marked(view)


def test_a_word_is_marked_in_its_sentence(view: BookView) -> None:
    view.begin_speech(TEXT)
    utterance = utterances_of(TEXT)[0]
    start, word = TEXT.index("🙂"), TEXT.index("thing")
    end = TEXT.index("another") - 1
    view.mark_word(utterance, start, end, SpokenWord(word, word + 5, 0, 10))
    assert marked(view) == ["🙂 One thing and.", "thing"]
    view.mark_word(utterance, start, end, None)
    assert marked(view) == ["🙂 One thing and."]


def test_only_the_chapter_that_is_spoken_has_marks(view: BookView) -> None:
    utterance = utterances_of(TEXT)[0]
    view.begin_speech("New text.")
    view.mark(utterance)
    assert not marked(view)
    view.begin_speech(TEXT)
    view.mark(utterance)
    view.show_chapter(LONG, load_picture)
    assert not marked(view)
    view.mark(utterance)
    assert not marked(view)
    view.show_chapter(CHAPTER, load_picture)
    view.mark(utterance)
    assert marked(view)


def turn_the_wheel(view: BookView, turn: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    viewport = view.edit.viewport()
    place = QPointF(viewport.rect().center())
    where = QPointF(viewport.mapToGlobal(place.toPoint()))
    phase = Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(place, where, QPoint(), QPoint(0, turn), Qt.MouseButton.NoButton, keys, phase, False)
    QApplication.sendEvent(viewport, event)


ACTS: list[Callable[[BookView], None]] = [
    lambda view: turn_the_wheel(view, 120),
    lambda view: view.edit.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderPageStepSub),
    lambda view: press(view, Qt.Key.Key_PageDown),
    lambda view: view.select(0, 4),
]


@pytest.mark.parametrize("act", ACTS, ids=["wheel", "bar", "key", "found"])
def test_the_view_follows_playback_until_the_user_looks_elsewhere(
    act: Callable[[BookView], None], view: BookView, hear: Callable[[int], int], qtbot: QtBot
) -> None:
    assert hear(50) > 0
    assert is_in_view(view, "Line 50 ")
    act(view)
    place = view.edit.verticalScrollBar().value()
    assert hear(120) == place
    assert marked(view) == ["Line 120 is here 🙂."]
    assert view.chip.isVisible()
    qtbot.mouseClick(view.chip, LEFT_BUTTON)
    assert is_in_view(view, "Line 120 ")
    assert not view.chip.isVisible()
    hear(150)
    assert is_in_view(view, "Line 150 ")


def test_the_way_back_is_offered_only_from_out_of_sight(view: BookView, hear: Callable[[int], int]) -> None:
    told: list[bool] = []
    view.marks.left_changed.connect(told.append)
    hear(50)
    turn_the_wheel(view, -120)
    assert not view.chip.isVisible()
    view.edit.verticalScrollBar().setValue(0)
    assert view.chip.isVisible()
    view.mark(None)
    assert not view.chip.isVisible()
    assert told == [True, False]


def test_the_last_line_can_be_in_the_middle_in_any_font(view: BookView, hear: Callable[[int], int]) -> None:
    view.marks.set_centered(True)
    for pixels in (16, 24):
        view.set_text_size(pixels)
        hear(199)
        middle = view.edit.viewport().rect().center().y()
        assert abs(place_of(view, "Line 199 ").y() - middle) <= 2 * pixels
    view.marks.set_centered(False)
    hear(199)
    end = QTextCursor(view.edit.document())
    end.movePosition(QTextCursor.MoveOperation.End)
    assert view.edit.cursorRect(end).bottom() > view.edit.viewport().height() * 0.8
