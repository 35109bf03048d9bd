from pathlib import Path

import pytest

from engine.documents.pdf_file import read
from engine.errors import DamagedDocument, EncryptedDocument, UnusableDocument
from tests.engine.documents.books import Book, PrintedLine, book, write_pages, write_pdf
from tests.engine.documents.pages import shown


@pytest.mark.parametrize("outline", [True, False])
def test_a_book_is_read_as_it_was_written(tmp_path: Path, outline: bool) -> None:
    written = book(12_000, 3)
    document = read(write_pdf(tmp_path / "a.pdf", written, outline=outline))
    assert (document.title, document.author) == ("The Blue Lantern", "A. Writer")
    for chapter, (title, paragraphs) in zip(document.chapters, written.chapters, strict=True):
        assert chapter.title == title
        assert chapter.text == "\n\n".join([title, *paragraphs])
        assert shown(chapter) == [("heading", title)]


def test_a_scan_is_said_to_have_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    made = write_pages(path, [[PrintedLine(" ")]], Book("", "", ()), []).read_bytes()
    path.write_bytes(made.replace(b"() Tj", b"   Tj").replace(b"(1) Tj", b"    Tj"))
    with pytest.raises(UnusableDocument, match="no text"):
        read(path)


def test_a_file_that_is_cut_short_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7\n1 0 obj\n<</Type/Cat")
    with pytest.raises(DamagedDocument, match=r"“a\.pdf” is damaged"):
        read(path)


def test_one_with_a_password_is_said_to_have_one(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "a.pdf", book(2000, 1))
    keys = f"/O<{'11' * 32}>/U<{'22' * 32}>"
    locked = f"/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4{keys}>>/Root".encode()
    head, trailer = path.read_bytes().rsplit(b"trailer", 1)
    path.write_bytes(head + b"trailer" + trailer.replace(b"/Root", locked))
    with pytest.raises(EncryptedDocument, match=r"“a\.pdf” has a password\. Save a copy without a password\."):
        read(path)
