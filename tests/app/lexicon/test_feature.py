"""The Pronunciations window with a fake engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from app.lexicon import session, window
from app.lexicon.entries import EntryColumn, text_of
from app.lexicon.feature import LexiconFeature
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.store import UserLexicon
from tests.app.window_desk import WindowDesk
from tests.patience import PATIENCE_MS

TEXT = "hello world. second world. third one."
WORLD = LexiconEntry("world", phonemes="wˈɜɹld")
SECOND = LexiconEntry("second", say="two")
RULE = LexiconEntry(pattern="[a-z]+rd", say="x")


class Desk(WindowDesk):
    """A window whose lexicon has three entries."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        super().__init__(qtbot, qapp, folder, TEXT)
        self.lexicon = UserLexicon()
        self.lexicon.add([WORLD, SECOND, RULE])
        self.feature = LexiconFeature(self.window, self.controller, self.settings)
        self.show()
        self.prepare()
        self.feature.open()
        self.words = self.feature.window
        self.session, self.table = self.words.session, self.words.table
        self.words.resize(1000, 640)
        qtbot.waitExposed(self.words)
        self.wait()

    def wait(self) -> None:
        """Wait until everything is saved, listed and previewed."""
        self.qtbot.waitUntil(lambda: self.session.ready and not self.session.busy)

    def type(self, text: str, *keys: Qt.Key) -> None:
        """Type into the cell that is edited, and press keys."""
        line = self.cell
        line.selectAll()
        typed = QInputMethodEvent()  # QTest knows no symbols of phonemes
        typed.setCommitString(text)
        QApplication.sendEvent(line, typed)
        for key in keys:
            QTest.keyClick(self.focus, key)
            QApplication.processEvents()

    @property
    def cell(self) -> QLineEdit:
        """The line of the cell that is edited."""
        return next(each for each in self.table.findChildren(QLineEdit) if each.isVisible())

    @property
    def editing(self) -> bool:
        return any(each.isVisible() for each in self.table.findChildren(QLineEdit))

    @property
    def focus(self) -> QWidget:
        return next((each for each in self.table.findChildren(QLineEdit) if each.isVisible()), self.table)

    def press(self, *keys: Qt.Key) -> None:
        for key in keys:
            QTest.keyClick(self.table, key)

    def choose(self, column: EntryColumn, title: str) -> None:
        """Choose a value of the current row, as the user does with the keyboard."""
        self.table.select_row(self.table.currentIndex().row(), column)
        self.press(Qt.Key.Key_Return)
        box = next(each for each in self.table.findChildren(QComboBox) if each.isVisible())
        box.setCurrentIndex(box.findText(title))
        box.activated.emit(box.currentIndex())

    @property
    def rows(self) -> list[str]:
        """The words of the rows."""
        model = self.words.model
        return [text_of(model.entry(row), EntryColumn.TITLE) for row in range(model.rowCount())]


@pytest.fixture(autouse=True)
def changes_apply_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "PREVIEW_AFTER_MS", 20)
    monkeypatch.setattr(window, "SEARCH_AFTER_MS", 20)


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, qapp, tmp_path)
    yield desk
    desk.words.close()
    assert desk.feature.shut_down(PATIENCE_MS)
    desk.close()


def test_the_entries_are_listed_in_their_order(desk: Desk) -> None:
    assert desk.rows == ["world", "second", "[a-z]+rd"]
    assert desk.words.count.text() == "3 entries"


def test_an_entry_is_added_by_keyboard_alone(desk: Desk) -> None:
    desk.press(Qt.Key.Key_Plus)
    desk.type("Zorg", Qt.Key.Key_Return)
    desk.qtbot.waitUntil(lambda: desk.table.currentIndex().column() == EntryColumn.PRONUNCIATION and desk.editing)
    desk.type("/zˈɔɹɡ/", Qt.Key.Key_Return)
    desk.wait()
    assert desk.lexicon.entries()[-1] == LexiconEntry("Zorg", phonemes="zˈɔɹɡ")
    assert desk.table.current == LexiconEntry("Zorg", phonemes="zˈɔɹɡ")
    desk.choose(EntryColumn.CASE, "Exact")
    desk.wait()
    assert desk.lexicon.entries()[-1].case == "exact"


def test_an_unfinished_entry_is_dropped_when_the_window_closes(desk: Desk) -> None:
    desk.words.add()
    desk.type("Zorg", Qt.Key.Key_Return)
    assert desk.rows[0] == "Zorg"
    desk.words.close()
    assert desk.lexicon.entries() == (WORLD, SECOND, RULE)
    assert desk.rows == ["world", "second", "[a-z]+rd"]


