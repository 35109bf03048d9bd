"""Books of 500,000 characters and 40 chapters, read from files of each kind, become audio books of 40 chapters."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mutagen.mp4 import MP4

from engine.documents import read_document
from tests.engine.documents import books
from tests.engine.export.books import FastSpeaker, order_of, run

CHAPTERS = 40


@pytest.mark.parametrize(
    ("name", "write"),
    [("book.epub", books.write_epub), ("book.docx", books.write_docx), ("book.pdf", books.write_pdf)],
)
def test_a_foreign_reader_lists_every_chapter(
    name: str, write: Callable[[Path, books.Book], Path], tmp_path: Path
) -> None:
    document = read_document(write(tmp_path / name, books.book(500_000, CHAPTERS)))
    assert document.characters >= 490_000
    run(order_of(document, tmp_path / "book.m4b"), FastSpeaker(samples_per_character=20))
    read = MP4(tmp_path / "book.m4b")
    assert [chapter.title for chapter in read.chapters] == [f"Chapter {number}" for number in range(1, CHAPTERS + 1)]
    assert (read["\xa9nam"], read["\xa9ART"]) == (["The Blue Lantern"], ["A. Writer"])
