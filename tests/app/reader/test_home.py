"""Tests of when home is shown, and of the document open after that, with the window of `test_feature`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QApplication, QListWidgetItem
from pytestqt.qtbot import QtBot

from app.reader.book_cards import CHARACTERS_PER_MINUTE, Covers
from app.reader.home import HomePage
from app.reading.places import LibraryBook
from app.theme import Appearance, Theme, colors
from engine.errors import DamagedDocument
from engine.text.documents import Document
from tests.app.reader.test_feature import Desk
from tests.app.reading.documents import BOOK, DOCUMENT

BEGUN = LibraryBook(Path("/books/a.epub"), "one", "A Book", "Somebody", 0.25, 400 * CHARACTERS_PER_MINUTE)
NEW = LibraryBook(Path("/books/b.txt"), "two", "Notes", "", 0.0, 30 * CHARACTERS_PER_MINUTE)
DONE = LibraryBook(Path("/books/c.txt"), "three", "The End", "Nobody", 1.0, 1000)
BOOKS = (BEGUN, NEW, DONE)


class Home(Desk):
    """A user who has read a book and written no text."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        super().__init__(qtbot, qapp, folder)
        self.open()
        self.feature.close_document()
        self.editor.set_text("")

    @property
    def home(self) -> HomePage:
        return self.feature.home.page

    def pick(self) -> None:
        self.qtbot.keyClick(self.home.cards, Qt.Key.Key_Return)

    @property
    def recent(self) -> list[str]:
        self.window.menu.recent_files_menu.aboutToShow.emit()
        return [action.text() for action in self.window.menu.recent_files_menu.actions() if action.text()]


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Home]:
    desk = Home(qtbot, qapp, tmp_path)
    yield desk
    desk.close()


def test_a_start_without_a_text_begins_at_home(desk: Home) -> None:
    desk.settings.document = None
    desk.feature.resume()
    assert desk.home.isVisible()
    assert desk.window.focusWidget() is desk.home.cards
    assert desk.window.menu.home.isChecked()


def test_a_text_is_begun_at_home(desk: Home) -> None:
    desk.window.menu.home.trigger()
    desk.window.menu.new_text.trigger()
    assert not desk.home.isVisible()
    desk.qtbot.keyClicks(desk.window.focusWidget(), "Hello")
    assert desk.editor.text == "Hello"


def test_a_start_with_a_text_or_without_a_book_does_not(desk: Home) -> None:
    desk.settings.document = None
    desk.editor.set_text("Mine.")
    desk.feature.resume()
    assert not desk.home.isVisible()
    desk.editor.set_text("")
    desk.reading.remove_from_library(desk.reading.shelf[0])
    desk.window.menu.new_text.trigger()
    desk.feature.resume()
    assert not desk.home.isVisible()


def test_reading_is_continued_where_it_was(desk: Home) -> None:
    desk.window.menu.home.trigger()
    with desk.qtbot.waitSignal(desk.feature.opener.opened):
        desk.pick()
    assert desk.reading.document == DOCUMENT
    assert not desk.home.isVisible()
    assert desk.page.book.isVisible()


def test_home_opens_and_leaves_the_current_document_open(desk: Home) -> None:
    desk.open()
    desk.window.menu.home.trigger()
    assert desk.home.isVisible()
    assert not desk.page.book.isVisible()
    assert desk.window.focusWidget() is desk.home.cards
    desk.home.back_button.click()
    assert desk.page.book.isVisible()
    desk.page.header.home_button.click()
    with desk.qtbot.assertNotEmitted(desk.feature.opener.busy_changed):
        desk.pick()
    assert desk.page.book.isVisible()
    for _ in range(2):
        desk.window.menu.home.trigger()
    assert not desk.home.isVisible()
    assert not desk.window.menu.home.isChecked()


