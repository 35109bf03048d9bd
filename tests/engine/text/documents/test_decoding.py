import random
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DamagedDocument, EncryptedDocument, OversizedDocument
from engine.text.documents import Picture, archive, read_picture
from engine.text.documents.archive import Archive
from engine.text.documents.decoding import decoded, likelihood, unusual_characters
from engine.text.documents.ebook import read
from engine.text.documents.word_file import read as read_word
from tests.engine.text.documents.books import PICTURE, book, write_epub, write_word_file
from tests.engine.text.documents.pages import CONTAINER, XHTML, package, packed_as, xhtml
from tests.shared_inputs import real_text

SENTENCES = {
    "C’était un été très chaud à la plage.": ["cp1252", "mac_roman"],
    "Il a mangé.": ["cp1252", "mac_roman", "cp850"],
    "Die Bäume sind grün, die Straße ist schön.": ["cp1252", "mac_roman", "cp850"],
    "“It’s late,” she said—and the café was closed…": ["cp1252", "mac_roman"],
    "It’s late.": ["cp1252", "mac_roman"],
    "It cost £5 at the café.": ["cp1252", "mac_roman"],
    "El niño comió más en el jardín. ¿Qué pasó?": ["cp1252", "mac_roman", "cp850"],
    "Zażółć gęślą jaźń. Był wieczór.": ["cp1250", "iso8859_2", "cp852", "mac_latin2"],
    "Šel jsem domů. Ženy čekaly na vlak.": ["cp1250", "iso8859_2"],
    "Az őszi eső hűvös volt.": ["cp1250", "iso8859_2"],
    "Он пришёл домой поздно вечером и лёг спать.": ["cp1251", "koi8_r", "cp866", "mac_cyrillic", "iso8859_5"],
    "Привет, мир!": ["cp1251", "koi8_r", "cp866", "iso8859_5"],
    "Він прийшов додому пізно ввечері.": ["cp1251", "koi8_u"],
    "Ο γέρος κατέβηκε στο λιμάνι νωρίς.": ["cp1253", "iso8859_7"],
    "Yaşlı adam limana gitti. Güneş doğdu, hava ılıktı.": ["cp1254"],
    "Žmogus ėjo į mišką ieškoti grybų.": ["cp1257"],
    "他早上去了港口。天气很好。": ["gbk"],
    "你好，世界": ["gbk"],
    "他早上去了港口。天氣很好，沒有風。": ["big5"],
    "昨日は雨が降った。彼は家にいた。": ["cp932", "euc_jp"],
    "こんにちは": ["cp932", "euc_jp"],
    "오늘은 날씨가 좋다. 바람이 없다.": ["cp949"],
    "שלום עולם, היום יום יפה.": ["cp1255"],
    "ذهب الرجل إلى الميناء في الصباح.": ["cp1256"],
    "Good morning.\nIt is late.": ["utf_16_le", "utf_16_be"],
    "Été à Paris, “oui”.": ["utf_16_le", "utf_16_be"],
    "他早上去了港口。\n天气很好。\n": ["utf_16_le", "utf_16_be"],
}
CASES = {
    "t02_gbk.txt": ("第一章 清晨", "GBK"),
    "t02c_sjis.txt": ("朝の港は静かだった。", "Shift_JIS"),
    "t02d_eucjp.txt": ("朝の港は静かだった。", "EUC-JP"),
    "t02e_big5.txt": ("早上的港口很安靜，船都停在那裡。", "Big5"),
    "t02f_cp1251.txt": ("Утром море было спокойным. Лодки стояли неподвижно.", "Windows-1251"),
    "t02g_onebad.txt": ("“Good morning,” she said—naïvely—at the café.\n\nIt’s late. \ufffd End.", "in line 3"),
    "t02h_truncated.txt": ("“Good morning,” she said—naïvely. It’s late at the caf\ufffd", "in line 1"),
    "t02i_utf16_nobom.txt": ("Good morning. It is late.\n", "UTF-16"),
    "t02j_iso8859_2.txt": ("Dvořák přišel do Brna. Příliš žluťoučký kůň.", "ISO 8859-2"),
    "t02k_mac.txt": ("“It’s late,” she said at the café…", "Mac OS Roman"),
    "t08_onebad_nod.txt": ("It’s late—naïvely—at the café.\n\nMore text here. \ufffd End.", "in line 3"),
    "t08b_onebad_quote.txt": ("“It’s late.”\n\nCaf\ufffd", "in line 7"),
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_text_that_declares_its_encoding_is_read_without_notice(encoding):
    found = decoded("“Café”\r\nund Öl\rdanach".encode(encoding), "a.txt")
    assert (found.text, found.notices) == ("“Café”\nund Öl\ndanach", ())


@pytest.mark.parametrize(
    ("text", "encoding"), [(text, encoding) for text, encodings in SENTENCES.items() for encoding in encodings]
)
def test_a_sentence_is_enough_to_guess_the_encoding(text, encoding):
    found = decoded(text.encode(encoding), "a.txt")
    assert found.text == text
    assert len(found.notices) == 1
    assert "a.txt" in found.notices[0]


@pytest.mark.parametrize("name", CASES)
def test_real_texts_are_decoded(name):
    words, noticed = CASES[name]
    found = decoded(real_text(name).read_bytes(), name)
    assert words in found.text
    assert len(found.notices) == 1
    assert noticed in found.notices[0]


@given(st.integers(0, 200), st.sampled_from([b"\x92", b"\xff", b"\xe2\x80", b"\xc3"]))
def test_utf8_with_one_wrong_byte_is_utf8(place, wrong):
    lines = ["“Good morning,” she said—naïvely.", "", "It’s late at the café.", "Où est-il allé ?"] * 3
    before, after = "\n".join(lines)[:place], "\n".join(lines)[place:]
    found = decoded(before.encode() + wrong + b" " + after.encode(), "a.txt")
    assert found.text == f"{before}\ufffd {after}"
    assert f"in line {before.count(chr(10)) + 1}." in found.notices[0]


def test_wrong_bytes_are_one_notice_with_their_number_and_the_first_place():
    (notice,) = decoded("“Été”\n".encode() * 9 + b"a \xff b\n" * 3, "a.txt").notices
    assert "3" in notice
    assert "line 10" in notice


def test_a_replacement_that_was_written_so_is_none():
    assert decoded("a \ufffd b “c”".encode(), "a.txt").notices == ()


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00", b"\xff\xfe\x00", bytes(range(256)), b"PK\x03\x04\x14\x00\x08" * 9,
        bytes(range(128, 256)) * 8 + bytes(range(32)) * 3, b"\x7fELF\x02\x01\x01\x00" + bytes(64),
    ],
)  # fmt: skip
def test_non_text_content_is_reported(content):
    with pytest.raises(DamagedDocument, match=r"“photo\.txt” isn’t a text file"):
        decoded(content, "photo.txt")


