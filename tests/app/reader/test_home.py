from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QListWidgetItem
from pytestqt.qtbot import QtBot

from app.reader.covers import Covers
from app.reader.home import HomePage
from app.reader.reading_time import CHARACTERS_PER_MINUTE
from app.reading.places import ShelvedBook
from app.theme import Appearance, Theme, colours

BEGUN = ShelvedBook(Path("/books/a.epub"), "one", "A Book", "Somebody", 0.25, 400 * CHARACTERS_PER_MINUTE)
NEW = ShelvedBook(Path("/books/b.txt"), "two", "Notes", "", 0.0, 30 * CHARACTERS_PER_MINUTE)
DONE = ShelvedBook(Path("/books/c.txt"), "three", "The End", "Nobody", 1.0, 1000)
BOOKS = (BEGUN, NEW, DONE)


@pytest.fixture
def home(qtbot: QtBot, tmp_path: Path) -> HomePage:
    home = HomePage(Covers(tmp_path), (QAction("Open…"), QAction("New Text")))
    qtbot.addWidget(home)
    home.resize(900, 600)
    home.show()
    home.show_books(BOOKS)
    return home


def items(home: HomePage) -> list[QListWidgetItem]:
    return [home.cards.item(row) for row in range(home.cards.count())]


def said(home: HomePage) -> list[str]:
    return [item.data(Qt.ItemDataRole.AccessibleTextRole) for item in items(home)]


def place_of(home: HomePage, row: int) -> QRect:
    return home.cards.visualItemRect(home.cards.item(row))


def test_books_are_told_with_author_and_what_is_left_at_this_speed(home: HomePage) -> None:
    assert said(home) == ["A Book, Somebody, 25% · 5 h 0 min left", "Notes, 30 min", "The End, Nobody, Finished"]
    home.cards.set_speed(2.0)
    assert said(home)[0] == "A Book, Somebody, 25% · 2 h 30 min left"


def test_a_book_is_opened_by_a_click_or_return(home: HomePage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(home.cards.picked) as wanted:
        qtbot.mouseClick(home.cards.viewport(), Qt.MouseButton.LeftButton, pos=place_of(home, 1).center())
    assert wanted.args == [NEW]
    qtbot.keyClick(home.cards, Qt.Key.Key_Right)
    with qtbot.waitSignal(home.cards.picked) as wanted:
        qtbot.keyClick(home.cards, Qt.Key.Key_Return)
    assert wanted.args == [DONE]


def test_any_book_is_removed_by_a_key(home: HomePage, qtbot: QtBot) -> None:
    home.cards.setCurrentRow(1)
    with qtbot.waitSignal(home.remove_wanted) as wanted:
        home.remove.trigger()
    assert wanted.args == [NEW]


def test_the_current_book_stays_while_another_is_being_heard(home: HomePage) -> None:
    home.cards.setCurrentRow(1)
    home.show_books((ShelvedBook(BEGUN.path, BEGUN.digest, BEGUN.title, progress=0.5), NEW, DONE))
    assert home.cards.current == NEW
    assert said(home)[0] == "A Book, 50%"
    home.show_books((NEW, DONE))
    assert home.cards.current == NEW


def test_without_books_it_says_how_to_get_some(home: HomePage) -> None:
    assert not home.empty.isVisible()
    home.show_books(())
    assert home.empty.isVisible()
    assert not home.remove.isEnabled()


def test_escape_leads_back_to_what_is_open(home: HomePage, qtbot: QtBot) -> None:
    home.name_open("")
    with qtbot.assertNotEmitted(home.back_wanted):
        qtbot.keyClick(home.cards, Qt.Key.Key_Escape)
    home.name_open("A Book")
    with qtbot.waitSignal(home.back_wanted):
        qtbot.keyClick(home.cards, Qt.Key.Key_Escape)


def test_there_are_as_many_columns_as_fit_and_no_card_is_cut(home: HomePage) -> None:
    for width, columns in ((900, 3), (640, 2), (300, 1)):
        home.resize(width, 600)
        assert home.width() == width
        home.show_books(BOOKS)
        places = [place_of(home, row) for row in range(3)]
        assert len({place.left() for place in places}) == columns
        assert max(place.right() for place in places) < home.cards.viewport().width()


def test_a_card_is_drawn_in_the_colours_of_the_theme(home: HomePage, theme: Theme) -> None:
    for appearance in (Appearance.LIGHT, Appearance.DARK):
        theme.choose(appearance)
        picture, place = home.cards.viewport().grab().toImage(), place_of(home, 0)
        drawn = {picture.pixelColor(x, y).name() for x in range(place.right()) for y in range(place.bottom())}
        assert {colours().word, colours().accent} <= drawn
