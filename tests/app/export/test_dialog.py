from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QColor, QImage, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.export.cover_choice import SIDE_PIXELS
from app.export.dialog import ExportDialog
from app.export.scope import Scope
from engine.audio.subtitles.formats import FORMATS
from engine.export.export_job import ExportJob
from engine.speech import SpeechRequest
from engine.text.documents import Chapter, Document
from tests.engine.audio.aac_programs import none, only
from tests.engine.export.narrated_books import write_book

SPEECH_SETTINGS = SpeechRequest("", "af_heart", 1.2)
TALES = "Stories that are told in winter when nights are long"


def picture() -> bytes:
    image = QImage(30, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def book() -> Document:
    return Document("A: Book", "A. Writer", "en", (Chapter("One", "Text."), Chapter("Two", "More text.")), picture())


def chapter() -> Document:
    return replace(book().with_chapters((1,)), title="Two")


def shown(qtbot: QtBot, folder: Path, *documents: Document) -> ExportDialog:
    dialog = ExportDialog([Scope(document.title, document, SPEECH_SETTINGS) for document in documents], folder)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


@pytest.fixture
def dialog(qtbot: QtBot, tmp_path: Path) -> ExportDialog:
    return shown(qtbot, tmp_path, book(), chapter())


def question(dialog: ExportDialog) -> QMessageBox:
    box = dialog.findChild(QMessageBox)
    assert box is not None
    return box


def choose(dialog: ExportDialog, number: int) -> None:
    dialog.scopes.setCurrentIndex(number)
    dialog.scopes.activated.emit(number)


def ordered(dialog: ExportDialog, qtbot: QtBot) -> ExportJob:
    with qtbot.waitSignal(dialog.ordered) as signal:
        dialog.export_button.click()
    order: ExportJob = signal.args[0]
    return order


def test_a_book_is_offered_as_an_audiobook_named_after_it(dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    assert dialog.summary.accessibleDescription().startswith("2 chapters, ")
    assert ordered(dialog, qtbot) == ExportJob(book(), SPEECH_SETTINGS, tmp_path / "A Book.m4b")
    assert not dialog.isVisible()


def test_a_chapter_can_be_chosen_and_everything_follows(dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    dialog.per_chapter.setChecked(True)
    choose(dialog, 1)
    assert not dialog.per_chapter.isEnabled()
    assert ordered(dialog, qtbot) == ExportJob(chapter(), SPEECH_SETTINGS, tmp_path / "Two.mp3")


def test_manual_changes_stay_when_the_scope_changes(dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    dialog.cover.remove_button.click()
    dialog.formats.setCurrentIndex(dialog.formats.findData(".flac"))
    dialog.author.setText("Nobody")
    dialog.place.setText(str(tmp_path / "mine.flac"))
    choose(dialog, 1)
    changed = replace(chapter(), author="Nobody", cover=None)
    assert ordered(dialog, qtbot) == ExportJob(changed, SPEECH_SETTINGS, tmp_path / "mine.flac")


@pytest.mark.parametrize(("suffix", "suggested"), [(".flac", ".flac"), (".xyz", ".m4b")])
def test_a_format_that_is_preferred_is_suggested_if_it_can_be_written(
    suffix: str, suggested: str, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = ExportDialog([Scope("Book", book(), SPEECH_SETTINGS)], tmp_path, preferred=suffix)
    qtbot.addWidget(dialog)
    assert dialog.order.path == tmp_path / f"A Book{suggested}"


def test_the_dialog_names_the_saved_part_when_there_is_nothing_to_choose(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = shown(qtbot, tmp_path, chapter())
    assert not dialog.scopes.isVisible()
    assert "Two" in [label.accessibleDescription() for label in dialog.findChildren(QLabel) if label.isVisible()]


@pytest.mark.parametrize(
    ("program", "suffix", "words"),
    [
        (None, ".m4b", "Apple Lossless, about 87 MB. If FFmpeg is installed: AAC, a third as large"),
        ("ffmpeg", ".m4b", "AAC, about 29 MB"),
        (None, ".wav", "About 173 MB"),
    ],
)
def test_it_says_how_long_and_how_large_it_becomes(
    program: str | None, suffix: str, words: str, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    none(tmp_path, monkeypatch)
    if program is not None:
        only(program, tmp_path, monkeypatch)
    hour = Document("Long", "", "", (Chapter("", "a" * 54_000),))
    dialog = ExportDialog([Scope("Text", hour, SpeechRequest("", "af_heart"))], tmp_path)
    qtbot.addWidget(dialog)
    dialog.formats.setCurrentIndex(dialog.formats.findData(suffix))
    assert (dialog.summary.accessibleDescription(), dialog.size_note.accessibleDescription()) == ("About 1 hour", words)


def test_return_exports(dialog: ExportDialog, qtbot: QtBot) -> None:
    assert dialog.export_button.isDefault()
    with qtbot.waitSignal(dialog.ordered):
        qtbot.keyClick(dialog.title, Qt.Key.Key_Return)


def test_a_large_font_makes_it_wider(dialog: ExportDialog, qtbot: QtBot) -> None:
    font = dialog.font()
    font.setPointSizeF(3 * font.pointSizeF())
    dialog.setFont(font)
    qtbot.wait_for_timers()
    dialog.resize(1, 1)
    assert dialog.per_chapter.width() >= dialog.per_chapter.sizeHint().width()


def test_everything_can_be_changed(dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    dialog.cover.remove_button.click()
    dialog.formats.setCurrentIndex(dialog.formats.findData(".opus"))
    dialog.per_chapter.setChecked(True)
    dialog.title.setText(" New Title ")
    dialog.author.setText("Nobody")
    order = ordered(dialog, qtbot)
    assert (order.path, order.result) == (tmp_path / "A Book.opus", tmp_path / "A Book")
    assert (order.document.title, order.document.author, order.document.cover) == ("New Title", "Nobody", None)
    assert order.chapters == book().chapters


def test_subtitles_go_beside_the_sound(dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    assert [dialog.subtitles.itemData(row) or None for row in range(dialog.subtitles.count())] == [None, *FORMATS]
    dialog.subtitles.setCurrentIndex(dialog.subtitles.findData(".vtt"))
    assert ordered(dialog, qtbot).subtitles == tmp_path / "A Book.vtt"


def test_a_text_of_one_chapter_has_no_files_of_chapters(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = shown(qtbot, tmp_path, Document("", "", "", (Chapter("", "Good morning, all of you."),)))
    assert not dialog.per_chapter.isEnabled()
    assert dialog.order.path == tmp_path / "Good morning all of you.mp3"


def test_only_an_audio_book_has_a_cover(dialog: ExportDialog) -> None:
    assert dialog.cover.isEnabled()
    dialog.formats.setCurrentIndex(dialog.formats.findData(".flac"))
    assert not dialog.cover.isEnabled()
    assert dialog.cover.toolTip()


def test_an_existing_file_is_replaced_only_if_the_user_agrees(
    dialog: ExportDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "there.m4b").touch()
    dialog.place.setText(str(tmp_path / "there.m4b"))
    with qtbot.assertNotEmitted(dialog.ordered):
        dialog.export_button.click()
        box = question(dialog)
        assert "“there.m4b” already exists" in box.text()
        assert box.defaultButton() is box.button(QMessageBox.StandardButton.Cancel)
        qtbot.keyClick(box, Qt.Key.Key_Return)
    assert dialog.isVisible()
    dialog.export_button.click()
    replace_button = next(each for each in question(dialog).buttons() if each.text() == "Replace")
    with qtbot.waitSignal(dialog.ordered):
        replace_button.click()
    assert not dialog.isVisible()


def test_files_of_chapters_and_subtitles_that_are_there_are_counted(
    dialog: ExportDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "A Book").mkdir()
    for name in ("1 One.mp3", "2 Two.mp3", "2 Two.srt", "other.mp3"):
        (tmp_path / "A Book" / name).touch()
    dialog.formats.setCurrentIndex(dialog.formats.findData(".mp3"))
    dialog.per_chapter.setChecked(True)
    dialog.subtitles.setCurrentIndex(dialog.subtitles.findData(".srt"))
    dialog.export_button.click()
    assert "3 of these files already exist" in question(dialog).text()


def test_a_folder_in_which_nothing_is_replaced_needs_no_question(
    dialog: ExportDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "A Book").mkdir()
    dialog.per_chapter.setChecked(True)
    assert ordered(dialog, qtbot).per_chapter


def test_the_export_does_not_repeat_a_question_of_the_file_dialog(
    dialog: ExportDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "there.flac").touch()
    dialog.choose_button.click()
    chooser = dialog.findChild(QFileDialog)
    assert chooser is not None
    chooser.fileSelected.emit(str(tmp_path / "there.flac"))
    assert ordered(dialog, qtbot).path == tmp_path / "there.flac"


@pytest.mark.parametrize(("name", "words"), [("a.txt", "can’t be saved as .txt"), ("none/a.m4b", "/none")])
def test_an_unwritable_location_is_reported_and_the_dialog_stays(
    dialog: ExportDialog, qtbot: QtBot, tmp_path: Path, name: str, words: str
) -> None:
    dialog.place.setText(str(tmp_path / name))
    with qtbot.assertNotEmitted(dialog.ordered):
        dialog.export_button.click()
    assert dialog.isVisible()
    assert words in dialog.notice.text()


def test_a_place_that_is_chosen_brings_its_format(dialog: ExportDialog, tmp_path: Path) -> None:
    dialog.choose_button.click()
    chooser = dialog.findChild(QFileDialog)
    assert chooser is not None
    chooser.fileSelected.emit(str(tmp_path / "x.flac"))
    assert dialog.formats.currentData() == ".flac"
    assert dialog.order.path == tmp_path / "x.flac"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "no name"),
        ("/", "no name"),
        ("~nobodys/x.mp3", "“~nobodys”"),
    ],
)
def test_an_invalid_name_is_reported_and_the_dialog_stays(dialog: ExportDialog, name: str, sentence: str) -> None:
    dialog.subtitles.setCurrentIndex(1)
    dialog.place.setText(name)
    dialog.formats.setCurrentIndex(dialog.formats.findData(".flac"))
    dialog.export_button.click()
    assert sentence in dialog.notice.text()
    assert dialog.isVisible()


def test_a_name_too_long_for_the_system_does_not_stop_typing(dialog: ExportDialog) -> None:
    dialog.place.setText(f"{'a' * 300}.mp3")
    assert not dialog.notice.isVisible()


def test_a_number_at_the_end_of_a_name_is_no_format(dialog: ExportDialog, tmp_path: Path) -> None:
    dialog.place.setText(str(tmp_path / "Volume 1.5"))
    dialog.formats.setCurrentIndex(dialog.formats.findData(".flac"))
    assert dialog.path == tmp_path / "Volume 1.5.flac"


def test_every_choice_has_a_name_for_screen_readers(dialog: ExportDialog) -> None:
    for widget in (dialog.scopes, dialog.choose_button, dialog.cover.choose_button, dialog.cover.remove_button):
        assert widget.accessibleName()
    labels = {label.buddy() for label in dialog.findChildren(QWidget) if hasattr(label, "buddy")}
    assert {dialog.formats, dialog.title, dialog.author, dialog.subtitles, dialog.place} <= labels


def test_a_long_name_makes_the_dialog_no_wider(dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    width = dialog.minimumSizeHint().width()
    long = shown(qtbot, tmp_path, replace(chapter(), title="n" * 200))
    long.place.setText(str(tmp_path / f"{'n' * 200}.txt"))
    long.export_button.click()
    assert long.notice.isVisible()
    assert long.minimumSizeHint().width() <= width


def test_a_notice_of_two_lines_leaves_the_cover_whole(dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    dialog.resize(dialog.sizeHint())
    dialog.place.setText(str(tmp_path / TALES / f"{TALES}.mp3"))
    dialog.export_button.click()
    assert dialog.notice.heightForWidth(dialog.notice.width()) >= 2 * dialog.notice.fontMetrics().height()
    qtbot.waitUntil(lambda: dialog.notice.height() == dialog.notice.heightForWidth(dialog.notice.width()))
    assert dialog.cover.height() >= SIDE_PIXELS


class NarrationDialog:
    """A dialog that offers an EPUB, and a selection of it."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.book = write_book(folder / "A Book.epub", "<p>Text.</p>", "<p>More text.</p>")
        whole = Scope("Whole", book(), SPEECH_SETTINGS, book=self.book)
        self.dialog = ExportDialog([whole, Scope("Selection", chapter(), SPEECH_SETTINGS)], folder)
        qtbot.addWidget(self.dialog)
        self.dialog.show()

    @property
    def item(self) -> QStandardItem:
        """The format in the list."""
        formats = self.dialog.formats.model()
        assert isinstance(formats, QStandardItemModel)
        return formats.item(self.dialog.formats.findData(".epub"))

    def narrate(self) -> None:
        """Choose the format."""
        self.dialog.formats.setCurrentIndex(self.dialog.formats.findData(".epub"))


@pytest.fixture
def narration(qtbot: QtBot, tmp_path: Path) -> NarrationDialog:
    return NarrationDialog(qtbot, tmp_path)


def test_an_epub_can_be_exported_with_narration(narration: NarrationDialog, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = narration.dialog
    dialog.per_chapter.setChecked(True)
    narration.narrate()
    fields = (dialog.per_chapter, dialog.title, dialog.author, dialog.cover, dialog.subtitles)
    assert not any(field.isEnabled() for field in fields)
    expected = ExportJob(book(), SPEECH_SETTINGS, tmp_path / "A Book (narrated).epub", book=narration.book)
    assert ordered(dialog, qtbot) == expected


def test_fields_of_audio_return_with_its_format(narration: NarrationDialog) -> None:
    narration.narrate()
    narration.dialog.formats.setCurrentIndex(narration.dialog.formats.findData(".m4b"))
    assert narration.dialog.title.isEnabled()
    assert narration.dialog.per_chapter.isEnabled()
    assert narration.dialog.path.suffix == ".m4b"


def test_only_documents_from_an_epub_can_be_narrated(narration: NarrationDialog) -> None:
    assert narration.item.isEnabled()
    narration.narrate()
    choose(narration.dialog, 1)
    assert not narration.item.isEnabled()
    assert narration.dialog.path.suffix != ".epub"


def test_the_original_is_never_replaced_by_its_narration(narration: NarrationDialog, qtbot: QtBot) -> None:
    before = narration.book.read_bytes()
    narration.narrate()
    narration.dialog.place.setText(str(narration.book))
    with qtbot.assertNotEmitted(narration.dialog.ordered):
        narration.dialog.export_button.click()
    assert narration.dialog.notice.isVisible()
    assert narration.book.read_bytes() == before
