import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from app.reader.chapters_panel import NOTHING_OPEN, NOTHING_TICKED, ChaptersPanel
from app.reading.places import Bookmark, ReadingPosition
from app.theme import DARK, LIGHT, Colors, style_sheet
from engine.text.documents import Chapter, Document, Matter
from tests.app.reading.documents import BOOK, DOCUMENT

PADDING_PIXELS = 12
"""Of each chapter, top and bottom together, in the style sheet."""


@pytest.fixture
def panel(qtbot: QtBot) -> ChaptersPanel:
    panel = ChaptersPanel()
    qtbot.addWidget(panel)
    return panel


def test_the_panel_shows_instructions_while_nothing_is_open(panel: ChaptersPanel) -> None:
    assert panel.summary.text() == NOTHING_OPEN
    assert panel.list.isHidden()
    panel.show_document(DOCUMENT, ReadingPosition(), 0.0)
    panel.show_document(None, ReadingPosition(), 0.0)
    assert panel.summary.text() == NOTHING_OPEN


def test_chapters_are_listed_with_their_lengths(panel: ChaptersPanel) -> None:
    long = Document("Long", "", "", (Chapter("One", "word " * 18_000), Chapter("Two", "word")))
    panel.show_document(long, ReadingPosition(), 0.0)
    assert panel.list.item(0).text() == "One\n18,000 words, 1 h 40 min"
    assert panel.list.item(1).text() == "Two\n1 word, 1 min"
    panel.set_speed(2.0)
    assert panel.list.item(0).text() == "One\n18,000 words, 50 min"


def test_chapters_already_played_show_a_tick_and_are_announced(panel: ChaptersPanel) -> None:
    panel.show_document(DOCUMENT, ReadingPosition(1, 0, frozenset({0})), 0.33)
    spoken = [panel.list.item(index).data(Qt.ItemDataRole.AccessibleTextRole) for index in range(3)]
    assert spoken[0].endswith(", heard")
    assert spoken[1].endswith(", shown")
    assert not spoken[2].endswith(("heard", "shown"))
    assert panel.list.currentRow() == 1
    assert panel.list.item(1).font().bold()
    assert panel.bar.value() == 33
    assert panel.summary.text() == "33% · 1 min left"

    def has_ink(index: int) -> bool:
        image = panel.list.item(index).icon().pixmap(16, 16).toImage()
        return any(image.pixelColor(x, y).alpha() for x in range(image.width()) for y in range(image.height()))

    assert [has_ink(index) for index in range(3)] == [True, False, False]


def test_a_chapter_is_chosen_by_mouse_or_keyboard(panel: ChaptersPanel, qtbot: QtBot) -> None:
    panel.show_document(DOCUMENT, ReadingPosition(), 0.0)
    panel.resize(300, 400)
    panel.show()
    with qtbot.waitSignal(panel.chapter_chosen) as chosen:
        where = panel.list.visualItemRect(panel.list.item(2)).center()
        qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert chosen.args == [2]
    with qtbot.waitSignal(panel.chapter_chosen) as chosen:
        qtbot.keyClick(panel.list, Qt.Key.Key_Up)
        qtbot.keyClick(panel.list, Qt.Key.Key_Return)
    assert chosen.args == [1]


@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_the_list_shows_that_it_has_the_focus(panel: ChaptersPanel, colors: Colors, qtbot: QtBot) -> None:
    panel.setStyleSheet(style_sheet(colors, native=False))
    panel.show_document(DOCUMENT, ReadingPosition(), 0.0)
    panel.list.setCurrentRow(0)
    panel.show()
    panel.activateWindow()
    qtbot.waitUntil(panel.isActiveWindow)
    panel.list.clearFocus()
    without = panel.list.grab().toImage()
    panel.list.setFocus(Qt.FocusReason.TabFocusReason)
    assert panel.list.hasFocus()
    assert panel.list.grab().toImage() != without


def test_a_long_word_does_not_make_the_rows_wider_than_the_list(panel: ChaptersPanel, qtbot: QtBot) -> None:
    titles = ("x" * 200, "A title of several words that needs more than one line")
    panel.show_document(
        Document("Long", "", "", tuple(Chapter(title, "word") for title in titles)), ReadingPosition(), 0.0
    )
    panel.resize(260, 400)
    panel.show()
    qtbot.waitExposed(panel)
    panel.list.doItemsLayout()
    widths = [panel.list.visualItemRect(panel.list.item(index)).width() for index in range(2)]
    assert max(widths) <= panel.list.viewport().width()
    assert not panel.list.horizontalScrollBar().isVisible()
    assert panel.list.item(0).toolTip() == titles[0]


def ticked(panel: ChaptersPanel) -> list[int]:
    states = (panel.list.item(index).checkState() for index in range(panel.list.count()))
    return [index for index, state in enumerate(states) if state is Qt.CheckState.Checked]


def test_every_chapter_is_listed_and_those_to_read_are_ticked(panel: ChaptersPanel) -> None:
    panel.show_document(BOOK, ReadingPosition(1, otherwise=frozenset({0, 4})), 0.0)
    assert panel.list.count() == len(BOOK.chapters)
    assert ticked(panel) == [0, 1, 3]
    assert panel.list.item(5).text().endswith(", back matter")
    spoken = panel.list.item(4).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("Chapter three, ")
    assert spoken.endswith(", skipped")
    assert "skipped" not in panel.list.item(0).data(Qt.ItemDataRole.AccessibleTextRole)