def test_a_cell_is_edited_in_place_and_undone(desk: Desk) -> None:
    desk.table.select_row(1, EntryColumn.PRONUNCIATION)
    desk.press(Qt.Key.Key_Return)
    desk.type("number two", Qt.Key.Key_Return)
    desk.wait()
    assert desk.lexicon.entries() == (WORLD, LexiconEntry("second", say="number two"), RULE)
    assert desk.words.undo.toolTip() == "Undo Change “second”"
    desk.words.undo.trigger()
    desk.wait()
    assert desk.lexicon.entries() == (WORLD, SECOND, RULE)
    desk.words.redo.trigger()
    desk.wait()
    assert desk.lexicon.entries()[1].say == "number two"


@pytest.mark.parametrize(
    ("row", "column", "text", "named"),
    [
        (0, EntryColumn.PRONUNCIATION, "/wʀld/", "ʀ"),
        (0, EntryColumn.TITLE, "second", "second"),
        (2, EntryColumn.TITLE, "(", "regular expression"),
        (2, EntryColumn.TITLE, "((a{1000}){1000}){1000}", "too often"),
        (2, EntryColumn.PRONUNCIATION, r"\3", "replacement"),
    ],
)
def test_an_invalid_cell_stays_open_and_its_problem_is_shown(
    desk: Desk, row: int, column: EntryColumn, text: str, named: str
) -> None:
    desk.table.select_row(row, column)
    desk.press(Qt.Key.Key_Return)
    desk.type(text, Qt.Key.Key_Return)
    assert desk.editing
    assert desk.words.problem.isVisible()
    assert named in desk.words.problem.text()
    QTest.keyClick(desk.cell, Qt.Key.Key_Escape)
    assert not desk.words.problem.isVisible()
    desk.wait()
    assert desk.lexicon.entries() == (WORLD, SECOND, RULE)


def test_entries_are_removed_and_return_to_their_places(desk: Desk) -> None:
    desk.table.selectAll()
    desk.press(Qt.Key.Key_Delete)
    desk.wait()
    assert desk.lexicon.entries() == ()
    assert "empty" in desk.words.count.text()
    desk.words.undo.trigger()
    desk.wait()
    assert desk.lexicon.entries() == (WORLD, SECOND, RULE)


def test_searching_and_sorting(desk: Desk) -> None:
    desk.words.search.setText("two")
    desk.qtbot.waitUntil(lambda: desk.rows == ["second"])
    assert desk.words.count.text() == "1 of 3 entries"
    desk.words.search.clear()
    desk.qtbot.waitUntil(lambda: len(desk.rows) == 3)
    desk.table.horizontalHeader().setSortIndicator(EntryColumn.TITLE, Qt.SortOrder.DescendingOrder)
    desk.qtbot.waitUntil(lambda: desk.rows == ["world", "second", "[a-z]+rd"])
    desk.table.horizontalHeader().setSortIndicator(EntryColumn.TITLE, Qt.SortOrder.AscendingOrder)
    desk.qtbot.waitUntil(lambda: desk.rows == ["[a-z]+rd", "second", "world"])


def test_the_preview_leads_to_the_text(desk: Desk) -> None:
    desk.table.select_row(0)
    desk.wait()
    assert "2 places" in desk.words.heading.text()
    places = desk.words.places
    places.setCurrentIndex(places.model().index(1, 0))
    QTest.keyClick(places, Qt.Key.Key_Return)
    assert desk.editor.span == (20, 25)
    QTest.mouseClick(
        places.viewport(), Qt.MouseButton.LeftButton, pos=places.visualRect(places.model().index(0, 0)).center()
    )
    assert desk.editor.span == (6, 11)


def test_the_preview_tells_if_the_voice_speaks_a_different_language(desk: Desk) -> None:
    desk.table.select_row(0)
    desk.choose(EntryColumn.LANGUAGE, "French")
    desk.wait()
    assert "American English" in desk.words.heading.text()


def test_the_preview_follows_typing(desk: Desk) -> None:
    desk.table.select_row(2)
    desk.press(Qt.Key.Key_Return)
    desk.type("[a-z]+ir[a-z]")
    desk.qtbot.waitUntil(lambda: "1 place " in desk.words.heading.text())
    desk.type("(")
    desk.wait()
    assert "1 place " in desk.words.heading.text()


