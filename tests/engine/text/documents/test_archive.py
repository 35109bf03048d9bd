import random
import zipfile
from pathlib import Path

import pytest

from engine.errors import DamagedDocument, EncryptedDocument, OversizedDocument
from engine.text.documents import Picture, archive, read_picture
from engine.text.documents.archive import Archive
from engine.text.documents.ebook import read
from engine.text.documents.word_file import read as read_word
from tests.engine.text.documents.books import PICTURE, book, write_epub, write_word_file
from tests.engine.text.documents.pages import CONTAINER, XHTML, package, packed_as, xhtml


def packed(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def test_members_are_read(tmp_path: Path) -> None:
    with Archive(packed(tmp_path / "a.epub", one=b"1", two=b"<a><b/></a>")) as opened:
        assert opened.names == {"one", "two"}
        assert opened.read("one") == b"1"
        assert opened.tree("two").tag == "a"


def test_what_is_no_archive_or_lacks_a_member_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "a.epub").write_bytes(b"PK\x03\x04 but no more")
    with pytest.raises(DamagedDocument, match=r"“a\.epub” is damaged or incomplete"):
        Archive(tmp_path / "a.epub")
    with Archive(packed(tmp_path / "b.epub", one=b"1")) as opened, pytest.raises(DamagedDocument):
        opened.read("two")