def test_home_comes_from_behind_a_panel(desk: Home) -> None:
    desk.window.resize(640, 720)
    desk.open()
    desk.window.menu.home.trigger()
    desk.page.side_bar.open(desk.feature.panel)
    assert not desk.home.isVisible()
    desk.window.menu.home.trigger()
    assert desk.home.isVisible()
    assert desk.window.menu.home.isChecked()


def test_closing_a_book_leads_to_ones_own_text_or_home(desk: Home) -> None:
    desk.open()
    desk.window.menu.close_document.trigger()
    assert desk.home.isVisible()
    assert not desk.editor.isVisible()
    desk.editor.set_text("Mine.")
    desk.open()
    desk.window.menu.close_document.trigger()
    assert not desk.home.isVisible()
    assert desk.shown == "Mine."


def test_choosing_any_view_shows_it_instead_of_home(desk: Home) -> None:
    desk.open()
    for choose in (
        lambda: desk.window.menu.next_chapter.trigger(),
        lambda: desk.feature.panel.chapter_chosen.emit(0),
        lambda: desk.read_along.actions.focus.trigger(),
        lambda: desk.window.menu.new_text.trigger(),
    ):
        desk.window.menu.home.trigger()
        assert desk.home.isVisible()
        choose()
        assert not desk.home.isVisible()
        assert desk.page.view.isVisible()


def test_a_chapter_that_ends_does_not_take_home_away(desk: Home) -> None:
    desk.open()
    desk.speak()
    desk.window.menu.home.trigger()
    with desk.qtbot.waitSignal(desk.reading.text_changed):
        desk.play_to_the_end()
    assert desk.home.isVisible()


def test_a_moved_book_opens_from_its_new_path_at_its_position(desk: Home, tmp_path: Path) -> None:
    desk.open()
    desk.reading.go_to(1, 5)
    desk.window.menu.home.trigger()
    desk.feature.close_document()
    (tmp_path / "new").mkdir()
    there = desk.path.rename(tmp_path / "new" / "a.epub")
    with desk.qtbot.waitSignal(desk.feature.opener.failed):
        desk.pick()
    assert desk.page.banner.isVisible()
    assert desk.home.isVisible()
    desk.path = there
    desk.open()
    assert desk.place == (1, 5)
    assert [book.path for book in desk.reading.shelf] == [there]
    assert not desk.page.banner.isVisible()


def test_a_book_that_is_removed_is_not_listed_any_more(desk: Home) -> None:
    desk.window.menu.home.trigger()
    desk.home.remove.trigger()
    assert desk.reading.shelf == ()
    assert desk.home.empty.isVisible()
    assert len(desk.recent) == 1
    assert not desk.window.menu.recent_files_menu.actions()[-1].isEnabled()


def test_the_open_book_stays_removed_until_it_is_opened_again(desk: Home) -> None:
    desk.open()
    desk.window.menu.home.trigger()
    desk.home.remove.trigger()
    desk.reading.go_to(1)
    assert desk.reading.shelf == ()
    desk.open()
    assert [book.path for book in desk.reading.shelf] == [desk.path]
    assert desk.place == (1, 0)


def test_a_last_book_that_cannot_be_opened_leaves_home(desk: Home) -> None:
    desk.settings.document = desk.path
    desk.document = DamagedDocument("It is damaged.", "Choose one.")
    with desk.qtbot.waitSignal(desk.feature.opener.failed):
        desk.feature.resume()
    assert desk.home.isVisible()
    assert desk.page.banner.isVisible()


def test_open_recent_has_covers_and_progress(desk: Home) -> None:
    assert desk.recent == [f"{DOCUMENT.title} · 0%"]
    actions = desk.window.menu.recent_files_menu.actions()
    assert not actions[0].icon().isNull()
    assert actions[0].toolTip() == str(desk.path)
    with desk.qtbot.waitSignal(desk.feature.opener.opened):
        actions[0].trigger()
    assert desk.page.book.isVisible()


