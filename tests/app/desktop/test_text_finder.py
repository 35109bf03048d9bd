import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.text_finder import COUNT_AGAIN_AFTER_MS, FindBar, TextFinder, TextMatch, TextMatches
from app.main_menu import MainMenu
from app.speech.page import SpeechPage
from engine.text.documents import Chapter

TEXT = "Salt 🙂 and salt.\nPepper and SALT."


class Desk(QMainWindow):
    """An editor with its find bar and menu."""

    def __init__(self) -> None:
        super().__init__()
        self.menu, self.page, self.bar = MainMenu(self), SpeechPage(), FindBar()
        self.editor = self.page.editor
        self.setMenuBar(self.menu)
        self.menu.add_editing(self.page)
        self.setCentralWidget(middle := QWidget())
        layout = QVBoxLayout(middle)
        layout.addWidget(self.bar)
        layout.addWidget(self.page)
        self.finder = TextFinder(self.bar, self.page, self.menu)
        self.editor.set_text(TEXT)

    @property
    def selected(self) -> tuple[str, int]:
        cursor = self.editor.edit.textCursor()
        return cursor.selectedText(), cursor.selectionStart()


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    desk = Desk()
    qtbot.addWidget(desk)
    desk.show()
    qtbot.waitActive(desk)
    desk.editor.setFocus()
    return desk


def test_typing_selects_the_first_match_and_counts(desk: Desk, qtbot: QtBot) -> None:
    desk.menu.find_text.trigger()
    qtbot.keyClicks(desk.bar.field, "salt")
    assert desk.selected == ("Salt", 0)
    assert desk.bar.label.text() == "1 of 3"
    assert desk.bar.field.hasFocus()


