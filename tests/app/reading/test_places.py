import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.reading.opener import MAX_COVER_BYTES, DocumentOpener, read_opened
from app.reading.places import (
    MAX_DOCUMENTS,
    MAX_TEXTS,
    Bookmark,
    LibraryBook,
    ReadingPosition,
    ReadingPositions,
    nearest,
    words_at,
)
from engine.errors import Canceled, DamagedDocument
from engine.text.documents import Chapter, Document
from tests.app.reading import documents as books
from tests.app.reading.documents import DOCUMENT, read
from tests.patience import PATIENCE_MS, PATIENCE_SECONDS

BOOK = Path("/books/a.epub")
LIBRARY_BOOK = LibraryBook(BOOK, "digest", "A Book", "Somebody", 0.25, 4000)
PLACE = ReadingPosition(3, 120, frozenset({0, 2}), frozenset({1}))


def test_a_place_comes_back_after_a_restart(tmp_path: Path) -> None:
    ReadingPositions(tmp_path / "p.json").store_position(LIBRARY_BOOK, PLACE)
    assert ReadingPositions(tmp_path / "p.json").of(BOOK, "digest") == PLACE


def test_a_document_that_was_moved_or_changed_keeps_its_place(tmp_path: Path) -> None:
    places = ReadingPositions(tmp_path / "p.json")
    places.store_position(LIBRARY_BOOK, PLACE)
    assert places.of(Path("/elsewhere/b.epub"), "digest") == PLACE
    assert places.of(BOOK, "other") == PLACE
    assert places.of(Path("/elsewhere/b.epub"), "other") == ReadingPosition()


def test_places_that_an_earlier_version_has_written_are_known(tmp_path: Path) -> None:
    entry = {"path": str(BOOK), "digest": "digest", "chapter": 3, "character": 120, "heard": [0, 2]}
    (tmp_path / "p.json").write_text(json.dumps([entry]))
    assert ReadingPositions(tmp_path / "p.json").of(BOOK, "digest") == ReadingPosition(3, 120, frozenset({0, 2}))


def test_chapters_to_read_are_the_defaults_with_the_users_changes() -> None:
    document = books.BOOK
    assert ReadingPosition().chosen(document) == document.default_chapters == (1, 3, 4)
    assert ReadingPosition(otherwise=frozenset({0, 3, 99})).chosen(document) == (0, 1, 4)


def test_the_oldest_positions_beyond_the_limit_are_dropped(tmp_path: Path) -> None:
    places = ReadingPositions(tmp_path / "p.json")
    for number in range(MAX_DOCUMENTS + 1):
        places.store_position(LibraryBook(Path(f"/{number}"), str(number)), PLACE)
    assert ReadingPositions(tmp_path / "p.json").of(Path("/0"), "0") == ReadingPosition()
    assert ReadingPositions(tmp_path / "p.json").of(Path("/1"), "1") == PLACE


@pytest.mark.parametrize(
    "content",
    [
        b"\xff",
        b"{}",
        b"[{}]",
        b'[{"path":"","digest":"","chapter":-1,"character":0,"heard":[]}]',
        b'[{"path":"","digest":"","chapter":1,"character":0,"heard":[],"otherwise":["x"]}]',
        b'[{"path":"","digest":"","chapter":1,"character":0,"heard":[],"otherwise":null}]',
        b'[{"path":"","digest":"","chapter":1,"character":0,"heard":[],"bookmarks":[3]}]',
        b'[{"path":"","digest":"","chapter":1,"character":0,"heard":[],"words":null}]',
    ],
)
def test_a_damaged_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p.json").write_bytes(content)
    places = ReadingPositions(tmp_path / "p.json")
    assert places.of(BOOK, "digest") == ReadingPosition()
    places.store_position(LIBRARY_BOOK, PLACE)
    assert (tmp_path / "p.damaged").read_bytes() == content


