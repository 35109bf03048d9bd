import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.reader.chapters_panel import NOTHING_OPEN, ChaptersPanel
from app.reader.places import Place
from app.theme import DARK, LIGHT, Colours, style_sheet
from engine.documents import Chapter, Document
from tests.app.reader.documents import DOCUMENT


@pytest.fixture
def panel(qtbot: QtBot) -> ChaptersPanel:
    panel = ChaptersPanel()
    qtbot.addWidget(panel)
    return panel


def test_it_says_what_to_do_while_nothing_is_open(panel: ChaptersPanel) -> None:
    assert panel.summary.text() == NOTHING_OPEN
    assert panel.list.isHidden()
    panel.show_document(DOCUMENT, Place(), 0.0)
    panel.show_document(None, Place(), 0.0)
    assert panel.summary.text() == NOTHING_OPEN


def test_chapters_are_listed_with_their_lengths(panel: ChaptersPanel) -> None:
    long = Document("Long", "", "", (Chapter("One", "word " * 18_000), Chapter("Two", "word")))
    panel.show_document(long, Place(), 0.0)
    assert panel.list.item(0).text() == "One\n18,000 words, 1 h 40 min"
    assert panel.list.item(1).text() == "Two\n1 word, 1 min"
    panel.set_speed(2.0)
    assert panel.list.item(0).text() == "One\n18,000 words, 50 min"


def test_what_was_heard_is_ticked_and_said(panel: ChaptersPanel) -> None:
    panel.set_colours(DARK)
    panel.show_document(DOCUMENT, Place(1, 0, frozenset({0})), 0.33)
    spoken = [panel.list.item(index).data(Qt.ItemDataRole.AccessibleTextRole) for index in range(3)]
    assert spoken[0].endswith(", heard")
    assert spoken[1].endswith(", shown")
    assert not spoken[2].endswith(("heard", "shown"))
    assert panel.list.currentRow() == 1
    assert panel.list.item(1).font().bold()
    assert panel.bar.value() == 33
    assert panel.summary.text() == "33% heard, 1 min left"

    def has_ink(index: int) -> bool:
        image = panel.list.item(index).icon().pixmap(16, 16).toImage()
        return any(image.pixelColor(x, y).alpha() for x in range(image.width()) for y in range(image.height()))

    assert [has_ink(index) for index in range(3)] == [True, False, False]


def test_a_chapter_is_chosen_by_mouse_or_keyboard(panel: ChaptersPanel, qtbot: QtBot) -> None:
    panel.show_document(DOCUMENT, Place(), 0.0)
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


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_the_list_shows_that_it_has_the_focus(panel: ChaptersPanel, colours: Colours, qtbot: QtBot) -> None:
    panel.setStyleSheet(style_sheet(colours, native=False))
    panel.show_document(DOCUMENT, Place(), 0.0)
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
    panel.show_document(Document("Long", "", "", tuple(Chapter(title, "word") for title in titles)), Place(), 0.0)
    panel.resize(260, 400)
    panel.show()
    qtbot.waitExposed(panel)
    panel.list.doItemsLayout()
    widths = [panel.list.visualItemRect(panel.list.item(index)).width() for index in range(2)]
    assert max(widths) <= panel.list.viewport().width()
    assert not panel.list.horizontalScrollBar().isVisible()
    assert panel.list.item(0).toolTip() == titles[0]