def test_skipped_chapters_do_not_count_toward_the_time_left(panel: ChaptersPanel) -> None:
    long = Document("Long", "", "", (Chapter("One", "word " * 18_000), Chapter("Index", "word " * 18_000, Matter.BACK)))
    panel.show_document(long, ReadingPosition(), 0.5)
    assert panel.summary.text() == "50% · 50 min left"
    panel.show_document(long, ReadingPosition(otherwise=frozenset({0})), 0.0)
    assert panel.summary.text() == NOTHING_TICKED


def test_clicking_its_box_ticks_a_chapter_without_opening_it(panel: ChaptersPanel, qtbot: QtBot) -> None:
    opened: list[int] = []
    panel.chapter_chosen.connect(opened.append)
    panel.show_document(BOOK, ReadingPosition(1), 0.0)
    panel.resize(300, 600)
    panel.show()
    row = panel.list.visualItemRect(panel.list.item(2))
    with qtbot.waitSignal(panel.chapter_ticked) as told:
        qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=box_in(panel, row))
    assert told.args == [2, True]
    assert opened == []
    qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    assert opened == [2]


def box_in(panel: ChaptersPanel, row: QRect) -> QPoint:
    option = QStyleOptionViewItem()
    panel.list.initViewItemOption(option)
    panel.list.itemDelegate().initStyleOption(option, panel.list.indexAt(row.center()))
    option.rect = row  # type: ignore[attr-defined]
    style, box = panel.list.style(), QStyle.SubElement.SE_ItemViewItemCheckIndicator
    return style.subElementRect(box, option, panel.list).center()


def test_space_ticks_the_current_chapter(panel: ChaptersPanel, qtbot: QtBot) -> None:
    opened: list[int] = []
    panel.chapter_chosen.connect(opened.append)
    panel.show_document(BOOK, ReadingPosition(1), 0.0)
    panel.resize(300, 600)
    panel.show()
    qtbot.keyClick(panel.list, Qt.Key.Key_Up)
    for expected in (True, False):
        with qtbot.waitSignal(panel.chapter_ticked) as told:
            qtbot.keyClick(panel.list, Qt.Key.Key_Space)
        assert told.args == [0, expected]
    assert opened == []
    row = panel.list.visualItemRect(panel.list.item(3))
    qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    assert opened == [3]


def test_showing_chosen_chapters_reports_no_choice(panel: ChaptersPanel, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(panel.chapter_ticked):
        panel.show_document(BOOK, ReadingPosition(1), 0.0)
        panel.show_document(BOOK, ReadingPosition(1, otherwise=frozenset({0, 1})), 0.0)
        panel.set_speed(2.0)


def test_the_notices_of_a_document_can_be_asked_for(panel: ChaptersPanel, qtbot: QtBot) -> None:
    panel.show_document(DOCUMENT, ReadingPosition(), 0.0)
    assert panel.notices.isHidden()
    panel.show_document(BOOK, ReadingPosition(1), 0.0)
    assert panel.notices.accessibleName() == "2 Notices about this document"
    with qtbot.waitSignal(panel.notices_requested):
        panel.notices.click()


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("words", range(1, 14))
def test_no_line_of_a_title_is_cut_off(panel: ChaptersPanel, words: int, scale: int, qtbot: QtBot) -> None:
    """However its parts wrap, the row is high enough for the lines that fit beside box and icon."""
    font = panel.list.font()
    font.setPointSizeF(scale * font.pointSizeF())
    panel.list.setFont(font)
    panel.setStyleSheet(style_sheet(LIGHT, native=False))
    title = " ".join(["word"] * words)
    panel.show_document(
        Document("Long", "", "", (Chapter(title, "word"), Chapter("Two", "word"))), ReadingPosition(1), 0.0
    )
    panel.resize(260, 400)
    panel.show()
    qtbot.waitExposed(panel)
    item = panel.list.item(0)
    row = panel.list.visualItemRect(item)
    option = QStyleOptionViewItem()
    panel.list.initViewItemOption(option)
    panel.list.itemDelegate().initStyleOption(option, panel.list.indexFromItem(item))
    option.rect = row  # type: ignore[attr-defined]
    style = panel.list.style()
    room = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, panel.list)
    gap = 2 * (style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, panel.list) + 1)
    wrap = int(Qt.TextFlag.TextWordWrap)
    needed = QFontMetrics(item.font()).boundingRect(QRect(0, 0, room.width() - gap, 10_000), wrap, item.text())
    assert needed.height() <= row.height() - PADDING_PIXELS


def test_bookmarks_are_listed_chosen_and_removed(panel: ChaptersPanel, qtbot: QtBot) -> None:
    bookmarks = (Bookmark(0, 13, "It begins."), Bookmark(2, 0, "Chapter three.\nIt"))
    panel.show_document(DOCUMENT, ReadingPosition(), 0.0)
    assert panel.bookmarks.isHidden()
    panel.show_document(DOCUMENT, ReadingPosition(bookmarks=bookmarks), 0.0)
    assert [panel.bookmarks.item(row).text() for row in range(2)] == ["“It begins.…”", "“Chapter three. It…”"]
    panel.show()
    place = panel.bookmarks.visualItemRect(panel.bookmarks.item(1)).center()
    with qtbot.waitSignal(panel.bookmark_chosen) as chosen:
        qtbot.mouseClick(panel.bookmarks.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen.args == [bookmarks[1]]
    with qtbot.waitSignal(panel.bookmark_removed) as removed:
        panel.remove_bookmark.trigger()
    assert removed.args == [bookmarks[1]]
