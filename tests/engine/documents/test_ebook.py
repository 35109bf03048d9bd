import zipfile
from pathlib import Path

import pytest

from engine.documents.ebook import read
from engine.errors import EncryptedDocument
from tests.engine.documents.books import PICTURE, book, write_epub
from tests.engine.documents.pages import shown


def changed(path: Path, **members: str) -> Path:
    """The book with members replaced or added; the name of a member has no folder and no suffix."""
    with zipfile.ZipFile(path) as old:
        content = {name: old.read(name) for name in old.namelist()}
    for short, text in members.items():
        name = next((name for name in content if Path(name).stem == short), f"META-INF/{short}.xml")
        content[name] = text.encode()
    with zipfile.ZipFile(path, "w") as new:
        for name, value in content.items():
            new.writestr(name, value)
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_epub(tmp_path / "a.epub", book(3000, 3))


def test_a_book_is_read_with_its_chapters_and_cover(path: Path) -> None:
    document, written = read(path), book(3000, 3)
    assert (document.title, document.author, document.language) == ("The Blue Lantern", "A. Writer", "en-GB")
    assert document.cover == PICTURE
    assert [chapter.title for chapter in document.chapters] == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert document.chapters[1].text == "\n\n".join(["Chapter 2", *written.chapters[1][1]])


def test_a_cover_may_be_a_drawing(path: Path) -> None:
    with zipfile.ZipFile(path) as file:
        package = file.read("OEBPS/book.opf").decode()
    assert read(changed(path, book=package.replace("image/png", "image/svg+xml"))).cover == PICTURE


def test_chapters_may_begin_inside_a_page(path: Path) -> None:
    changed(
        path,
        nav="<nav epub:type='toc'><ol><li><a href='c1.xhtml#x'>First</a><li><a href='c1.xhtml#y'>Second</a></ol></nav>",
        c1="<p id='x'>First</p><p>It begins.</p><h2 id='y'>II</h2><h3>Second</h3><p>It ends.</p>",
        c2="", c3="",
    )  # fmt: skip
    chapters = read(path).chapters
    assert [(each.title, each.text) for each in chapters] == [
        ("First", "First\n\nIt begins.\n\nII"),
        ("Second", "Second\n\nIt ends."),
    ]
    assert [shown(chapter) for chapter in chapters] == [
        [("heading", "First"), ("heading", "II")], [("heading", "Second")],
    ]  # fmt: skip


def test_the_older_table_of_contents_is_read(path: Path) -> None:
    point = "<navPoint><navLabel><text>{0}</text></navLabel><content src='{1}.xhtml'/></navPoint>"
    points = point.format("Erst", "c1") + point.format("Dann", "c3")
    package = zipfile.ZipFile(path).read("OEBPS/book.opf").decode()
    older = package.replace('properties="nav"', "").replace("<spine>", '<spine toc="nav">')
    changed(path, book=older, nav=f"<ncx xmlns='http://www.daisy.org/z3986/2005/ncx/'><navMap>{points}</navMap></ncx>")
    chapters = read(path).chapters
    assert [chapter.title for chapter in chapters] == ["Erst", "Dann"]
    assert "Chapter 2" in chapters[0].text


def test_without_contents_and_headings_each_page_is_a_chapter(path: Path) -> None:
    changed(path, nav="<p>none</p>", c1="<p>One.</p>", c2="<p>Two.</p>", c3="<p><img src='x.png'/></p>")
    assert [chapter.text for chapter in read(path).chapters] == ["Chapter 1\n\nOne.", "Chapter 2\n\nTwo."]


def encryption(method: str) -> str:
    return f"<encryption><EncryptedData><EncryptionMethod Algorithm='{method}'/></EncryptedData></encryption>"


def test_a_protected_book_is_said_to_be(path: Path) -> None:
    changed(path, encryption=encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc"))
    with pytest.raises(EncryptedDocument, match="protected against copying"):
        read(path)


def test_a_book_of_which_only_fonts_are_obfuscated_is_read(path: Path) -> None:
    changed(path, encryption=encryption("http://www.idpf.org/2008/embedding"))
    assert len(read(path).chapters) == 3