def test_books_with_the_same_title_are_distinguishable(desk: Home, tmp_path: Path) -> None:
    other = LibraryBook(tmp_path / "b & c" / "b.epub", "other", DOCUMENT.title)
    desk.places.store_position(other, desk.reading.place)
    assert "b && c)" in desk.recent[0]
    assert "(" in desk.recent[1]


def test_a_long_title_is_shortened_in_the_menu(desk: Home) -> None:
    long = "A Title " * 50
    desk.document = Document(f"{long} & more", "", "en", BOOK.chapters)
    desk.path.write_text("a new book")
    desk.open()
    title = desk.recent[0]
    assert desk.window.menu.fontMetrics().horizontalAdvance(title) < 550
    assert title.endswith(" && more · 0%")


def test_the_tab_key_reaches_all_of_home(desk: Home) -> None:
    desk.editor.set_text("Mine.")
    desk.feature.home.show()
    reached = set()
    for _ in range(30):
        desk.qtbot.keyClick(desk.window.focusWidget(), Qt.Key.Key_Tab)
        reached.add(desk.window.focusWidget())
    assert {desk.home.back_button, desk.home.cards, desk.page.header.home_button} <= reached
    assert desk.editor.edit not in reached


def test_nothing_of_a_text_is_edited_behind_home(desk: Home) -> None:
    desk.editor.set_text("Mine.")
    desk.editor.edit.selectAll()
    menu = desk.window.menu
    commands = (menu.cut, menu.copy, menu.paste, menu.select_all)
    QGuiApplication.clipboard().setText("Something.")
    assert all(command.isEnabled() for command in commands)
    menu.home.trigger()
    assert not any(command.isEnabled() for command in commands)
    menu.home.trigger()
    assert all(command.isEnabled() for command in commands)


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


def test_books_show_their_author_and_the_time_left_at_this_speed(home: HomePage) -> None:
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
    with qtbot.waitSignal(home.remove_requested) as wanted:
        home.remove.trigger()
    assert wanted.args == [NEW]


def test_the_current_book_stays_current_while_a_different_one_plays(home: HomePage) -> None:
    home.cards.setCurrentRow(1)
    home.show_books((LibraryBook(BEGUN.path, BEGUN.digest, BEGUN.title, progress=0.5), NEW, DONE))
    assert home.cards.current == NEW
    assert said(home)[0] == "A Book, 50%"
    home.show_books((NEW, DONE))
    assert home.cards.current == NEW


def test_without_books_it_says_how_to_get_some(home: HomePage) -> None:
    assert not home.empty.isVisible()
    home.show_books(())
    assert home.empty.isVisible()
    assert not home.remove.isEnabled()


def test_escape_returns_to_the_open_document(home: HomePage, qtbot: QtBot) -> None:
    home.name_open("")
    with qtbot.assertNotEmitted(home.back_requested):
        qtbot.keyClick(home.cards, Qt.Key.Key_Escape)
    home.name_open("A Book")
    with qtbot.waitSignal(home.back_requested):
        qtbot.keyClick(home.cards, Qt.Key.Key_Escape)


def test_there_are_as_many_columns_as_fit_and_no_card_is_cut(home: HomePage) -> None:
    for width, columns in ((900, 3), (640, 2), (300, 1)):
        home.resize(width, 600)
        assert home.width() == width
        home.show_books(BOOKS)
        places = [place_of(home, row) for row in range(3)]
        assert len({place.left() for place in places}) == columns
        assert max(place.right() for place in places) < home.cards.viewport().width()


def test_a_card_is_drawn_in_the_colors_of_the_theme(home: HomePage, theme: Theme) -> None:
    for appearance in (Appearance.LIGHT, Appearance.DARK):
        theme.choose(appearance)
        picture, place = home.cards.viewport().grab().toImage(), place_of(home, 0)
        drawn = {picture.pixelColor(x, y).name() for x in range(place.right()) for y in range(place.bottom())}
        assert {colors().word, colors().accent} <= drawn