def test_stray_control_characters_are_no_reason_to_refuse_a_text():
    assert decoded(b"It was late. " * 20 + b"\x00 The end.", "a.txt").text.endswith("The end.")


@pytest.mark.parametrize(("unit", "encoding"), [("é", "cp1252"), ("It’s late. ", "cp1252"), ("天气很好。", "gbk")])
def test_long_texts_take_linear_time(unit, encoding):
    text = unit * (6_000_000 // len(unit.encode(encoding)))
    assert decoded(text.encode(encoding), "a.txt").text == text


@given(st.binary(max_size=300))
def test_any_bytes_are_a_text_or_refused(content):
    with suppress(DamagedDocument):
        decoded(content, "a.txt")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("café", "cafŽ"), ("привет", "РТЙЧЕФ"), ("朝の港", "憆仛峘"), ("“Yes”", "ìYesî"), ("über", "�ber")],
)
def test_correctly_decoded_text_is_more_likely(right, wrong):
    assert likelihood(right) > likelihood(wrong)


def test_only_characters_beyond_ascii_count():
    assert likelihood("Plain text.\n\t") == 0
    assert unusual_characters("naïve – yes\n") == 2


def packed(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def test_members_are_read(tmp_path):
    with Archive(packed(tmp_path / "a.epub", one=b"1", two=b"<a><b/></a>")) as opened:
        assert opened.names == {"one", "two"}
        assert opened.read("one") == b"1"
        assert opened.tree("two").tag == "a"


def test_an_invalid_archive_or_missing_member_counts_as_damaged(tmp_path):
    (tmp_path / "a.epub").write_bytes(b"PK\x03\x04 but no more")
    with pytest.raises(DamagedDocument, match=r"“a\.epub” is damaged or incomplete"):
        Archive(tmp_path / "a.epub")
    with Archive(packed(tmp_path / "b.epub", one=b"1")) as opened, pytest.raises(DamagedDocument):
        opened.read("two")


def test_a_changed_member_is_damaged(tmp_path):
    path = packed(tmp_path / "a.epub", one=b"1" * 1000)
    content = bytearray(path.read_bytes())
    content[35] ^= 0xFF
    path.write_bytes(content)
    with Archive(path) as opened, pytest.raises(DamagedDocument):
        opened.read("one")


def test_a_member_with_a_password_is_protected(tmp_path):
    path = packed(tmp_path / "a.epub", one=b"1")
    path.write_bytes(
        path.read_bytes().replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    )
    with Archive(path) as opened, pytest.raises(EncryptedDocument):
        opened.read("one")


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_MEMBER_BYTES", 1_000_000)
    monkeypatch.setattr(archive, "MAX_READ_BYTES", 2_500_000)
    path = packed(tmp_path / "a.epub", one=bytes(1_000_001), two=bytes(900_000))
    with Archive(path) as opened:
        with pytest.raises(OversizedDocument, match="too large"):
            opened.read("one")
        opened.read("two")
        with pytest.raises(OversizedDocument):
            opened.read("two")


def test_entities_do_not_grow_and_do_not_read_files(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    content = f'<!DOCTYPE a [<!ENTITY e SYSTEM "file://{secret}"><!ENTITY f "ha">]><a>&e;&f;</a>'.encode()
    with Archive(packed(tmp_path / "a.epub", one=content)) as opened:
        assert "secret" not in "".join(opened.tree("one").itertext())


IMAGE = 'media-type="image/png"'


def picture_book(path: Path) -> Path:
    """Write a book with a picture on a page, two pages of pictures alone, one of them in the contents, and a cover."""
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


def test_book_pictures_except_the_cover_appear_in_the_text(tmp_path):
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


def test_the_pictures_of_a_word_file_stand_in_its_text(tmp_path):
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


def test_the_picture_of_a_page_is_in_its_folder(tmp_path):
    page = tmp_path / "page" / "a.html"
    page.parent.mkdir()
    for file in (tmp_path / "outside.png", page.parent / "a.png", page.parent / "a.txt"):
        file.write_bytes(file.name.encode())
    (page.parent / "link.png").symlink_to(tmp_path / "outside.png")
    assert read_picture(page, "a.png") == b"a.png"
    for name in ("../outside.png", "link.png", "a.txt", "b.png", "", ".", str(tmp_path / "outside.png"), "a\0.png"):
        assert read_picture(page, name) is None


@pytest.mark.parametrize("name", ["none.png", "", "../OEBPS/cover.png", "a\0"])
def test_a_picture_that_is_not_in_a_book_is_none(tmp_path, name):
    assert read_picture(write_epub(tmp_path / "a.epub", book(1000, 1)), name) is None


def test_a_picture_that_is_too_large_is_none(tmp_path, monkeypatch):
    path = write_epub(tmp_path / "a.epub", book(1000, 1))
    (tmp_path / "a.png").write_bytes(PICTURE)
    for largest, found in ((len(PICTURE), PICTURE), (len(PICTURE) - 1, None)):
        monkeypatch.setattr(archive, "MAX_PICTURE_BYTES", largest)
        assert read_picture(path, "OEBPS/cover.png") == found
        assert read_picture(tmp_path / "a.html", "a.png") == found


@pytest.mark.parametrize("name", ["none.epub", "a.pdf", "a.txt", "a.doc", "none.html"])
def test_documents_without_pictures_return_none(tmp_path, name):
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    assert read_picture(tmp_path / name, "a.png") is None


def test_a_damaged_file_has_no_pictures(tmp_path):
    content = bytearray(picture_book(tmp_path / "a.epub").read_bytes())
    path, chance = tmp_path / "b.epub", random.Random(1)
    for _ in range(400):
        damaged = bytearray(content)
        for _ in range(chance.randint(1, 20)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        path.write_bytes(damaged[: chance.choice([len(damaged), chance.randrange(len(damaged))])])
        assert read_picture(path, "OEBPS/img/plate.png") in (b"plate", None)