def test_an_endless_pattern_previews_as_a_sentence_and_the_rest_stays(desk: Desk) -> None:
    desk.editor.set_text("a" * 5000 + "!")
    desk.table.select_row(2)
    desk.press(Qt.Key.Key_Return)
    desk.type("(a|aa)+$", Qt.Key.Key_Return)
    desk.qtbot.waitUntil(lambda: "too long" in desk.words.heading.text())
    desk.wait()
    assert desk.rows == ["world", "second", "(a|aa)+$"]


def test_a_list_is_imported_except_for_its_unusable_lines(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("World|wurld\nbad\nZorg|zorgue\n…|x\n", encoding="utf-8")
    desk.session.import_file(path)
    desk.wait()
    assert [each.title for each in desk.lexicon.entries()] == ["World", "second", "[a-z]+rd", "Zorg"]
    assert "2 entries" in desk.words.banner.message.text
    assert "2 lines" in desk.words.banner.message.text
    listed = desk.words.findChild(QTextBrowser).toPlainText()
    assert "Line 2: " in listed
    assert "Line 4: " in listed
    desk.words.undo.trigger()
    desk.wait()
    assert desk.lexicon.entries() == (WORLD, SECOND, RULE)


def test_an_unusable_file_changes_nothing(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\0binary")
    desk.session.import_file(tmp_path / "a.csv")
    desk.wait()
    assert "a.csv" in desk.words.banner.message.text
    assert desk.lexicon.entries() == (WORLD, SECOND, RULE)


def test_an_exported_list_is_imported_again(desk: Desk, tmp_path: Path) -> None:
    desk.session.export_file(tmp_path / "a.csv")
    desk.wait()
    desk.table.selectAll()
    desk.press(Qt.Key.Key_Delete)
    desk.session.import_file(tmp_path / "a.csv")
    desk.wait()
    assert desk.lexicon.entries() == (WORLD, SECOND, RULE)


def test_an_entry_is_pronounced_in_the_chosen_voice(desk: Desk) -> None:
    desk.table.select_row(0)
    desk.press(Qt.Key.Key_Space)
    desk.qtbot.waitUntil(lambda: bool(desk.engine.requests))
    assert desk.engine.requests[-1].text == "[world](/wˈɜɹld/)"
    assert desk.engine.requests[-1].voice == "af_heart"


def test_a_change_of_the_command_line_is_shown(desk: Desk) -> None:
    desk.lexicon.remove("second")
    desk.words.open()
    desk.wait()
    assert desk.rows == ["world", "[a-z]+rd"]


def test_a_damaged_lexicon_is_reported_and_stays_as_it_is(desk: Desk) -> None:
    desk.lexicon.path.write_text("{", encoding="utf-8")
    desk.table.select_row(0)
    desk.press(Qt.Key.Key_Delete)
    desk.wait()
    assert "lexicon" in desk.words.banner.message.text
    assert desk.lexicon.path.read_text(encoding="utf-8") == "{"


def test_changed_sentences_of_the_open_text_are_spoken_again(desk: Desk) -> None:
    desk.speak()
    desk.hear(300)
    desk.engine.lexicon = {"second": "sekund"}
    desk.table.select_row(1)
    desk.press(Qt.Key.Key_Delete)
    desk.qtbot.waitUntil(lambda: len(desk.engine.requests) > 1)
    desk.wait_made()
    assert [each.utterance.phonemes for each in desk.controller.track.segments][1] == "sekund world"
    assert desk.engine.requests[-1].start == 13


def test_a_word_is_pronounced_everywhere(desk: Desk) -> None:
    desk.feature.say_everywhere("world", "whirled")
    desk.wait()
    assert desk.lexicon.entries() == (LexiconEntry("world", say="whirled"), SECOND, RULE)
    assert desk.table.current == LexiconEntry("world", say="whirled")


def test_the_window_remembers_its_place_and_fits_a_small_screen(desk: Desk) -> None:
    desk.words.resize(640, 480)
    desk.qtbot.waitUntil(lambda: desk.words.size().width() == 640)
    assert desk.words.split.orientation() is Qt.Orientation.Vertical
    place = desk.words.place
    desk.window.close()
    assert desk.settings.lexicon_place == place


def test_everything_that_takes_the_focus_has_a_name(desk: Desk) -> None:
    focusable = [each for each in desk.words.findChildren(QWidget) if each.focusPolicy() & Qt.FocusPolicy.TabFocus]
    buttons = {each.text() for each in desk.words.findChildren(QAction)}
    assert {"Add", "Remove", "Play", "Undo", "Redo", "Import…", "Export…"} <= buttons
    assert len([each for each in focusable if each.isVisible()]) > 8
    assert desk.words.childAt(QPoint(20, 20)) is not None
