from pathlib import Path

import pytest

from engine.errors import DamagedDocument, EncryptedDocument
from engine.text.documents.word_file import read
from tests.engine.text.documents.books import book, write_docx, write_word_file


def text_of(tmp_path: Path, body: str) -> str:
    return read(write_word_file(tmp_path / "a.docx", body)).chapters[0].text


def paragraph(runs: str) -> str:
    return f"<w:p>{runs}</w:p>"


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def test_a_book_is_read_with_its_chapters(tmp_path: Path) -> None:
    written = book(3000, 3)
    document = read(write_docx(tmp_path / "a.docx", written))
    assert (document.title, document.author, document.language) == ("The Blue Lantern", "A. Writer", "en-US")
    assert [chapter.title for chapter in document.chapters] == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert document.chapters[2].text == "\n\n".join(["Chapter 3", *written.chapters[2][1]])


def test_deleted_text_notes_and_fields_are_not_read(tmp_path: Path) -> None:
    runs = (
        run("Kept ") + "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>" + f"<w:ins>{run('added')}</w:ins>"
        "<w:r><w:footnoteReference w:id='1'/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r>" + run(" text.")
    )
    assert text_of(tmp_path, paragraph(runs)) == "Kept added text."


def test_tabs_and_breaks_are_spaces_and_lines(tmp_path: Path) -> None:
    assert text_of(tmp_path, paragraph(run("a") + "<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>")) == "a b\nc"


def test_a_table_is_told_shortly(tmp_path: Path) -> None:
    def row(*cells: str) -> str:
        return f"<w:tr>{''.join(f'<w:tc>{paragraph(run(cell))}</w:tc>' for cell in cells)}</w:tr>"

    table = f"<w:tbl>{row('Fruit', 'Price')}{row('Fig', '2')}</w:tbl>"
    assert text_of(tmp_path, paragraph(run("See:")) + table) == "See:\n\nTable: 1 row of Fruit, Price."


def test_content_controls_are_read(tmp_path: Path) -> None:
    controls = f"<w:sdt><w:sdtContent>{paragraph(run('Inside.'))}</w:sdtContent></w:sdt>"
    assert text_of(tmp_path, controls) == "Inside."


def test_a_level_of_the_outline_makes_a_heading(tmp_path: Path) -> None:
    def heading(text: str) -> str:
        return paragraph(f"<w:pPr><w:outlineLvl w:val='0'/></w:pPr>{run(text)}")

    body = heading("One") + paragraph(run("A.")) + heading("Two") + paragraph(run("B."))
    assert [each.title for each in read(write_word_file(tmp_path / "a.docx", body)).chapters] == ["One", "Two"]


def test_one_with_a_password_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512))
    with pytest.raises(EncryptedDocument, match=r"“a\.docx” has a password"):
        read(path)


def test_another_archive_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(b"PK\x05\x06" + bytes(18))
    with pytest.raises(DamagedDocument):
        read(path)