def test_a_place_that_cannot_be_written_is_known_until_the_end(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    places = ReadingPositions(tmp_path / "file" / "p.json")
    places.store_position(LIBRARY_BOOK, PLACE)
    assert places.of(BOOK, "digest") == PLACE


def chapters(*texts: str) -> Document:
    return Document("A Book", "", "en", tuple(Chapter("", text) for text in texts))


WHALE = "Call me Ishmael. Some years ago I went to sea. The whale was white."


@pytest.mark.parametrize(
    ("texts", "there"),
    [
        ((WHALE, "Next."), (0, WHALE.index("Some"))),
        (("A new preface.\n\n" + WHALE, "Next."), (0, 16 + WHALE.index("Some"))),
        (("A new chapter.", WHALE), (1, WHALE.index("Some"))),
        (("Some other text.",), (0, 16)),
        (("", "Next."), (0, 0)),
    ],
)
def test_a_position_is_found_by_its_words_in_a_changed_document(texts: tuple[str, ...], there: tuple) -> None:
    character = WHALE.index("Some")
    words = words_at(WHALE, character)
    place = ReadingPosition(0, character, words=words, bookmarks=(Bookmark(0, character, words),)).in_document(
        chapters(*texts)
    )
    assert (place.chapter, place.character) == there
    assert [(each.chapter, each.character) for each in place.bookmarks] == [there]


def test_of_words_that_come_several_times_the_nearest_are_meant() -> None:
    text = "Again. " * 100
    assert ReadingPosition(0, 351, words="Again.").in_document(chapters(text)).character == 350
    assert nearest(text, "Never", 3) is None


def test_books_are_on_the_shelf_with_the_latest_first(tmp_path: Path) -> None:
    places = ReadingPositions(tmp_path / "p.json")
    other = LibraryBook(Path("/b.epub"), "other", "Other")
    places.store_position(LIBRARY_BOOK, PLACE)
    places.store_position(other, PLACE)
    assert ReadingPositions(tmp_path / "p.json").shelf == (other, LIBRARY_BOOK)
    places.store_position(LIBRARY_BOOK, PLACE)
    assert places.shelf == (LIBRARY_BOOK, other)
    places.remove(LIBRARY_BOOK)
    assert ReadingPositions(tmp_path / "p.json").shelf == (other,)
    assert ReadingPositions(tmp_path / "p.json").of(BOOK, "digest") == PLACE


def test_a_text_of_ones_own_that_comes_again_has_its_place(tmp_path: Path) -> None:
    places = ReadingPositions(tmp_path / "p.json")
    places.store_position(LIBRARY_BOOK, PLACE)
    places.keep_in_text(WHALE, 16)
    again = ReadingPositions(tmp_path / "p.json")
    assert again.in_text(WHALE) == 16
    assert again.in_text(f"{WHALE} And more.") == 16
    assert again.in_text(WHALE.replace("Some", "Many")) == 0
    assert again.in_text("A new text.") == 0
    assert again.shelf == (LIBRARY_BOOK,)


def test_only_the_last_texts_have_their_places(tmp_path: Path) -> None:
    places = ReadingPositions(tmp_path / "p.json")
    places.store_position(LIBRARY_BOOK, PLACE)
    for number in range(MAX_TEXTS + 1):
        places.keep_in_text(f"Text {number}. It goes on.", 8)
    assert [ReadingPositions(tmp_path / "p.json").in_text(f"Text {number}. It goes on.") for number in (0, 1)] == [0, 8]
    assert places.of(BOOK, "digest") == PLACE


def wait_until_canceled(path: Path, cancel: threading.Event) -> Document:
    assert cancel.wait(PATIENCE_SECONDS)
    raise Canceled("Stopped")


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


@pytest.mark.parametrize(("cover", "size"), [(DRAWING, MAX_COVER_BYTES), (b"<svg", None), (b"no picture", None)])
def test_a_cover_that_is_drawn_becomes_a_picture(tmp_path: Path, cover: bytes, size: QSize | None) -> None:
    (tmp_path / "a.epub").write_text("a")
    opened = read_opened(lambda *_: replace(DOCUMENT, cover=cover), tmp_path / "a.epub", threading.Event())
    found = opened.document.cover
    assert (QImage.fromData(found).size() if found is not None else None) == size


def test_a_failure_is_reported(qtbot: QtBot, tmp_path: Path) -> None:
    def fail(path: Path, cancel: threading.Event) -> Document:
        raise DamagedDocument("It is damaged.", "Get it again.")

    opener = DocumentOpener(read=fail)
    with qtbot.waitSignal(opener.failed) as told:
        opener.open(tmp_path / "a.txt")
    assert isinstance(told.args[0], DamagedDocument)
    assert not opener.busy


def test_a_canceled_document_neither_opens_nor_fails(qtbot: QtBot, tmp_path: Path) -> None:
    opener, told = DocumentOpener(read=wait_until_canceled), []
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
        return wait_until_canceled(path, cancel) if path.name == "a.txt" else DOCUMENT

    opener = DocumentOpener(read=slow_first)
    opener.open(tmp_path / "a.txt")
    with qtbot.waitSignal(opener.opened) as told:
        opener.open(tmp_path / "b.txt")
    assert told.args[0].path.name == "b.txt"
