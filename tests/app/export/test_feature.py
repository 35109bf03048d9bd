from collections.abc import Iterator
from pathlib import Path

import pytest
from mutagen.mp4 import MP4
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.export.dialog import ExportDialog
from app.export.feature import ExportFeature
from engine.documents import Chapter, Document
from engine.errors import InvalidRequest
from tests.app.test_main_window import Desk
from tests.patience import PATIENCE_MS

BOOK = Document("Book", "A. Writer", "en", (Chapter("One", "A. B."), Chapter("Two", "C. D. E.")))


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr("engine.export.made_parts.cache_folder", lambda: tmp_path / "cache")
    desk = Desk(qtbot, qapp, tmp_path)
    yield desk
    assert desk.controller.shut_down(PATIENCE_MS)
    desk.theme.deleteLater()


def test_it_can_be_chosen_once_there_is_a_voice(desk: Desk) -> None:
    ExportFeature(desk.window, desk.controller, desk.settings)
    assert not desk.window.menu.export.isEnabled()
    desk.prepare()
    assert desk.window.menu.export.isEnabled()


def test_a_document_is_exported_with_all_its_chapters(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    desk.prepare()
    feature = ExportFeature(desk.window, desk.controller, desk.settings, lambda: BOOK)
    dialog = feature.open()
    assert isinstance(dialog, ExportDialog)
    dialog.export_button.click()
    assert desk.page.save_strip.label.text().startswith("Saving Book.m4b")
    qtbot.waitUntil(lambda: not desk.controller.activity.saving)
    assert [chapter.title for chapter in MP4(tmp_path / "Book.m4b").chapters] == ["One", "Two"]
    assert desk.page.status.label.text() == f"Saved Book.m4b in {tmp_path}"


def test_it_says_so_if_no_chapter_is_wanted(desk: Desk) -> None:
    def document() -> Document:
        raise InvalidRequest("No chapter is ticked.", "Tick some.")

    desk.prepare()
    assert ExportFeature(desk.window, desk.controller, desk.settings, document).open() is None
    assert desk.page.banner.label.text() == "No chapter is ticked. Tick some."


def test_how_much_is_left_out_is_told(desk: Desk) -> None:
    desk.prepare()
    dialog = ExportFeature(desk.window, desk.controller, desk.settings, lambda: BOOK, lambda: 1).open()
    assert isinstance(dialog, ExportDialog)
    assert dialog.summary.text().startswith("2 of 3 chapters, ")
    dialog.close()


def test_without_a_document_the_text_is_exported(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    desk.prepare()
    (tmp_path / "other").mkdir()
    dialog = ExportFeature(desk.window, desk.controller, desk.settings).open()
    assert isinstance(dialog, ExportDialog)
    dialog.place.setText(str(tmp_path / "other" / "text.wav"))
    dialog.export_button.click()
    qtbot.waitUntil(lambda: (tmp_path / "other" / "text.wav").exists())
    assert desk.settings.save_folder == tmp_path / "other"


def test_nothing_is_exported_from_an_empty_window(desk: Desk) -> None:
    desk.prepare()
    desk.page.editor.set_text("  ")
    assert ExportFeature(desk.window, desk.controller, desk.settings).open() is None
    assert "nothing to export" in desk.page.banner.label.text()


def test_saving_can_be_stopped_from_the_menu(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    desk.prepare()
    feature = ExportFeature(desk.window, desk.controller, desk.settings, lambda: BOOK)
    stop = desk.window.menu.stop_saving
    assert not stop.isEnabled()
    desk.engine.hold.clear()
    dialog = feature.open()
    assert isinstance(dialog, ExportDialog)
    dialog.export_button.click()
    assert stop.isEnabled()
    stop.trigger()
    assert not stop.isEnabled()
    desk.engine.hold.set()
    desk.window.save_to(tmp_path / "next.wav")
    qtbot.waitUntil(lambda: not desk.controller.activity.saving)
    assert not (tmp_path / "Book.m4b").exists()
