from pathlib import Path

import pytest

from engine.documents.reading import LARGEST_FILE_BYTES, LARGEST_TEXT_BYTES, SUFFIXES, largest_bytes, reader_of
from engine.errors import UnusableDocument


def test_the_suffix_says_what_reads_a_file() -> None:
    assert {".txt", ".md", ".html", ".docx", ".epub", ".pdf"} < set(SUFFIXES)
    assert reader_of(Path("A.EPUB")) == "ebook"
    assert reader_of(Path("README")) == reader_of(Path("a.log")) == "plain_text"


@pytest.mark.parametrize("name", ["a.doc", "b.mobi", "c.JPG"])
def test_other_kinds_are_refused_with_what_to_do(name: str) -> None:
    with pytest.raises(UnusableDocument, match=rf"“{name}” is of a kind that cannot be read\. Save it as"):
        reader_of(Path(name))


def test_texts_are_smaller_than_books_with_pictures() -> None:
    assert largest_bytes(Path("a.md")) == LARGEST_TEXT_BYTES < largest_bytes(Path("a.pdf")) == LARGEST_FILE_BYTES