def test_searching_continues_across_emoji_and_lines_and_wraps_around(desk: Desk, qtbot: QtBot) -> None:
    desk.menu.find_text.trigger()
    qtbot.keyClicks(desk.bar.field, "salt")
    places = []
    for _ in range(3):
        qtbot.keyClick(desk.bar.field, Qt.Key.Key_Return)
        places.append((*desk.selected, desk.bar.label.text()))
    assert places == [("salt", 12, "2 of 3"), ("SALT", 29, "3 of 3"), ("Salt", 0, "1 of 3 · Wrapped to the start")]
    qtbot.keyClick(desk.bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert (*desk.selected, desk.bar.label.text()) == ("SALT", 29, "3 of 3 · Wrapped to the end")


def test_a_missing_word_is_reported_and_moves_nothing(desk: Desk, qtbot: QtBot) -> None:
    desk.menu.find_text.trigger()
    qtbot.keyClicks(desk.bar.field, "salty")
    assert desk.selected == ("Salt", 0)
    assert desk.bar.label.text() == "Not found"


def test_it_begins_with_the_selection_and_leaves_off_where_it_found(desk: Desk, qtbot: QtBot) -> None:
    desk.editor.select(TEXT.index("Pepper"), TEXT.index("Pepper") + 6)
    desk.menu.find_text.trigger()
    assert (desk.bar.field.text(), desk.bar.label.text()) == ("Pepper", "1 of 1")
    qtbot.keyClick(desk.bar.field, Qt.Key.Key_Escape)
    assert desk.editor.edit.hasFocus()
    assert desk.selected[0] == "Pepper"


def test_next_is_offered_once_there_is_something_to_find(desk: Desk) -> None:
    assert not desk.menu.find_next.isEnabled()
    assert not desk.menu.find_previous.isEnabled()
    desk.bar.begin_search("and")
    assert desk.menu.find_next.isEnabled()
    desk.bar.dismiss()
    desk.editor.setFocus()
    desk.menu.find_next.trigger()
    assert desk.selected == ("and", 25)
    assert desk.editor.edit.hasFocus()


def test_edited_text_is_counted_again(desk: Desk, qtbot: QtBot) -> None:
    desk.bar.begin_search("salt")
    desk.editor.set_text("Salt. Salt. Salt. Salt.")
    qtbot.waitUntil(lambda: desk.bar.label.text() == "4 found")
    desk.editor.set_text("Nothing")
    qtbot.waitUntil(lambda: desk.bar.label.text() == "Not found")


def test_matches_found_in_edited_text_are_not_counted_again(desk: Desk, qtbot: QtBot) -> None:
    desk.bar.begin_search("salt")
    desk.editor.set_text("Salt.")
    for _ in range(2):
        desk.finder.find_next()
    found = desk.bar.label.text()
    qtbot.wait(2 * COUNT_AGAIN_AFTER_MS)
    assert desk.bar.label.text() == found


def test_a_word_found_in_a_book_is_not_the_selection_to_play(desk: Desk, qtbot: QtBot) -> None:
    desk.page.book.show_chapter(Chapter("One", "Pepper.\n\nAnd salt."), lambda name: None)
    desk.page.show_view(desk.page.book)
    desk.menu.find_text.trigger()
    qtbot.keyClicks(desk.bar.field, "salt")
    assert desk.bar.label.text() == "1 of 1"
    assert desk.page.book.span == (13, 17)
    assert desk.page.book.selection is None


def test_a_match_is_not_the_selection_to_play(desk: Desk, qtbot: QtBot) -> None:
    desk.menu.find_text.trigger()
    qtbot.keyClicks(desk.bar.field, "salt")
    qtbot.keyClick(desk.bar.field, Qt.Key.Key_Escape)
    assert desk.selected[0]
    assert desk.editor.selection is None


def test_the_selection_can_be_looked_for_without_the_bar(desk: Desk) -> None:
    assert not desk.menu.use_selection.isEnabled()
    desk.editor.select(0, 4)
    assert desk.menu.use_selection.isEnabled()
    desk.menu.use_selection.trigger()
    assert (desk.selected, desk.bar.isVisible()) == (("Salt", 0), False)
    desk.menu.find_next.trigger()
    assert desk.selected == ("salt", 12)
    desk.menu.find_previous.trigger()
    assert desk.selected == ("Salt", 0)


def test_a_selection_of_several_lines_is_not_looked_for(desk: Desk) -> None:
    desk.editor.select(12, 20)
    before = desk.selected
    desk.menu.use_selection.trigger()
    assert (desk.selected, desk.bar.field.text()) == (before, "")
    assert not desk.menu.find_next.isEnabled()


def test_a_selection_counts_in_the_text_that_is_shown(desk: Desk) -> None:
    desk.editor.select(0, 4)
    desk.page.book.show_chapter(Chapter("One", "Pepper.\n\nAnd salt."), lambda name: None)
    desk.page.show_view(desk.page.book)
    assert not desk.menu.use_selection.isEnabled()
    desk.page.show_view(desk.editor)
    assert desk.menu.use_selection.isEnabled()


@pytest.fixture
def bar(qtbot: QtBot) -> FindBar:
    bar = FindBar()
    qtbot.addWidget(bar)
    bar.begin_search("salt")
    return bar


@pytest.mark.parametrize(
    ("modifier", "signal"),
    [(Qt.KeyboardModifier.NoModifier, "next_requested"), (Qt.KeyboardModifier.ShiftModifier, "previous_requested")],
)
def test_return_finds_the_next_match_and_shift_return_the_previous(
    qtbot: QtBot, bar: FindBar, modifier: Qt.KeyboardModifier, signal: str
) -> None:
    with qtbot.waitSignal(getattr(bar, signal)):
        qtbot.keyClick(bar.field, Qt.Key.Key_Return, modifier)


def test_it_begins_with_words_that_the_next_key_replaces(qtbot: QtBot, bar: FindBar) -> None:
    assert bar.field.selectedText() == "salt"
    qtbot.keyClicks(bar.field, "pepper")
    assert bar.field.text() == "pepper"
    bar.begin_search("")
    assert bar.field.selectedText() == "pepper"


def test_escape_closes_it(qtbot: QtBot, bar: FindBar) -> None:
    with qtbot.waitSignal(bar.closed):
        qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert bar.isHidden()


def test_escape_closes_it_from_its_buttons_too_and_stops_nothing(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    bar = FindBar(window)
    stopped: list[bool] = []
    stop = QAction(window)
    stop.setShortcut("Esc")
    stop.triggered.connect(stopped.append)
    window.addAction(stop)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for widget in bar.order:
        bar.begin_search("")
        widget.setFocus()
        qtbot.keyClick(widget, Qt.Key.Key_Escape)
        assert bar.isHidden()
    assert stopped == []


def test_search_results_are_reported_to_screen_readers_too(bar: FindBar) -> None:
    bar.show_message("Not found")
    assert bar.label.text() == bar.label.accessibleDescription() == "Not found"


SALTY = "Salt, salt and 🙂 SALT."


def test_words_are_found_regardless_of_case() -> None:
    assert [SALTY[start:end] for start, end in TextMatches.of(SALTY, "salt").spans] == ["Salt", "salt", "SALT"]


@pytest.mark.parametrize("words", ["", "pepper"])
def test_missing_words_are_not_found(words: str) -> None:
    matches = TextMatches.of(SALTY, words)
    assert matches.from_place(0) is matches.after(0) is matches.before(9) is None


def test_signs_mean_themselves() -> None:
    assert TextMatches.of("a.b axb (a.b)", "a.b").spans == ((0, 3), (9, 12))


def test_the_search_wraps_around_at_either_end() -> None:
    matches = TextMatches(((0, 2), (5, 7)))
    assert matches.from_place(0) == TextMatch((0, 2), 1, 2)
    assert matches.after(0) == matches.from_place(1) == TextMatch((5, 7), 2, 2)
    assert matches.after(5) == matches.from_place(6) == TextMatch((0, 2), 1, 2, wrapped=True)
    assert matches.before(5) == TextMatch((0, 2), 1, 2)
    assert matches.before(0) == TextMatch((5, 7), 2, 2, wrapped=True)


def test_a_place_is_known_by_its_span() -> None:
    matches = TextMatches(((0, 2), (5, 7)))
    assert matches.at((5, 7)) == TextMatch((5, 7), 2, 2)
    assert matches.at((5, 6)) is None
    assert matches.at((9, 10)) is None
