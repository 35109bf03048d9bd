import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.main_window import MainWindow
from app.messages import MessageAction
from app.read_along.feature import ReadAlongFeature
from app.reader.feature import ReaderFeature
from app.reading.places import ReadingPositions
from app.recent_texts import RecentTexts
from app.speech.voice_choice import VoiceChoice
from app.widgets.windows import TextWindow
from engine.errors import Canceled, DamagedDocument
from engine.speech import Plan
from engine.text.documents import Chapter, Document
from tests.app.fakes import chunk_of, utterances_of
from tests.app.reader.test_sources import MODELS
from tests.app.reading.documents import BOOK, CHAPTERS, DOCUMENT
from tests.app.window_desk import WindowDesk
from tests.patience import PATIENCE_MS, PATIENCE_SECONDS


class Desk(WindowDesk):
    """A window that reads documents, with a reader that tests replace."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        super().__init__(qtbot, qapp, folder, "My own draft.")
        self.document: Document | Exception = DOCUMENT
        self.path = folder / "a.epub"
        self.path.write_text("a book")
        self.read = self.read_at_once
        self.read_along = ReadAlongFeature(self.window, self.controller, self.settings)
        self.feature = ReaderFeature(self.window, self.controller, self.settings, lambda *what: self.read(*what))
        self.reading = self.window.reading
        self.window.resize(1000, 700)
        self.window.show()
        self.prepare()

    def read_at_once(self, path: Path, cancel: threading.Event) -> Document:
        if isinstance(self.document, Exception):
            raise self.document
        return self.document

    def open(self) -> None:
        with self.qtbot.waitSignal(self.feature.opener.opened):
            self.window.file_requested.emit(self.path)

    @property
    def shown(self) -> str:
        """The text that is shown."""
        return self.page.view.text

    @property
    def place(self) -> tuple[int, int]:
        return self.reading.place.chapter, self.reading.place.character

    def speak(self) -> None:
        self.window.play()
        self.qtbot.waitUntil(lambda: self.controller.track.whole)

    def play_to_the_end(self) -> None:
        for _ in range(0, self.controller.track.length, 500):
            self.hear(500)

    def close(self) -> None:
        assert self.feature.shut_down(PATIENCE_MS)
        super().close()
        QGuiApplication.clipboard().clear()  # otherwise its content outlives the interpreter, and the process crashes


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, qapp, tmp_path)
    yield desk
    desk.close()


def test_a_document_shows_its_chapters_and_the_first_of_them(desk: Desk) -> None:
    desk.open()
    assert desk.page.side_bar.panel is desk.feature.panel
    assert desk.shown == CHAPTERS[0].text
    assert desk.reading.chosen_document == DOCUMENT


def test_chapters_open_with_the_book_if_they_fit_and_close_with_it(desk: Desk) -> None:
    for command in (desk.window.menu.close_document, desk.window.menu.new_text, desk.window.menu.edit_text):
        desk.open()
        assert desk.page.side_bar.panel is desk.feature.panel
        command.trigger()
        assert desk.page.side_bar.panel is None
    desk.window.resize(640, 700)
    desk.qtbot.waitUntil(lambda: desk.window.width() == 640)
    desk.open()
    assert desk.page.book.isVisible()


def open_slowly(desk: Desk, begin: Callable[[], object]) -> threading.Event:
    """Open a document that is read once the returned event is set."""
    begun, go_on = threading.Event(), threading.Event()

    def read(path: Path, cancel: threading.Event) -> Document:
        begun.set()
        assert go_on.wait(PATIENCE_SECONDS)
        return DOCUMENT

    desk.read = read
    begin()
    assert desk.feature.opener.busy
    assert begun.wait(PATIENCE_SECONDS)  # a task canceled before this never starts
    return go_on


def read_to_the_end(desk: Desk, go_on: threading.Event) -> None:
    """Let the reader finish, and the window process the result."""
    (thread,) = (each for each in threading.enumerate() if each.name == "document")
    go_on.set()
    thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive()
    desk.qtbot.wait_for_timers()


def test_a_text_that_comes_after_a_document_was_wanted_stays(desk: Desk) -> None:
    go_on = open_slowly(desk, lambda: desk.window.file_requested.emit(desk.path))
    QGuiApplication.clipboard().setText("Copied later.")
    desk.feature.open_clipboard()
    read_to_the_end(desk, go_on)
    assert desk.editor.text == "Copied later."
    assert desk.reading.chosen_document is None


def test_text_typed_before_the_last_document_loads_stays(desk: Desk) -> None:
    desk.settings.document = desk.path
    go_on = open_slowly(desk, desk.feature.resume)
    desk.editor.edit.insertPlainText("Typed at once. ")
    read_to_the_end(desk, go_on)
    assert desk.editor.text == "Typed at once. My own draft."
    assert desk.settings.document is None


def test_a_file_that_takes_the_place_of_a_copied_page_is_open(desk: Desk) -> None:
    content = QMimeData()
    content.setHtml("<p>A page.</p>")
    QGuiApplication.clipboard().setMimeData(content)
    go_on = open_slowly(desk, desk.feature.open_clipboard)
    with desk.qtbot.waitSignal(desk.feature.opener.opened):
        desk.window.file_requested.emit(desk.path)
        go_on.set()
    assert desk.reading.path == desk.path
    assert [book.path for book in desk.reading.shelf] == [desk.path]


def test_a_document_of_one_chapter_is_just_a_text(desk: Desk) -> None:
    desk.document = Document("Note", "", "en", (Chapter("Note", "Only this."),))
    desk.open()
    assert desk.shown == "Only this."
    assert desk.page.side_bar.panel is None


def test_a_click_shows_a_chapter(desk: Desk) -> None:
    desk.open()
    desk.feature.panel.chapter_chosen.emit(2)
    assert desk.shown == CHAPTERS[2].text
    desk.window.menu.previous_chapter.trigger()
    assert desk.shown == CHAPTERS[1].text
    desk.window.menu.next_chapter.trigger()
    assert desk.shown == CHAPTERS[2].text
    assert not desk.window.menu.next_chapter.isEnabled()


def test_the_end_of_a_chapter_is_followed_by_the_next(desk: Desk) -> None:
    desk.open()
    desk.speak()
    desk.play_to_the_end()
    desk.qtbot.waitUntil(lambda: desk.controller.text == CHAPTERS[1].text)
    assert desk.shown == CHAPTERS[1].text
    assert desk.controller.player.playback is Playback.PLAYING
    assert desk.place == (1, 0)
    assert desk.reading.place.heard == {0}


def test_stopping_at_the_very_end_does_not_start_the_next_chapter(desk: Desk) -> None:
    desk.open()
    desk.speak()
    desk.play_to_the_end()
    assert desk.controller.player.playback is Playback.PLAYING  # until it has played to the end
    desk.controller.stop()
    assert desk.shown == CHAPTERS[0].text
    assert desk.reading.place.heard == frozenset()
    assert len(desk.engine.requests) == 1


def test_an_item_of_the_history_moves_nothing(desk: Desk) -> None:
    desk.open()
    desk.speak()
    desk.hear(1500)
    place = desk.place
    item, track = replace(desk.window.request, end=12), AudioTrack()
    track.plan(Plan(utterances_of(item.part)))
    track.append(chunk_of(track.planned.utterances[0], 1))
    track.finish()
    desk.reading.play_item("An Item", item, track)
    assert desk.page.playing.text() == "An Item"
    desk.play_to_the_end()
    desk.qtbot.waitUntil(lambda: desk.controller.player.playback is Playback.STOPPED)
    assert desk.shown == CHAPTERS[0].text
    assert desk.place == place
    desk.window.play()
    assert desk.controller.request == replace(desk.window.request, start=place[1])


def test_a_chapter_chosen_during_playback_plays_and_playback_stops_after_the_last(desk: Desk) -> None:
    desk.open()
    desk.speak()
    desk.feature.panel.chapter_chosen.emit(2)
    assert desk.controller.text == CHAPTERS[2].text
    assert desk.page.playing.text() == "Chapter three · The Book"
    desk.qtbot.waitUntil(lambda: desk.controller.track.whole)
    desk.play_to_the_end()
    desk.qtbot.waitUntil(lambda: desk.controller.player.playback is Playback.STOPPED)
    assert desk.reading.place.heard == {2}
    assert len(desk.engine.requests) == 2


def test_opening_a_different_document_ends_playback_and_clears_the_waveform(desk: Desk, tmp_path: Path) -> None:
    desk.open()
    desk.speak()
    text = "A new book. It begins quite differently. It ends."
    desk.document = Document("Other", "", "en-GB", (Chapter("One", text), *CHAPTERS[1:]))
    desk.path = tmp_path / "b.epub"
    desk.path.write_text("a new book")
    desk.open()
    assert desk.controller.player.playback is Playback.STOPPED
    assert desk.page.player.track.length == 0
    assert desk.page.playing.isHidden()
    assert desk.shown == text
    assert desk.place == (0, 0)


def test_clicking_the_playing_title_returns_to_its_position(desk: Desk) -> None:
    desk.open()
    desk.speak()
    desk.hear(200)
    desk.page.view.marks.leave()
    desk.window.resize(640, 720)
    desk.page.side_bar.open(desk.feature.panel)
    desk.page.playing.click()
    assert desk.page.book.isVisible()
    assert not desk.page.book.marks.left


def test_a_passage_of_a_chapter_is_not_the_chapter(desk: Desk) -> None:
    desk.open()
    desk.reading.play_part(0, 12)
    desk.qtbot.waitUntil(lambda: desk.controller.track.whole)
    desk.play_to_the_end()
    desk.qtbot.waitUntil(lambda: desk.controller.player.playback is Playback.STOPPED)
    assert desk.place == (0, 0)
    assert len(desk.engine.requests) == 1


def test_a_chapter_played_from_its_middle_is_followed_by_the_next(desk: Desk) -> None:
    desk.open()
    desk.reading.play_from(len("Chapter one. "))
    desk.qtbot.waitUntil(lambda: desk.controller.track.whole)
    desk.play_to_the_end()
    desk.qtbot.waitUntil(lambda: desk.shown == CHAPTERS[1].text)


def test_the_playback_position_is_remembered(desk: Desk, tmp_path: Path) -> None:
    desk.open()
    desk.speak()
    desk.hear(1500)
    heard = desk.controller.track.segment_at(1500).utterance
    assert heard.start > 0
    assert ReadingPositions(tmp_path / "places.json").of(desk.path, "").character == heard.start
    desk.open()
    assert desk.page.book.cursor_character == heard.start


def test_the_persons_own_text_is_not_replaced_by_a_chapter(desk: Desk) -> None:
    desk.open()
    desk.window.memory.remember()
    assert desk.settings.text == "My own draft."
    desk.feature.close_document()
    assert desk.shown == "My own draft."


def test_new_text_closes_the_document(desk: Desk) -> None:
    desk.open()
    desk.editor.set_text("Something else.")
    assert desk.reading.chosen_document is None
    assert desk.editor.text == "Something else."


def test_an_unreadable_document_shows_an_error_and_changes_nothing(desk: Desk) -> None:
    desk.document = DamagedDocument("“a.epub” is damaged.", "Get it again.")
    with desk.qtbot.waitSignal(desk.feature.opener.failed):
        desk.window.file_requested.emit(desk.path)
    assert desk.page.banner.label.text() == "“a.epub” is damaged. Get it again."
    assert desk.shown == "My own draft."
    message = desk.page.banner.message
    assert message.action is MessageAction.OPEN_ANOTHER
    desk.page.banner.action_chosen.emit(message)
    (dialog,) = desk.window.findChildren(QFileDialog)
    dialog.reject()
    desk.document = DOCUMENT
    desk.open()
    assert desk.page.banner.message is None


def test_a_language_mismatch_is_reported_with_a_fitting_voice_one_click_away(desk: Desk) -> None:
    desk.document = Document("Le Livre", "", "fr", (Chapter("Un", "Bonjour."),))
    desk.open()
    message = desk.page.banner.message
    assert message.text.startswith("“Le Livre” is in French, but ")


def test_slow_opening_shows_a_message_and_can_be_canceled(desk: Desk) -> None:
    def wait(path: Path, cancel: threading.Event) -> Document:
        assert cancel.wait(PATIENCE_SECONDS)
        raise Canceled("Stopped")

    desk.read = wait
    desk.window.file_requested.emit(desk.path)
    desk.qtbot.waitUntil(lambda: desk.page.banner.message is not None)
    assert desk.page.banner.label.text() == "Opening “a.epub”…"
    assert desk.page.banner.message.action is MessageAction.CANCEL_OPENING
    desk.page.banner.button.click()
    assert not desk.feature.opener.busy
    assert desk.page.banner.message is None


def test_open_asks_for_a_document(desk: Desk) -> None:
    desk.window.menu.open_text.trigger()
    (dialog,) = desk.window.findChildren(QFileDialog)
    assert "*.epub" in dialog.nameFilters()[0]
    with desk.qtbot.waitSignal(desk.feature.opener.opened):
        dialog.fileSelected.emit(str(desk.path))


def test_only_one_of_several_files_opens_and_the_status_says_so(desk: Desk) -> None:
    with desk.qtbot.waitSignal(desk.feature.opener.opened) as opened:
        desk.window.files_given.emit([desk.path, desk.path.with_name("other.md")])
    assert opened.args[0].path == desk.path
    assert desk.page.status.label.text().startswith(f"Opened {desk.path.name} only")
    with desk.qtbot.waitSignal(desk.feature.opener.opened):
        desk.page.status.show_message("")
        desk.window.files_given.emit([desk.path])
    assert desk.page.status.label.text() == ""


def test_text_and_pages_come_from_the_clipboard(desk: Desk) -> None:
    QGuiApplication.clipboard().setText("Copied text.")
    desk.window.menu.open_clipboard.trigger()
    assert desk.editor.text == "Copied text."
    page = QMimeData()
    page.setHtml("<p>A page</p>")
    QGuiApplication.clipboard().setMimeData(page)
    with desk.qtbot.waitSignal(desk.feature.opener.opened) as opened:
        desk.window.menu.open_clipboard.trigger()
    assert opened.args[0].path.name == "Clipboard.html"
    assert not opened.args[0].path.exists()
    QGuiApplication.clipboard().clear()
    desk.window.menu.open_clipboard.trigger()
    assert desk.page.banner.label.text().startswith("The clipboard")


def test_the_window_is_narrow_and_a_chosen_chapter_is_seen(desk: Desk) -> None:
    desk.window.resize(640, 720)
    desk.open()
    desk.page.side_bar.open(desk.feature.panel)
    assert not desk.page.book.isVisible()
    item = desk.feature.panel.list.visualItemRect(desk.feature.panel.list.item(1)).center()
    desk.qtbot.mouseClick(desk.feature.panel.list.viewport(), Qt.MouseButton.LeftButton, pos=item)
    assert desk.page.book.isVisible()
    assert desk.shown == CHAPTERS[1].text


def test_the_document_last_read_reopens_at_the_next_start(desk: Desk) -> None:
    desk.open()
    desk.reading.go_to(1)
    desk.window.memory.remember()
    desk.page.side_bar.close_panel()
    path = desk.settings.document
    desk.reading.close()
    desk.settings.document = path
    with desk.qtbot.waitSignal(desk.feature.opener.opened):
        desk.feature.resume()
    assert desk.shown == CHAPTERS[1].text
    assert desk.page.side_bar.panel is None


def test_a_chapter_becomes_a_text_of_ones_own_to_be_edited(desk: Desk) -> None:
    desk.open()
    desk.reading.go_to(1, 13)
    desk.feature.edit_text()
    assert desk.page.view is desk.editor
    assert desk.editor.text == CHAPTERS[1].text
    assert desk.editor.cursor_character == desk.reading.character == 13
    desk.editor.edit.insertPlainText("My addition. ")
    desk.window.memory.remember()
    assert desk.settings.text == desk.editor.text
    assert desk.settings.document is None
    while desk.editor.edit.document().isUndoAvailable():
        desk.editor.edit.undo()
    assert desk.editor.text == CHAPTERS[1].text


def test_undo_does_not_close_a_book_or_change_its_chapter(desk: Desk) -> None:
    desk.editor.edit.insertPlainText("Typed. ")
    desk.open()
    desk.feature.panel.chapter_chosen.emit(2)
    desk.qtbot.keyClick(desk.page.book, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not desk.window.menu.undo.isEnabled()
    assert desk.shown == CHAPTERS[2].text
    desk.feature.close_document()
    assert desk.shown == "Typed. My own draft."
    assert desk.window.menu.undo.isEnabled()


def test_the_users_own_text_resumes_from_its_position_after_a_restart(desk: Desk) -> None:
    desk.editor.edit.selectAll()
    desk.editor.edit.insertPlainText("My first. My second. My third.")
    desk.speak()
    desk.hear(1500)
    desk.editor.edit.moveCursor(QTextCursor.MoveOperation.Start)
    desk.editor.edit.insertPlainText("And before. ")
    desk.window.memory.remember()
    texts, places = RecentTexts(desk.path.with_name("texts")), ReadingPositions(desk.path.with_name("places.json"))
    window = MainWindow(desk.controller, desk.settings, desk.theme, texts, places)
    desk.qtbot.addWidget(window)
    feature = ReaderFeature(window, desk.controller, desk.settings, desk.read)
    assert window.reading.text[window.reading.character :] == "My second. My third."
    assert feature.shut_down(PATIENCE_MS)


def test_a_document_replaced_by_new_text_does_not_come_back(desk: Desk) -> None:
    desk.open()
    desk.editor.set_text("Something else.")
    assert desk.settings.document is None
    desk.feature.resume()
    assert not desk.feature.opener.busy


def test_a_document_that_has_gone_is_missed_once(desk: Desk) -> None:
    desk.open()
    desk.document = DamagedDocument("It is gone.", "Choose a different one.")
    with desk.qtbot.waitSignal(desk.feature.opener.failed):
        desk.feature.resume()
    assert desk.page.banner.message is not None
    assert desk.settings.document is None


def test_a_copied_page_does_not_come_back(desk: Desk) -> None:
    page = QMimeData()
    page.setHtml("<p>A page.</p>")
    QGuiApplication.clipboard().setMimeData(page)
    with desk.qtbot.waitSignal(desk.feature.opener.opened):
        desk.feature.open_clipboard()
    assert desk.settings.document is None


def test_a_book_is_read_without_front_matter_and_parts_between_chapters(desk: Desk) -> None:
    desk.document = BOOK
    desk.open()
    assert desk.shown == CHAPTERS[0].text
    assert not desk.window.menu.previous_chapter.isEnabled()
    desk.speak()
    desk.play_to_the_end()
    desk.qtbot.waitUntil(lambda: desk.controller.text == CHAPTERS[1].text)
    desk.window.menu.next_chapter.trigger()
    assert desk.shown == CHAPTERS[2].text
    assert not desk.window.menu.next_chapter.isEnabled()


def test_chapters_ticked_in_the_panel_are_read_and_exported(desk: Desk) -> None:
    desk.document = BOOK
    desk.open()
    for number, read in ((2, True), (3, False), (4, False)):
        item = desk.feature.panel.list.item(number)
        item.setCheckState(Qt.CheckState.Checked if read else Qt.CheckState.Unchecked)
    document = desk.reading.chosen_document
    assert [chapter.title for chapter in document.chapters] == ["Chapter one", "Plates"]
    assert desk.feature.read_chosen(desk.path, threading.Event()) == document
    desk.speak()
    desk.play_to_the_end()
    desk.qtbot.waitUntil(lambda: desk.controller.text == BOOK.chapters[2].text and desk.controller.track.whole)
    desk.play_to_the_end()
    desk.qtbot.waitUntil(lambda: desk.controller.player.playback is Playback.STOPPED)
    assert desk.shown == BOOK.chapters[2].text


def test_a_skipped_chapter_can_be_opened_and_read(desk: Desk) -> None:
    desk.document = BOOK
    desk.open()
    desk.feature.panel.chapter_chosen.emit(0)
    assert desk.shown == BOOK.chapters[0].text
    desk.speak()
    desk.play_to_the_end()
    desk.qtbot.waitUntil(lambda: desk.controller.text == CHAPTERS[0].text)


def test_guesses_about_a_document_are_shown_until_dismissed(desk: Desk) -> None:
    desk.document = BOOK
    desk.open()
    assert desk.page.banner.label.text() == "The encoding was guessed. And 1 more."
    desk.speak()
    message = desk.page.banner.message
    assert message is not None
    desk.page.banner.button.click()
    assert desk.page.banner.message is None
    (page,) = desk.window.findChildren(TextWindow)
    assert not page.isModal()
    assert all(notice in page.browser.toPlainText() for notice in BOOK.notices)
    page.close()


def test_new_text_removes_the_notices_of_a_document(desk: Desk) -> None:
    desk.document = BOOK
    desk.open()
    desk.editor.set_text("Something else.")
    assert desk.page.banner.message is None
    assert desk.feature.panel.notices.isHidden()
    assert desk.feature.show_notices() is None


def test_a_resumed_document_repeats_no_message_but_keeps_its_notices(desk: Desk) -> None:
    desk.document = BOOK
    desk.open()
    desk.page.banner.dismiss()
    with desk.qtbot.waitSignal(desk.feature.opener.opened):
        desk.feature.resume()
    assert desk.page.banner.message is None
    assert not desk.feature.panel.notices.isHidden()


@pytest.mark.parametrize(("language", "button"), [("fr", "button"), ("de", "close_button")])
def test_notices_follow_the_message_about_the_language(desk: Desk, language: str, button: str) -> None:
    desk.document = replace(BOOK, language=language)
    desk.page.header.voices.show_models(MODELS, "kokoro")
    desk.page.header.voices.choose_voice(VoiceChoice("a", "kokoro"))
    desk.open()
    assert desk.page.banner.label.text().startswith("“The Whole Book” is in ")
    getattr(desk.page.banner, button).click()
    assert desk.page.banner.label.text().startswith("The encoding was guessed.")


def test_notes_are_read_as_was_chosen_once(desk: Desk) -> None:
    desk.document = BOOK
    left_out, at_the_end = desk.window.menu.notes.actions()
    assert left_out.isChecked()
    desk.open()
    at_the_end.trigger()
    assert desk.settings.notes_read
    assert desk.shown == f"{CHAPTERS[0].text}\n\nA note on Chapter one."
    document = desk.reading.chosen_document
    assert all("A note on" in chapter.text for chapter in document.chapters)
    left_out.trigger()
    assert desk.shown == CHAPTERS[0].text


def test_playback_continues_when_notes_are_turned_on_meanwhile(desk: Desk) -> None:
    desk.document = BOOK
    desk.open()
    desk.speak()
    desk.window.menu.notes.actions()[1].trigger()
    assert desk.shown == CHAPTERS[0].text
    desk.play_to_the_end()
    desk.qtbot.waitUntil(lambda: desk.controller.text == f"{CHAPTERS[1].text}\n\nA note on Chapter two.")


def test_new_begins_a_text_and_the_one_before_is_among_the_recent(desk: Desk) -> None:
    desk.editor.edit.insertPlainText("Typed. ")
    desk.open()
    desk.window.menu.new_text.trigger()
    assert desk.page.view is desk.editor
    assert desk.editor.text == ""
    assert desk.reading.document is None
    desk.window.menu.recent_menu.aboutToShow.emit()
    assert "Typed. My own draft." in [each.data() for each in desk.window.menu.recent_menu.actions()]


def test_commands_for_a_book_are_there_while_one_is_open(desk: Desk) -> None:
    menu = desk.window.menu
    commands = (menu.close_document, menu.edit_text, menu.add_bookmark)
    assert not any(command.isEnabled() for command in commands)
    desk.open()
    assert all(command.isEnabled() for command in commands)
    assert "The Book" in desk.window.windowTitle()
    menu.close_document.trigger()
    assert not any(command.isEnabled() for command in commands)
    assert "The Book" not in desk.window.windowTitle()


def test_a_bookmark_leads_back_to_its_place(desk: Desk) -> None:
    desk.open()
    command, ribbons = desk.window.menu.add_bookmark, desk.page.book.edit.ribbons
    add = command.text()
    desk.reading.go_to(1, 13)
    command.trigger()
    assert len(ribbons.in_view) == 1
    assert command.text() != add
    desk.reading.go_to(2)
    assert not ribbons.in_view
    assert command.text() == add
    bookmarks = desk.feature.panel.bookmarks
    bookmarks.itemActivated.emit(bookmarks.item(0))
    assert desk.place == (1, 13)
    assert desk.page.book.cursor_character == 13
    bookmarks.setCurrentRow(0)
    desk.feature.panel.remove_bookmark.trigger()
    assert bookmarks.isHidden()
    assert not ribbons.in_view
    assert command.text() == add


def test_play_from_the_beginning_plays_the_first_chapter_that_is_read(desk: Desk) -> None:
    desk.document = BOOK
    desk.open()
    desk.reading.go_to(4)
    desk.reading.play_from_beginning()
    assert desk.controller.text == CHAPTERS[0].text
    assert desk.place == (1, 0)


def test_a_book_opened_right_after_typing_reopens_at_the_next_start(desk: Desk) -> None:
    desk.editor.edit.insertPlainText("Typed. ")
    desk.open()
    desk.window.memory.remember_text()
    assert desk.settings.text == "Typed. My own draft."
    assert desk.settings.document == desk.path


def test_a_recent_text_resumes_where_it_was_left(desk: Desk) -> None:
    desk.editor.set_text("My first. My second. My third.")
    desk.speak()
    desk.hear(1500)
    desk.editor.set_text("Something else.")
    assert desk.reading.character == 0
    desk.editor.set_text("My first. My second. My third.")
    desk.window.play()
    assert desk.controller.request.part == "My second. My third."
