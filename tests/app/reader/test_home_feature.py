"""When home is shown, and what is open after that, with the window of `test_feature`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.reader.home import HomePage
from app.reading.places import ShelvedBook
from engine.documents import Document
from engine.errors import DamagedDocument
from tests.app.reader.test_feature import Desk
from tests.app.reading.documents import BOOK, DOCUMENT
from tests.patience import PATIENCE_MS


class Home(Desk):
    """Somebody who has read a book, and has no text of his own."""

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
    assert desk.feature.shut_down(PATIENCE_MS)
    assert desk.controller.shut_down(PATIENCE_MS)
    desk.theme.deleteLater()
    QGuiApplication.clipboard().clear()  # content made here must not outlive the interpreter, or the process crashes


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
    desk.reading.unshelve(desk.reading.shelf[0])
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


def test_home_shows_and_leaves_what_is_open(desk: Home) -> None:
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


def test_whatever_is_chosen_to_be_seen_is_seen(desk: Home) -> None:
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


def test_a_book_that_is_elsewhere_by_now_is_opened_there_with_its_place(desk: Home, tmp_path: Path) -> None:
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


def test_a_last_book_that_cannot_be_opened_leaves_home(desk: Home) -> None:
    desk.settings.document = desk.path
    desk.document = DamagedDocument("It is damaged.", "Choose another.")
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


def test_books_of_the_same_title_are_told_apart(desk: Home, tmp_path: Path) -> None:
    other = ShelvedBook(tmp_path / "b & c" / "b.epub", "another", DOCUMENT.title)
    desk.places.keep(other, desk.reading.place)
    assert "b && c)" in desk.recent[0]
    assert "(" in desk.recent[1]


def test_a_long_title_is_shortened_in_the_menu(desk: Home) -> None:
    long = "A Title " * 50
    desk.document = Document(f"{long} & more", "", "en", BOOK.chapters)
    desk.path.write_text("another book")
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
