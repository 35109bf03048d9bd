from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.export.cover_choice import SIDE_PIXELS
from app.export.dialog import ExportDialog
from engine.documents import Chapter, Document
from engine.export.order import Order
from engine.speech import SpeechRequest
from engine.subtitles.formats import FORMATS

MANNER = SpeechRequest("", "af_heart", 1.2)
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


@pytest.fixture
def dialog(qtbot: QtBot, tmp_path: Path) -> ExportDialog:
    dialog = ExportDialog(book(), MANNER, tmp_path)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def ordered(dialog: ExportDialog, qtbot: QtBot) -> Order:
    with qtbot.waitSignal(dialog.ordered) as signal:
        dialog.export_button.click()
    order: Order = signal.args[0]
    return order


def test_a_book_is_offered_as_an_audio_book_of_its_own_name(dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    assert dialog.summary.text() == "2 chapters, 15 characters"
    assert ordered(dialog, qtbot) == Order(book(), MANNER, tmp_path / "A Book.m4b")
    assert not dialog.isVisible()


def test_it_tells_how_much_of_the_book_is_exported(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = ExportDialog(book(), MANNER, tmp_path, left_out=3)
    qtbot.addWidget(dialog)
    assert dialog.summary.text() == "2 of 5 chapters, 15 characters"


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
    dialog.title.setText(" Another ")
    dialog.author.setText("Nobody")
    order = ordered(dialog, qtbot)
    assert (order.path, order.result) == (tmp_path / "A Book.opus", tmp_path / "A Book")
    assert (order.document.title, order.document.author, order.document.cover) == ("Another", "Nobody", None)
    assert order.chapters == book().chapters


def test_subtitles_go_beside_the_sound(dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    assert [dialog.subtitles.itemData(row) or None for row in range(dialog.subtitles.count())] == [None, *FORMATS]
    dialog.subtitles.setCurrentIndex(dialog.subtitles.findData(".vtt"))
    assert ordered(dialog, qtbot).subtitles == tmp_path / "A Book.vtt"


def test_a_text_of_one_chapter_has_no_files_of_chapters(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = ExportDialog(Document("", "", "", (Chapter("", "Good morning, all of you."),)), MANNER, tmp_path)
    qtbot.addWidget(dialog)
    assert not dialog.per_chapter.isEnabled()
    assert dialog.order.path == tmp_path / "Good morning all of you.mp3"


def test_only_an_audio_book_has_a_cover(dialog: ExportDialog) -> None:
    assert dialog.cover.isEnabled()
    dialog.formats.setCurrentIndex(dialog.formats.findData(".flac"))
    assert not dialog.cover.isEnabled()
    assert dialog.cover.toolTip()


def test_what_is_there_already_is_told(dialog: ExportDialog, tmp_path: Path) -> None:
    (tmp_path / "there.m4b").touch()
    (tmp_path / "there").mkdir()
    assert not dialog.notice.isVisible()
    dialog.place.setText(str(tmp_path / "there.m4b"))
    assert dialog.notice.text() == "“there.m4b” is there already and will be replaced."
    dialog.per_chapter.setChecked(True)
    assert dialog.notice.text().startswith("The folder “there” is there already")
    dialog.place.setText(str(tmp_path / "new.m4b"))
    assert not dialog.notice.isVisible()


@pytest.mark.parametrize(("name", "words"), [("a.txt", "cannot be written as .txt"), ("none/a.m4b", "does not exist")])
def test_a_place_that_cannot_be_written_is_told_and_the_dialog_stays(
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
        ("", "The file has no name."),
        ("/", "The file has no name."),
        ("~nobodys/x.mp3", "no home folder “~nobodys”"),
    ],
)
def test_a_name_that_is_none_is_told_and_the_dialog_stays(dialog: ExportDialog, name: str, sentence: str) -> None:
    dialog.subtitles.setCurrentIndex(1)
    dialog.place.setText(name)
    dialog.formats.setCurrentIndex(dialog.formats.findData(".flac"))
    dialog.export_button.click()
    assert sentence in dialog.notice.text()
    assert dialog.isVisible()


def test_a_name_that_is_too_long_for_the_system_is_no_obstacle_to_typing_on(dialog: ExportDialog) -> None:
    dialog.place.setText(f"{'a' * 300}.mp3")
    assert not dialog.notice.isVisible()


def test_a_number_at_the_end_of_a_name_is_no_format(dialog: ExportDialog, tmp_path: Path) -> None:
    dialog.place.setText(str(tmp_path / "Volume 1.5"))
    dialog.formats.setCurrentIndex(dialog.formats.findData(".flac"))
    assert dialog.path == tmp_path / "Volume 1.5.flac"


def test_every_choice_has_a_name_for_screen_readers(dialog: ExportDialog) -> None:
    for widget in (dialog.choose_button, dialog.cover.choose_button, dialog.cover.remove_button):
        assert widget.accessibleName()
    labels = {label.buddy() for label in dialog.findChildren(QWidget) if hasattr(label, "buddy")}
    assert {dialog.formats, dialog.title, dialog.author, dialog.subtitles, dialog.place} <= labels


def test_a_long_name_makes_the_dialog_no_wider(dialog: ExportDialog, tmp_path: Path) -> None:
    width = dialog.minimumSizeHint().width()
    there = tmp_path / f"{'n' * 200}.m4b"
    there.touch()
    dialog.place.setText(str(there))
    assert dialog.minimumSizeHint().width() == width
    assert there.name in dialog.notice.toolTip()


def test_a_notice_of_two_lines_leaves_the_cover_whole(dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    dialog.resize(dialog.sizeHint())
    (tmp_path / TALES).mkdir()
    dialog.per_chapter.setChecked(True)
    dialog.place.setText(str(tmp_path / f"{TALES}.mp3"))
    assert dialog.notice.heightForWidth(dialog.notice.width()) >= 2 * dialog.notice.fontMetrics().height()
    qtbot.waitUntil(lambda: dialog.notice.height() == dialog.notice.heightForWidth(dialog.notice.width()))
    assert dialog.cover.height() >= SIDE_PIXELS
