from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QAction, QColor, QImage
from pytestqt.qtbot import QtBot

from app.reader.shelf import COVER_SIZE, Covers, ShelfPanel
from app.reading.places import ShelvedBook
from app.theme import LIGHT

WITH_COVER = ShelvedBook(Path("/books/a.epub"), "one", "A Book", "Somebody", 0.255)
WITHOUT = ShelvedBook(Path("/books/b.txt"), "two", "Notes")
COLOUR = QColor("#102030")


@pytest.fixture
def covers(tmp_path: Path) -> Covers:
    covers = Covers(tmp_path / "covers")
    image = QImage(400, 600, QImage.Format.Format_RGB32)
    image.fill(COLOUR)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    covers.keep("one", buffer.data().data())
    return covers


@pytest.fixture
def panel(qtbot: QtBot, covers: Covers) -> ShelfPanel:
    panel = ShelfPanel(covers, (QAction("New"), QAction("Open…")))
    qtbot.addWidget(panel)
    panel.show()
    return panel


def middle(panel: ShelfPanel, row: int) -> QColor:
    picture = panel.list.item(row).icon().pixmap(COVER_SIZE).toImage()
    return picture.pixelColor(2, 2)


def test_books_have_a_cover_their_author_and_how_far_they_were_read(panel: ShelfPanel) -> None:
    panel.show_books((WITH_COVER, WITHOUT), WITHOUT.path)
    assert [panel.list.item(row).text() for row in range(2)] == ["A Book\nSomebody · 26%", "Notes\n0%"]
    assert [panel.list.item(row).font().bold() for row in range(2)] == [False, True]
    assert middle(panel, 0) == COLOUR
    assert middle(panel, 1) == QColor(LIGHT.highlight)


def test_a_book_is_opened_by_a_click_or_return(panel: ShelfPanel, qtbot: QtBot) -> None:
    panel.show_books((WITH_COVER, WITHOUT), None)
    place = panel.list.visualItemRect(panel.list.item(1)).center()
    with qtbot.waitSignal(panel.open_wanted) as wanted:
        qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert wanted.args == [WITHOUT.path]
    panel.list.setCurrentRow(0)
    with qtbot.waitSignal(panel.open_wanted) as wanted:
        qtbot.keyClick(panel.list, Qt.Key.Key_Return)
    assert wanted.args == [WITH_COVER.path]


def test_a_book_is_removed_from_the_list(panel: ShelfPanel, qtbot: QtBot) -> None:
    panel.show_books((WITH_COVER, WITHOUT), None)
    panel.list.setCurrentRow(1)
    with qtbot.waitSignal(panel.remove_wanted) as wanted:
        panel.remove.trigger()
    assert wanted.args == [WITHOUT]
    panel.show_books((), None)
    assert panel.empty.isVisible()


def test_a_cover_that_cannot_be_decoded_or_written_is_not_shown(covers: Covers, tmp_path: Path) -> None:
    covers.keep("two", b"no picture")
    assert not (tmp_path / "covers" / "two.png").exists()
    (tmp_path / "file").write_text("")
    Covers(tmp_path / "file" / "covers").keep("one", b"no picture")
