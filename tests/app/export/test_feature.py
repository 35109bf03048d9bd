import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from mutagen.mp4 import MP4
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from app.audio.output import NoAudioDevice
from app.export.dialog import ExportDialog
from app.export.feature import ExportFeature
from app.export.records import ExportRecords
from app.export.scope import parts_of
from app.messages import MessageAction, Severity
from app.reading.opener import OpenedDocument
from app.speech.engine_worker import EngineFactory
from engine.export.export_job import ExportJob
from engine.export.exporting import export
from engine.export.stored_jobs import StoredJobs
from engine.speech import SpeechRequest
from engine.text.documents import Chapter, Document
from engine.text.documents.reading import read
from tests.app.fakes import FakeEngine
from tests.app.test_main_window import TEXT, Desk
from tests.engine.export.narrated_books import WordSpeaker, write_book
from tests.patience import PATIENCE_MS

ROOT = Path(__file__).resolve().parents[3]
BOOK = Document("Book", "A. Writer", "en", (Chapter("One", "A. B."), Chapter("Two", "C. D. E.")))


class ExportDesk(Desk):
    """A desk with the feature, which exports a book or, without one, the text in the window."""

    def __init__(self, qtbot: QtBot, qapp: QApplication, folder: Path) -> None:
        super().__init__(qtbot, qapp, folder)
        self.folder = folder
        self.visitors: list[str] = []
        self.features: list[ExportFeature] = []
        self.feature = self.new_feature()

    def new_feature(self) -> ExportFeature:
        """Return the feature of a new instance or a later start of the application."""
        parts = partial(parts_of, self.window)
        orders = StoredJobs(self.folder / "orders")
        self.features.append(
            ExportFeature(self.window, self.controller, self.settings, parts, self.engine_factory, orders)
        )
        return self.features[-1]

    def engine_factory(self, model: str) -> EngineFactory:
        self.visitors.append(model)
        return lambda: self.engine

    def open_book(self, chapter: int = 0) -> None:
        path = self.folder / "book.epub"
        self.window.reading.open(OpenedDocument(path, str(path), BOOK))
        self.window.reading.go_to(chapter)

    def dialog(self) -> ExportDialog:
        dialog = self.feature.open()
        assert isinstance(dialog, ExportDialog)
        return dialog

    def export(self, name: str) -> None:
        dialog = self.dialog()
        dialog.place.setText(str(self.folder / name))
        dialog.export_button.click()

    def wait_saved(self) -> None:
        self.qtbot.waitUntil(lambda: not self.controller.activity.saving)

    def kept(self) -> list[Path]:
        return list((self.folder / "orders").glob("*.json"))


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ExportDesk]:
    monkeypatch.setattr("engine.export.part_cache.cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("engine.runtime.preparation.crash_guard.cache_folder", lambda: tmp_path / "cache")
    desk = ExportDesk(qtbot, qapp, tmp_path)
    yield desk
    assert desk.controller.shut_down(PATIENCE_MS)
    for feature in desk.features:
        feature.shut_down(PATIENCE_MS)
    desk.theme.deleteLater()


def test_one_dialog_is_behind_every_way_to_save(desk: ExportDesk) -> None:
    desk.prepare()
    for trigger in (desk.window.menu.save.trigger, desk.page.header.save_button.click):
        trigger()
        dialog = desk.window.findChild(ExportDialog)
        assert dialog is not None
        dialog.close()
        desk.qtbot.waitUntil(lambda: desk.window.findChild(ExportDialog) is None)


def narrate(desk: ExportDesk, more: str = "") -> Path:
    """Export an open EPUB, whose text has `more` than its pages, with narration."""
    speaker = WordSpeaker()
    desk.engine.sample_rate_hz, desk.engine.synthesize = speaker.sample_rate_hz, speaker.synthesize
    desk.prepare()
    path = write_book(desk.folder / "book.epub", "<h1>One</h1><p>A. B.</p>", "<h1>Two</h1><p>C. D. E.</p>")
    document = read(path)
    chapters = (replace(document.chapters[0], text=document.chapters[0].text + more), *document.chapters[1:])
    desk.window.reading.open(OpenedDocument(path, str(path), replace(document, chapters=chapters)))
    dialog = desk.dialog()
    dialog.formats.setCurrentIndex(dialog.formats.findData(".epub"))
    dialog.place.setText(str(desk.folder / "narrated.epub"))
    dialog.export_button.click()
    assert not dialog.isVisible()
    desk.wait_saved()
    return desk.folder / "narrated.epub"


def test_an_open_epub_gets_narration(desk: ExportDesk) -> None:
    members = zipfile.ZipFile(narrate(desk)).namelist()
    assert sum(name.endswith(".smil") for name in members) == 2
    assert desk.page.banner.message is None


def test_words_that_the_narration_cannot_highlight_are_counted(desk: ExportDesk) -> None:
    narrate(desk, " Zebra zebra.")
    message = desk.page.banner.message
    assert message is not None
    assert message.tone is Severity.NOTE
    assert "2" in message.text


def test_a_document_is_exported_with_all_its_chapters(desk: ExportDesk, tmp_path: Path) -> None:
    desk.prepare()
    desk.open_book()
    desk.dialog().export_button.click()
    assert desk.page.save_strip.label.text().startswith("Saving Book.m4b")
    desk.wait_saved()
    assert [chapter.title for chapter in MP4(tmp_path / "Book.m4b").chapters] == ["One", "Two"]


def choices(desk: ExportDesk) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the choices, with the chapters of each."""
    dialog = desk.dialog()
    found = []
    for number in range(dialog.scopes.count()):
        dialog.scopes.setCurrentIndex(number)
        chapters = [(chapter.title, chapter.text) for chapter in dialog.order.chapters]
        found.append((dialog.scopes.itemText(number), chapters))
    dialog.close()
    return found


def test_the_book_or_the_chapter_that_is_shown_can_be_chosen(desk: ExportDesk) -> None:
    desk.prepare()
    desk.open_book(chapter=1)
    one, two = ((chapter.title, chapter.text) for chapter in BOOK.chapters)
    assert choices(desk) == [("Book: Book", [one, two]), ("Chapter: Two", [two])]


def test_the_text_or_the_selection_can_be_chosen(desk: ExportDesk) -> None:
    desk.prepare()
    desk.page.editor.edit.setTextCursor(desk.page.editor.edit.document().find("Two"))
    assert choices(desk) == [("Text", [("", TEXT)]), ("Selection: “Two…”", [("", "Two")])]


def test_chapters_that_are_not_read_are_left_out_and_told(desk: ExportDesk) -> None:
    desk.prepare()
    desk.open_book()
    desk.window.reading.choose(1, False)
    dialog = desk.dialog()
    assert dialog.scope.title == "Book: Book (1 of 2 chapters)"
    assert [chapter.title for chapter in dialog.order.chapters] == ["One"]
    dialog.close()


def test_it_says_so_if_no_chapter_is_wanted(desk: ExportDesk) -> None:
    desk.prepare()
    desk.open_book()
    for chapter in (0, 1):
        desk.window.reading.choose(chapter, False)
    assert desk.feature.open() is None
    assert "No chapter of “Book” is selected" in desk.page.banner.label.text()


def test_without_a_document_the_text_is_exported(desk: ExportDesk, tmp_path: Path) -> None:
    desk.prepare()
    (tmp_path / "other").mkdir()
    desk.export("other/text.wav")
    desk.qtbot.waitUntil(lambda: (tmp_path / "other" / "text.wav").exists())
    assert desk.settings.save_folder == tmp_path / "other"


def test_speech_that_is_there_is_not_made_again(desk: ExportDesk, tmp_path: Path) -> None:
    desk.prepare()
    desk.window.play()
    desk.wait_made()
    desk.export("a.wav")
    desk.wait_saved()
    assert (tmp_path / "a.wav").exists()
    assert len(desk.engine.requests) == 1


def test_an_export_requested_before_voices_are_known_uses_the_first_available_one(desk: ExportDesk) -> None:
    dialog = desk.dialog()
    desk.prepare()
    dialog.export_button.click()
    desk.wait_saved()
    assert [request.voice for request in desk.engine.requests] == ["af_heart"]


def test_nothing_is_exported_from_an_empty_window(desk: ExportDesk) -> None:
    desk.prepare()
    desk.page.editor.set_text("  ")
    assert desk.feature.open() is None
    assert "nothing to save" in desk.page.banner.label.text()


def test_saving_can_be_stopped_from_the_menu(desk: ExportDesk, tmp_path: Path) -> None:
    desk.prepare()
    desk.open_book()
    stop = desk.window.menu.stop_saving
    assert not stop.isEnabled()
    desk.engine.hold.clear()
    desk.dialog().export_button.click()
    assert stop.isEnabled()
    stop.trigger()
    assert not stop.isEnabled()
    desk.engine.hold.set()
    desk.export("next.wav")
    desk.wait_saved()
    assert not (tmp_path / "Book.m4b").exists()
    desk.qtbot.waitUntil(lambda: not desk.kept())


def test_a_saved_file_is_reported_and_can_be_shown(desk: ExportDesk, tmp_path: Path) -> None:
    desk.prepare()
    strip = desk.page.save_strip
    with desk.qtbot.waitSignal(desk.feature.saved) as told:
        desk.export("a.wav")
    assert "a.wav" in told.args[1]
    desk.wait_saved()
    assert strip.label.text() == f"Saved a.wav in {tmp_path.name}"
    with desk.qtbot.waitSignal(desk.feature.reveal_requested) as shown:
        strip.reveal_button.click()
    assert shown.args == [tmp_path / "a.wav"]
    strip.close_button.click()
    assert strip.isHidden()


def test_an_unwritable_export_can_be_saved_elsewhere_as_originally_requested(desk: ExportDesk, tmp_path: Path) -> None:
    desk.prepare()
    desk.open_book()
    (tmp_path / "gone").mkdir()
    desk.engine.hold.clear()
    desk.export("gone/a.wav")
    (tmp_path / "gone").rmdir()
    desk.engine.hold.set()
    desk.qtbot.waitUntil(lambda: desk.page.banner.message is not None)
    message = desk.page.banner.message
    assert message is not None
    assert message.action is MessageAction.SAVE_ELSEWHERE
    desk.window.reading.close()
    desk.page.banner.button.click()
    dialog = desk.window.findChild(ExportDialog)
    assert dialog is not None
    assert dialog.order.chapters == BOOK.chapters
    dialog.close()


def test_speech_that_cannot_be_played_can_be_saved(desk: ExportDesk) -> None:
    desk.prepare()
    desk.window.show_failure(NoAudioDevice())
    desk.page.banner.button.click()
    dialog = desk.window.findChild(ExportDialog)
    assert dialog is not None
    dialog.close()


def interrupt(desk: ExportDesk, order: ExportJob) -> None:
    """Simulate that the application was killed during this export, after the first chapter."""
    steps = export(order, FakeEngine(), lambda _: None)
    for _ in range(4):
        next(steps)
    steps.close()
    code = (
        "import os, pickle, sys\n"
        "from engine.export.stored_jobs import StoredJobs\n"
        "from pathlib import Path\n"
        "kept = StoredJobs(Path(sys.argv[1])).keep(pickle.loads(sys.stdin.buffer.read()), sys.argv[2])\n"
        "os.kill(os.getpid(), 9)\n"
    )
    command = [sys.executable, "-c", code, str(desk.folder / "orders"), "starter"]
    subprocess.run(command, input=pickle.dumps(order), cwd=ROOT, env=dict(os.environ))


@pytest.fixture
def interrupted(desk: ExportDesk, tmp_path: Path) -> ExportJob:
    order = ExportJob(BOOK, SpeechRequest("", "af_heart"), tmp_path / "Book.flac")
    interrupt(desk, order)
    assert len(desk.kept()) == 1
    return order


def look(desk: ExportDesk) -> None:
    desk.prepare()
    desk.feature.look_for_interrupted()
    desk.qtbot.waitUntil(desk.page.save_strip.resume_button.isVisible)


def test_an_interrupted_export_resumes_at_the_same_place(desk: ExportDesk, interrupted: ExportJob) -> None:
    look(desk)
    assert "“Book.flac”" in desk.page.save_strip.label.text()
    desk.page.save_strip.resume_button.click()
    desk.wait_saved()
    assert interrupted.path.exists()
    assert [request.text for request in desk.engine.requests] == ["C. D. E."]
    desk.qtbot.waitUntil(lambda: not desk.kept())
    assert desk.page.save_strip.resume_button.isHidden()


def test_an_export_resumes_with_the_model_it_began_with(
    desk: ExportDesk, interrupted: ExportJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(desk.page.header.voices), "speaking_model", "other")
    look(desk)
    desk.page.save_strip.resume_button.click()
    desk.wait_saved()
    assert desk.visitors == ["starter"]


def test_an_export_that_was_interrupted_can_be_discarded(desk: ExportDesk, interrupted: ExportJob) -> None:
    look(desk)
    desk.page.save_strip.discard_button.click()
    assert desk.page.save_strip.isHidden()
    desk.qtbot.waitUntil(lambda: not list((desk.folder / "cache" / "exports").glob("*")))
    desk.qtbot.waitUntil(lambda: not desk.kept())
    assert not interrupted.path.exists()


def test_only_one_window_offers_to_resume_and_the_next_start_offers_again(
    desk: ExportDesk, interrupted: ExportJob, qtbot: QtBot
) -> None:
    look(desk)
    other, found = ExportRecords(StoredJobs(desk.folder / "orders")), []
    other.found.connect(found.append)
    other.look()
    other.shut_down(PATIENCE_MS)
    assert not found
    desk.feature.shut_down(PATIENCE_MS)
    desk.page.save_strip.offer_resume("")
    desk.feature = desk.new_feature()
    look(desk)


def test_resuming_asks_before_it_replaces_an_existing_file(desk: ExportDesk, interrupted: ExportJob) -> None:
    interrupted.path.write_text("mine")
    look(desk)
    desk.page.save_strip.resume_button.click()
    box = desk.window.findChild(QMessageBox)
    assert box is not None
    box.button(QMessageBox.StandardButton.Cancel).click()
    assert interrupted.path.read_text() == "mine"
    assert desk.page.save_strip.resume_button.isVisible()


def test_a_current_export_is_stored_until_it_is_saved(desk: ExportDesk) -> None:
    desk.prepare()
    desk.engine.hold.clear()
    desk.export("a.wav")
    desk.qtbot.waitUntil(lambda: bool(desk.kept()))
    desk.engine.hold.set()
    desk.wait_saved()
    desk.qtbot.waitUntil(lambda: not desk.kept())