def test_a_changed_member_is_damaged(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.epub", one=b"1" * 1000)
    content = bytearray(path.read_bytes())
    content[35] ^= 0xFF
    path.write_bytes(content)
    with Archive(path) as opened, pytest.raises(DamagedDocument):
        opened.read("one")


def test_a_member_with_a_password_is_protected(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.epub", one=b"1")
    path.write_bytes(
        path.read_bytes().replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    )
    with Archive(path) as opened, pytest.raises(EncryptedDocument):
        opened.read("one")


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LARGEST_MEMBER_BYTES", 1_000_000)
    monkeypatch.setattr(archive, "MOST_READ_BYTES", 2_500_000)
    path = packed(tmp_path / "a.epub", one=bytes(1_000_001), two=bytes(900_000))
    with Archive(path) as opened:
        with pytest.raises(OversizedDocument, match="unpacks to more"):
            opened.read("one")
        opened.read("two")
        with pytest.raises(OversizedDocument):
            opened.read("two")


def test_entities_do_not_grow_and_do_not_read_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    content = f'<!DOCTYPE a [<!ENTITY e SYSTEM "file://{secret}"><!ENTITY f "ha">]><a>&e;&f;</a>'.encode()
    with Archive(packed(tmp_path / "a.epub", one=content)) as opened:
        assert "secret" not in "".join(opened.tree("one").itertext())


IMAGE = 'media-type="image/png"'


def picture_book(path: Path) -> Path:
    """A book with a picture on a page, two pages of pictures alone, of which the contents list one, and a cover."""
    pages = {
        "cover.xhtml": "<img src='img/cover.png'/>",
        "c1.xhtml": "<h1>One</h1><p>It begins.</p>",
        "plate.xhtml": "<svg xmlns:xlink='http://www.w3.org/1999/xlink'><image xlink:href='img/plate.png'/></svg>",
        "title.xhtml": "<p id='t'><img src='img/title.png' alt='Two'/></p>",
        "c2.xhtml": "<p>It <img src='img/boat.png' alt='a boat'/> ends.</p>",
        "end.xhtml": "<p><img src='img/end%20.png'/></p>",
    }
    links = "".join(
        f"<li><a href='{file}'>{title}</a></li>" for file, title in (("c1.xhtml", "One"), ("title.xhtml", "Two"))
    )
    items = [(name, XHTML) for name in pages] + [("nav.xhtml", f'{XHTML} properties="nav"')]
    items.append(("img/cover.png", f'{IMAGE} properties="cover-image"'))
    members: dict[str, str | bytes] = {f"OEBPS/{name}": xhtml(body) for name, body in pages.items()}
    members |= {f"OEBPS/img/{name}.png": name.encode() for name in ("cover", "plate", "title", "boat", "end ")}
    members["OEBPS/nav.xhtml"] = xhtml(f"<nav epub:type='toc'><ol>{links}</ol></nav>")
    members["META-INF/container.xml"] = CONTAINER.format("OEBPS/book.opf")
    members["OEBPS/book.opf"] = package(items)
    return packed_as(path, members)


def test_the_pictures_of_a_book_stand_in_its_text_but_for_the_cover(tmp_path: Path) -> None:
    path = picture_book(tmp_path / "a.epub")
    one, two = read(path).chapters
    assert one.pictures == (Picture(len(one.text), "OEBPS/img/plate.png"),)
    assert two.text == "Two\n\nIt a boat ends."
    assert two.pictures == (
        Picture(5, "OEBPS/img/title.png", "Two"),
        Picture(8, "OEBPS/img/boat.png", "a boat"),
        Picture(len(two.text), "OEBPS/img/end .png"),
    )
    found = [read_picture(path, picture.name) for chapter in (one, two) for picture in chapter.pictures]
    assert found == [b"plate", b"title", b"boat", b"end "]


def test_the_pictures_of_a_word_file_stand_in_its_text(tmp_path: Path) -> None:
    names = (
        "xmlns:wp='http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing' "
        "xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main' "
        "xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'"
    )

    def drawing(identifier: str, height: int = 900_000) -> str:
        return (
            f"<w:r><w:drawing {names}><wp:inline><wp:extent cx='900000' cy='{height}'/><wp:docPr descr='A boat'/>"
            f"<a:graphic><a:blip r:embed='{identifier}'/></a:graphic></wp:inline></w:drawing></w:r>"
        )

    def text(said: str) -> str:
        return f"<w:r><w:t xml:space='preserve'>{said}</w:t></w:r>"

    body = (
        f"<w:p>{text('One ')}{drawing('a')}{text('two.')}</w:p><w:p>{drawing('b')}</w:p><w:p>{drawing('line')}</w:p>"
        f"<w:p>{drawing('a', 9525)}{drawing('away')}{text('Three.')}</w:p>"
    )
    targets = {"a": "media/a.png", "b": "/word/media/b.JPEG", "line": "media/line.emf", "away": "http://x.org/a.png"}
    relationships = "".join(f"<R Id='{name}' Type='x/image' Target='{to}'/>" for name, to in targets.items())
    parts: dict[str, str | bytes] = {
        "word/_rels/document.xml.rels": f"<Relationships>{relationships}</Relationships>",
        "word/media/a.png": b"first", "word/media/b.JPEG": b"second", "word/media/line.emf": b"third",
    }  # fmt: skip
    path = write_word_file(tmp_path / "a.docx", body, parts=parts)
    (chapter,) = read_word(path).chapters
    assert chapter.text == "One two.\n\nThree."
    assert chapter.pictures == (Picture(4, "word/media/a.png", "A boat"), Picture(8, "word/media/b.JPEG", "A boat"))
    assert [read_picture(path, each.name) for each in chapter.pictures] == [b"first", b"second"]


def test_the_picture_of_a_page_is_in_its_folder(tmp_path: Path) -> None:
    page = tmp_path / "page" / "a.html"
    page.parent.mkdir()
    for file in (tmp_path / "outside.png", page.parent / "a.png", page.parent / "a.txt"):
        file.write_bytes(file.name.encode())
    (page.parent / "link.png").symlink_to(tmp_path / "outside.png")
    assert read_picture(page, "a.png") == b"a.png"
    for name in ("../outside.png", "link.png", "a.txt", "b.png", "", ".", str(tmp_path / "outside.png"), "a\0.png"):
        assert read_picture(page, name) is None


@pytest.mark.parametrize("name", ["none.png", "", "../OEBPS/cover.png", "a\0"])
def test_a_picture_that_is_not_in_a_book_is_none(tmp_path: Path, name: str) -> None:
    assert read_picture(write_epub(tmp_path / "a.epub", book(1000, 1)), name) is None


def test_a_picture_that_is_too_large_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_epub(tmp_path / "a.epub", book(1000, 1))
    (tmp_path / "a.png").write_bytes(PICTURE)
    for largest, found in ((len(PICTURE), PICTURE), (len(PICTURE) - 1, None)):
        monkeypatch.setattr(archive, "LARGEST_PICTURE_BYTES", largest)
        assert read_picture(path, "OEBPS/cover.png") == found
        assert read_picture(tmp_path / "a.html", "a.png") == found


@pytest.mark.parametrize("name", ["none.epub", "a.pdf", "a.txt", "a.doc", "none.html"])
def test_what_has_no_pictures_has_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    assert read_picture(tmp_path / name, "a.png") is None


def test_a_damaged_file_has_no_pictures(tmp_path: Path) -> None:
    content = bytearray(picture_book(tmp_path / "a.epub").read_bytes())
    path, chance = tmp_path / "b.epub", random.Random(1)
    for _ in range(400):
        damaged = bytearray(content)
        for _ in range(chance.randint(1, 20)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged[: chance.choice([len(damaged), chance.randrange(len(damaged))])])
        assert read_picture(path, "OEBPS/img/plate.png") in (b"plate", None)
