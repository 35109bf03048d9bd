"""Books of 40 chapters, read from files of each kind, become audio books of 40 chapters; one has 500,000 characters."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mutagen.mp4 import MP4

from engine.documents import read_document
from tests.engine.documents import books
from tests.engine.export.books import FastSpeaker, order_of, run

CHAPTERS = 40


@pytest.mark.parametrize(
    ("name", "write", "characters"),
    [
        ("book.epub", books.write_epub, 500_000),
        ("book.docx", books.write_docx, 50_000),
        ("book.pdf", books.write_pdf, 50_000),
    ],
)
def test_a_foreign_reader_lists_every_chapter(
    name: str, write: Callable[[Path, books.Book], Path], characters: int, tmp_path: Path
) -> None:
    document = read_document(write(tmp_path / name, books.book(characters, CHAPTERS)))
    assert document.characters >= 0.98 * characters
    run(order_of(document, tmp_path / "book.m4b"), FastSpeaker(samples_per_character=20))
    read = MP4(tmp_path / "book.m4b")
    assert [chapter.title for chapter in read.chapters] == [f"Chapter {number}" for number in range(1, CHAPTERS + 1)]
    assert (read["\xa9nam"], read["\xa9ART"]) == (["The Blue Lantern"], ["A. Writer"])
