import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.reading.opener import LARGEST_COVER, DocumentOpener, read_opened
from engine.errors import Cancelled, DamagedDocument
from engine.text.documents import Document
from tests.app.reading.documents import DOCUMENT, read
from tests.patience import PATIENCE_MS, PATIENCE_SECONDS


def wait_until_cancelled(path: Path, cancel: threading.Event) -> Document:
    assert cancel.wait(PATIENCE_SECONDS)
    raise Cancelled("It was stopped.")


def test_a_document_is_opened_in_the_background(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    opener = DocumentOpener(read=read)
    with qtbot.waitSignal(opener.opened) as told:
        opener.open(tmp_path / "a.txt")
        assert opener.busy
    assert not opener.busy
    (opened,) = told.args
    assert (opened.path, opened.document) == (tmp_path / "a.txt", DOCUMENT)
    assert opened.digest.startswith("ca978112")


DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 30"><rect width="20" height="30"/></svg>'


@pytest.mark.parametrize(("cover", "size"), [(DRAWING, LARGEST_COVER), (b"<svg", None), (b"no picture", None)])
def test_a_cover_that_is_drawn_becomes_a_picture(tmp_path: Path, cover: bytes, size: QSize | None) -> None:
    (tmp_path / "a.epub").write_text("a")
    opened = read_opened(lambda *_: replace(DOCUMENT, cover=cover), tmp_path / "a.epub", threading.Event())
    found = opened.document.cover
    assert (QImage.fromData(found).size() if found is not None else None) == size


def test_a_failure_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    def fail(path: Path, cancel: threading.Event) -> Document:
        raise DamagedDocument("It is damaged.", "Get it again.")

    opener = DocumentOpener(read=fail)
    with qtbot.waitSignal(opener.failed) as told:
        opener.open(tmp_path / "a.txt")
    assert isinstance(told.args[0], DamagedDocument)
    assert not opener.busy


def test_what_is_cancelled_is_neither_opened_nor_a_failure(qtbot: QtBot, tmp_path: Path) -> None:
    opener, told = DocumentOpener(read=wait_until_cancelled), []
    opener.opened.connect(told.append)
    opener.failed.connect(told.append)
    opener.open(tmp_path / "a.txt")
    opener.cancel()
    assert not opener.busy
    assert opener.shut_down(PATIENCE_MS)
    qtbot.wait_for_timers()
    assert not told


def test_the_latest_document_wins(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("b")

    def slow_first(path: Path, cancel: threading.Event) -> Document:
        return wait_until_cancelled(path, cancel) if path.name == "a.txt" else DOCUMENT

    opener = DocumentOpener(read=slow_first)
    opener.open(tmp_path / "a.txt")
    with qtbot.waitSignal(opener.opened) as told:
        opener.open(tmp_path / "b.txt")
    assert told.args[0].path.name == "b.txt"
