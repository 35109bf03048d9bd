import re
import unicodedata
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import DamagedDocument, EncryptedDocument, EngineError, UnusableDocument
from engine.text.documents.document import BETWEEN_PARAGRAPHS, Document, Matter, TextStyle
from engine.text.documents.ebook import read
from engine.text.documents.reading import read as read_any
from tests.engine.text.documents.books import PICTURE, book, write_epub
from tests.engine.text.documents.pages import CONTAINER, XHTML, book_of, package, packed_as, shown, xhtml
from tests.shared_inputs import FOLDER
from tests.shared_inputs import book as shared_book


def changed(path: Path, **members: str) -> Path:
    """Return the book with members replaced or added; the name of a member has no folder and no suffix."""
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


def test_a_protected_book_is_reported_as_such(path: Path) -> None:
    changed(path, encryption=encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc"))
    with pytest.raises(EncryptedDocument, match="DRM-protected"):
        read(path)


def test_a_book_of_which_only_fonts_are_obfuscated_is_read(path: Path) -> None:
    changed(path, encryption=encryption("http://www.idpf.org/2008/embedding"))
    assert len(read(path).chapters) == 3


ONE, TWO = xhtml("<h1>One</h1><p>The sea.</p>"), xhtml("<h1>Two</h1><p>The wind.</p>")
SAID = ["One\n\nThe sea.", "Two\n\nThe wind."]


def texts(document: Document) -> list[str]:
    return [chapter.text for chapter in document.chapters]


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("c1.xhtml", "c1.xhtml"),
        ("Text/C1.XHTML", "text/c1.xhtml"),
        ("text\\c1.xhtml", "text/c1.xhtml"),
        ("c1.xhtml#start", "c1.xhtml"),
        ("./x/../c1.xhtml", "c1.xhtml"),
        ("/OEBPS/c1.xhtml", "c1.xhtml"),
        ("../OEBPS/c1.xhtml", "c1.xhtml"),
        ("chapter%201.xhtml", "chapter 1.xhtml"),
        ("chapter 1.xhtml", "chapter%201.xhtml"),
        ("caf%C3%A9.xhtml", "café.xhtml"),
        ("café.xhtml", unicodedata.normalize("NFD", "café.xhtml")),
        (unicodedata.normalize("NFD", "CAFÉ.xhtml"), "café.xhtml"),
        ("café.xhtml", "café.xhtml".encode().decode("cp437")),
        ("c1.xhtml?v=2#x", "c1.xhtml"),
        ("a#1.xhtml", "a#1.xhtml"),
        ("Text/c1.xhtml", "moved/c1.xhtml"),
    ],
)
def test_a_page_is_found_however_its_name_is_written(tmp_path: Path, reference: str, name: str) -> None:
    document = book_of(tmp_path, {name: ONE, "c2.xhtml": TWO}, [(reference, XHTML), ("c2.xhtml", XHTML)])
    assert texts(document) == SAID
    assert not document.notices


def test_the_exact_name_wins(tmp_path: Path) -> None:
    pages = {"A.xhtml": ONE, "a.xhtml": TWO}
    assert texts(book_of(tmp_path, pages, [("A.xhtml", XHTML), ("a.xhtml", XHTML)])) == SAID
    assert texts(book_of(tmp_path, pages, [("a.xhtml", XHTML), ("A.xhtml", XHTML)])) == SAID[::-1]


@given(st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="/\\#?%<>&\"'"), min_size=1, max_size=8))
@settings(max_examples=30)
def test_any_name_is_found(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    folder = tmp_path_factory.mktemp("book")
    assert texts(book_of(folder, {f"{name}.xhtml": ONE, "é2.xhtml": TWO})) == SAID


def test_missing_pages_are_reported_once(tmp_path: Path) -> None:
    spine = [("c1.xhtml", XHTML), ("ad.xhtml", XHTML), ("b/ad2.xhtml", XHTML), ("c2.xhtml", XHTML)]
    document = book_of(tmp_path, {"c1.xhtml": ONE, "c2.xhtml": TWO}, spine)
    assert texts(document) == SAID
    (notice,) = document.notices
    assert "2 pages" in notice
    assert "ad.xhtml" in notice


def test_empty_pages_are_reported_once(tmp_path: Path) -> None:
    document = book_of(tmp_path, {"c1.xhtml": ONE, "x.xhtml": b" ", "c2.xhtml": TWO})
    assert texts(document) == SAID
    assert ["x.xhtml" in notice for notice in document.notices] == [True]


def test_a_book_without_any_of_its_pages_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(DamagedDocument, match=r"“book\.epub” is damaged or incomplete"):
        book_of(tmp_path, {}, [("c1.xhtml", XHTML)])


def test_a_book_of_pictures_is_reported_as_such(tmp_path: Path) -> None:
    with pytest.raises(UnusableDocument, match="only pictures"):
        book_of(tmp_path, {"c1.xhtml": xhtml("<p><img src='1.png' alt='The first page'/></p>")})


def test_a_book_with_pictures_as_pages_is_reported_as_such(tmp_path: Path) -> None:
    svg = 'media-type="image/svg+xml"'
    nav = f'{XHTML} properties="nav"'
    spine = [("1.svg", svg), ("nav.xhtml", nav)]
    with pytest.raises(UnusableDocument, match="only pictures"):
        book_of(
            tmp_path, {"1.svg": "<svg/>", "nav.xhtml": xhtml("<nav epub:type='toc'><a href='1.svg'>A</a></nav>")}, spine
        )


@pytest.mark.parametrize("container", ["", "<container/>", "no xml", CONTAINER.format("elsewhere.opf")])
def test_the_package_is_looked_for_if_nothing_tells_where_it_is(tmp_path: Path, container: str) -> None:
    document = book_of(tmp_path, {"c1.xhtml": ONE, "c2.xhtml": TWO}, **{"META-INF__container_0_xml": container})
    assert texts(document) == SAID
    assert ["OEBPS/book.opf" in notice for notice in document.notices] == [True]


@pytest.mark.parametrize("written", ["/OEBPS/book.opf", "OEBPS\\book.opf", "oebps/Book.opf", "OEBPS%2Fbook.opf"])
def test_the_container_may_write_names_as_it_likes(tmp_path: Path, written: str) -> None:
    extra = {"META-INF__container_0_xml": CONTAINER.format(written)}
    document = book_of(tmp_path, {"c1.xhtml": ONE, "c2.xhtml": TWO}, **extra)
    assert (texts(document), document.notices) == (SAID, ())


@pytest.mark.parametrize("opf", ["", "<package/>", "no xml", package([])])
def test_without_an_order_pages_are_read_by_their_names(tmp_path: Path, opf: str) -> None:
    document = book_of(tmp_path, {"c10.xhtml": TWO, "c9.xhtml": ONE}, OEBPS__book_0_opf=opf)
    assert texts(document) == SAID
    assert document.notices or not opf


@pytest.mark.parametrize("kind", ["text/x-oeb1-document", "application/xml", "", "TEXT/HTML", "text/plain"])
def test_a_page_is_known_in_spite_of_its_type(tmp_path: Path, kind: str) -> None:
    kind = kind and f'media-type="{kind}"'
    document = book_of(tmp_path, {"c1.xhtml": ONE, "c2.html": TWO}, [("c1.xhtml", kind), ("c2.html", kind)])
    assert texts(document) == SAID


def test_items_other_than_pages_are_not_read(tmp_path: Path) -> None:
    others = [("a.css", 'media-type="text/css"'), ("b.svg", 'media-type="image/svg+xml"')]
    spine = [("c1.xhtml", XHTML), *others, ("c2.xhtml", XHTML)]
    pages = {"c1.xhtml": ONE, "a.css": "p {}", "b.svg": "<svg/>", "c2.xhtml": TWO}
    assert texts(book_of(tmp_path, pages, spine)) == SAID


def test_pages_beside_the_text_are_read_if_there_is_nothing_else(tmp_path: Path) -> None:
    pages = {"c1.xhtml": ONE, "c2.xhtml": TWO}
    opf = package([(name, XHTML) for name in pages], linear='linear="no"')
    assert texts(book_of(tmp_path, pages, OEBPS__book_0_opf=opf)) == SAID
    one = opf.replace('idref="i0" linear="no"', 'idref="i0"')
    document = book_of(tmp_path, pages, OEBPS__book_0_opf=one)
    assert (texts(document), document.default_chapters) == (SAID, (0,))


def test_notes_outside_the_reading_order_stay_with_their_text(tmp_path: Path) -> None:
    note = "<p id='n'><a href='c1.xhtml#r'>1</a> The note.</p>"
    pages = {"c1.xhtml": xhtml("<p>A.<a id='r' href='n.xhtml#n'>1</a></p>"), "n.xhtml": xhtml(note)}
    opf = package([(name, XHTML) for name in pages]).replace('idref="i1"', 'idref="i1" linear="no"')
    document = book_of(tmp_path, pages, OEBPS__book_0_opf=opf)
    assert document.chapters[0].notes == "The note."
    assert document.default_chapters == (0,)


def test_the_order_of_reading_may_name_files(tmp_path: Path) -> None:
    pages = {"c1.xhtml": ONE, "c2.xhtml": TWO}
    opf = re.sub(r'idref="i(\d)"', lambda found: f'idref="c{int(found[1]) + 1}.xhtml"', OPF)
    assert texts(book_of(tmp_path, pages, OEBPS__book_0_opf=opf)) == SAID


def test_a_book_may_be_packed_with_its_folder_by_a_mac(tmp_path: Path) -> None:
    members: dict[str, str | bytes] = {
        "Book/META-INF/container.xml": CONTAINER.format("OEBPS/book.opf"), "Book/OEBPS/book.opf": OPF,
        "Book/OEBPS/c1.xhtml": ONE, "Book/OEBPS/c2.xhtml": TWO, "__MACOSX/Book/OEBPS/._c1.xhtml": b"\0\5",
        "__MACOSX/Book/META-INF/._container.xml": b"\0\5", "__MACOSX/Book/OEBPS/c1.xhtml": b"\0\5",
    }  # fmt: skip
    assert texts(read(packed_as(tmp_path / "a.epub", members))) == SAID


TOLD = "<dc:title>Café &amp; Co</dc:title>"
OPF = package([("c1.xhtml", XHTML), ("c2.xhtml", XHTML)], TOLD)


@pytest.mark.parametrize(
    "opf",
    [
        f"\n  {OPF}",
        OPF.encode("utf-16"),
        OPF.replace("&amp;", "&"),
        OPF.replace("é", "&eacute;"),
        OPF.encode("latin-1"),
        OPF.encode("utf-8-sig"),
        re.sub("(</?)(?=[a-z]+[ />])", r"\1opf:", OPF).replace("xmlns=", "xmlns:opf="),
        OPF.replace("dc:title", "dc:Title").replace(TOLD, f"<dc-metadata>{TOLD}</dc-metadata>"),
        OPF.replace(' xmlns="http://www.idpf.org/2007/opf"', ""),
    ],
)  # fmt: skip
def test_a_package_is_read_as_it_is_written(tmp_path: Path, opf: str | bytes) -> None:
    document = book_of(tmp_path, {"c1.xhtml": ONE, "c2.xhtml": TWO}, OEBPS__book_0_opf=opf)
    assert (document.title, texts(document)) == ("Café & Co", SAID)


def test_a_damaged_page_leaves_the_others(tmp_path: Path) -> None:
    pages = {"c1.xhtml": ONE, "x.xhtml": xhtml("<p>" + "lost " * 300 + "</p>"), "c2.xhtml": TWO}
    book_of(tmp_path, pages)
    content = bytearray((tmp_path / "book.epub").read_bytes())
    at = content.index(b"OEBPS/x.xhtml") + 30
    content[at : at + 8] = bytes(8)
    (tmp_path / "book.epub").write_bytes(content)
    document = read(tmp_path / "book.epub")
    assert texts(document) == SAID
    assert ["x.xhtml" in notice for notice in document.notices] == [True]


def test_an_archive_without_pages_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(DamagedDocument):
        read(packed_as(tmp_path / "a.epub", {"mimetype": "application/epub+zip", "1.png": b"1"}))


def test_a_guessed_encoding_is_reported_once(tmp_path: Path) -> None:
    page = "<html><body><h1>{}</h1><p>L’hôtel était déjà prêt, et il pleuvait.</p></body></html>"
    pages: dict[str, str | bytes] = {f"{name}.xhtml": page.format(name).encode("cp1252") for name in ("One", "Two")}
    document = book_of(tmp_path, pages)
    assert "L’hôtel était déjà prêt" in document.chapters[1].text
    assert ["2 pages" in notice and "One.xhtml" in notice for notice in document.notices] == [True]


FILES = sorted(path for folder in ("books", "real-text/cases") for path in (FOLDER / folder).glob("*"))


def all_shown(document: Document) -> list[tuple[str, str]]:
    return [each for chapter in document.chapters for each in shown(chapter)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_everything_that_is_shown_is_in_the_text_and_in_order(path: Path) -> None:
    try:
        document = read_any(path)
    except EngineError:
        return  # a damaged book shows nothing
    for chapter in document.with_notes().chapters:
        assert [style.start for style in chapter.styles] == sorted(style.start for style in chapter.styles)
        assert [picture.start for picture in chapter.pictures] == sorted(each.start for each in chapter.pictures)
        assert all(0 <= picture.start <= len(chapter.text) for picture in chapter.pictures)
        paragraphs = chapter.text.split(BETWEEN_PARAGRAPHS)
        for style in chapter.styles:
            said = chapter.text[style.start : style.end]
            assert 0 <= style.start < style.end <= len(chapter.text)
            assert said == said.strip()
            assert (style.text_style is TextStyle.HEADING) == (1 <= style.level <= 6)
            if style.text_style is TextStyle.HEADING:
                assert said in paragraphs


def test_an_epub_shows_the_styles_of_its_pages() -> None:
    found = all_shown(read_any(shared_book("love-among-the-chickens.epub")))
    headings = [said for text_style, said in found if text_style == "heading"]
    assert "I: A Letter with a Postscript" in headings
    assert len(headings) == 30
    assert ("emphasis", "sauve qui peut") in found
    assert ("emphasis", "The Manœuvres of Arthur") in found
    assert ("strong", "Garnet") in found
    assert any(text_style == "quote" and "In his hand he bore the brand" in said for text_style, said in found)


def test_a_page_shows_its_marked_styles() -> None:
    chapters = read_any(shared_book("pride-and-prejudice.htm")).chapters
    first = next(chapter for chapter in chapters if chapter.title == "Chapter 1")
    assert shown(first)[:3] == [("heading", "Chapter 1"), ("emphasis", "You"), ("emphasis", "may")]
    assert sum(text_style == "emphasis" for chapter in chapters for text_style, _ in shown(chapter)) > 400


def test_a_plain_text_shows_its_headings() -> None:
    found = all_shown(read_any(shared_book("sherlock-holmes.txt")))
    assert len(found) == 15
    assert {"ADVENTURE I. A SCANDAL IN BOHEMIA", "II.", "XII. THE ADVENTURE OF THE COPPER BEECHES"} <= {
        said for text_style, said in found if text_style == "heading"
    }


NCX = 'media-type="application/x-dtbncx+xml"'
MAP = '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{}</navMap></ncx>'
POINT = "<navPoint><navLabel><text>{}</text></navLabel><content src='{}'/></navPoint>"


def with_map(folder: Path, pages: dict[str, str], entries: list[tuple[str, str]], after: str = "") -> Document:
    """Return a book with a table of contents in its older form."""
    contents = MAP.format("".join(POINT.format(*entry) for entry in entries))
    opf = package([*((name, XHTML) for name in pages), ("toc.ncx", NCX)], after=after)
    named = {name: xhtml(body) for name, body in pages.items()}
    return book_of(folder, named, OEBPS__book_0_opf=opf, OEBPS__toc_0_ncx=contents)


def chapter(folder: Path, body: str, title: str) -> str:
    """Return the text of the chapter that an entry leads to."""
    document = with_map(folder, {"a.xhtml": body, "b.xhtml": "<p>End.</p>"}, [(title, "a.xhtml"), ("End", "b.xhtml")])
    assert len(document.chapters) == 2
    return document.chapters[0].text


@pytest.mark.parametrize(
    ("body", "entry"),
    [
        ("<h1>The Sea</h1>", "The Sea"), ("<p>THE SEA</p>", "The Sea"),
        ("<p>Chapter One</p><p>The Sea</p>", "Chapter One: The Sea"),
        ("<h2>1</h2><h3>The Sea</h3>", "1. The Sea"), ("<h1>III</h1><h2>The Rain</h2>", "Chapter Three – The Rain"),
        ("<p>CHAPTER XXI.</p><p>The Sea and</p><p>the Wind</p>", "Chapter 21: The Sea and the Wind"),
        ("<h1>X</h1><p>I Am Here</p>", "X: I Am Here"), ("<h1>The Sea</h1>", "3. The Sea"),
        ("<h1>Twenty-<br/>One</h1>", "Twenty-One"),
        ("<h1>Chapter 4: The Sea</h1>", "The Sea"), ("<h1>CHAPTER 4</h1>", "Chapter Four"),
        ("<h1>Chapter 4</h1>", "IV"),
        ("<hr/><p>I</p><h1>The Sea</h1>", "I. The Sea"),
    ],
)  # fmt: skip
def test_a_title_is_read_once(tmp_path: Path, body: str, entry: str) -> None:
    heading, text = chapter(tmp_path, f"{body}<p>It was calm.</p>", entry).split("\n\n")
    assert heading.casefold().replace("-", "") in (entry.casefold().replace("-", ""), "chapter 4: the sea", "chapter 4")
    assert text == "It was calm."


@pytest.mark.parametrize(
    ("body", "entry"),
    [
        ("<h1>Two</h1>", "The Sea"),
        ("<p>I went.</p>", "I"),
        ("<p>The Sea was calm.</p>", "The Sea"),
        ("<h1>Chapter 2: The Sea</h1>", "Chapter 1: The Sea"),
    ],
)
def test_a_title_that_the_page_does_not_say_is_added(tmp_path: Path, body: str, entry: str) -> None:
    said = chapter(tmp_path, body, entry).split("\n\n")
    assert said[0] == entry
    assert len(said) == 2


def test_several_entries_may_lead_to_one_place(tmp_path: Path) -> None:
    body = "<h1>Part One</h1><h2>Chapter 1</h2><p>A.</p>"
    entries = [("Part One", "a.xhtml"), ("Chapter 1", "a.xhtml"), ("Chapter 1", "a.xhtml"), ("Chapter 2", "b.xhtml")]
    document = with_map(tmp_path, {"a.xhtml": body, "b.xhtml": "<p>B.</p>"}, entries)
    assert [each.text for each in document.chapters] == ["Part One\n\nChapter 1\n\nA.", "Chapter 2\n\nB."]


@pytest.mark.parametrize(
    "place",
    [
        "<span epub:type='pagebreak' id='x'/>", "<div class='pagenum' id='x'>9</div>", "<p hidden='' id='x'>No.</p>",
        "<a id='x'/>", "<p><sup><a id='x' href='#n'>1</a></sup></p>", "<p id='x'><img id='y' src='1.png'/></p>",
    ],
)  # fmt: skip
def test_contents_entries_may_lead_to_unread_elements(tmp_path: Path, place: str) -> None:
    body = f"<p>Before.</p>{place}<h2>Two</h2><p>Behind.</p>"
    entries = [("One", "a.xhtml"), ("Two", "a.xhtml#x")]
    document = with_map(tmp_path, {"a.xhtml": body}, entries)
    assert [each.text for each in document.chapters] == ["One\n\nBefore.", "Two\n\nBehind."]


def test_contents_may_lead_behind_all_text(tmp_path: Path) -> None:
    document = with_map(tmp_path, {"a.xhtml": "<p>All.</p><p id='x'/>"}, [("One", "a.xhtml"), ("Two", "a.xhtml#x")])
    assert document.text == "One\n\nAll.\n\nTwo"


def test_names_in_the_contents_are_found_as_those_of_pages_are(tmp_path: Path) -> None:
    pages = {"Text/café 1.xhtml": "<p>A.</p>", "Text/b.xhtml": "<p>B.</p>"}
    document = with_map(tmp_path, pages, [("One", "text\\caf%C3%A9%201.xhtml#x"), ("Two", "/OEBPS/text/B.xhtml")])
    assert [each.title for each in document.chapters] == ["One", "Two"]


def test_a_page_of_contents_serves_where_there_is_nothing_else(tmp_path: Path) -> None:
    titles = {"a.xhtml": "The Sea", "b.xhtml": "The Wind"}
    links = "".join(f"<p><a href='{name}'>{title}</a></p>" for name, title in titles.items())
    pages = {"t.xhtml": f"<p>Contents</p>{links}", "a.xhtml": "<p>A.</p>", "b.xhtml": "<p>B.</p>"}
    document = book_of(tmp_path, {name: xhtml(body) for name, body in pages.items()})
    assert [(each.title, each.matter) for each in document.chapters][1:] == [
        ("The Sea", Matter.TEXT), ("The Wind", Matter.TEXT),
    ]  # fmt: skip
    assert document.chapters[0].matter is Matter.FRONT


def test_paragraphs_that_look_like_titles_are_where_there_is_nothing_else(tmp_path: Path) -> None:
    page = "<p class='num'>{0}</p><p class='chapter-title'>The {0}</p><p class='text'>Text.</p>"
    document = book_of(tmp_path, {f"{n}.xhtml": xhtml(page.format(n)) for n in (1, 2)})
    assert [each.text for each in document.chapters] == ["1\n\nThe 1\n\nText.", "2\n\nThe 2\n\nText."]


PAGES = {
    "cover.xhtml": "<p><img src='a.png' alt='Cover'/></p>", "title.xhtml": "<h1>The Book</h1><p>A. Writer</p>",
    "rights.xhtml": "<p>Copyright © 2020 A. Writer</p><p>All rights reserved.</p>",
    "c1.xhtml": "<h1>One</h1><p>Sea.</p>",
    "c2.xhtml": "<h1>Two</h1><p>Wind.</p>", "index.xhtml": "<p>Apple 3</p>",
}  # fmt: skip
ENTRIES = [("One", "c1.xhtml"), ("Two", "c2.xhtml")]
GUIDE = (
    "<guide><reference type='title-page' href='title.xhtml'/><reference type='copyright-page' href='rights.xhtml#x'/>"
    "<reference type='index' href='Index.xhtml'/><reference type='text' href='c1.xhtml'/></guide>"
)


def matters(document: Document) -> list[Matter]:
    return [each.matter for each in document.chapters]


def test_the_list_of_parts_tells_front_and_back_matter(tmp_path: Path) -> None:
    document = with_map(tmp_path, PAGES, ENTRIES, GUIDE)
    assert matters(document) == [Matter.FRONT, Matter.TEXT, Matter.TEXT, Matter.BACK]
    assert document.chapters[0].text.startswith("The Book")


def test_a_title_page_is_known_without_it(tmp_path: Path) -> None:
    assert matters(with_map(tmp_path, PAGES, ENTRIES)) == [Matter.FRONT, Matter.TEXT, Matter.TEXT]


def test_a_first_page_that_tells_something_is_text(tmp_path: Path) -> None:
    pages = {"a.xhtml": "<p>The Book was on the table.</p>", "b.xhtml": "<h1>One</h1><p>Sea.</p>"}
    assert set(matters(with_map(tmp_path, pages, [("One", "b.xhtml")]))) == {Matter.TEXT}


@pytest.mark.parametrize("kind", ["titlepage", "copyright-page", "dedication", "toc", "endnotes", "index", "colophon"])
def test_types_tell_front_and_back_matter(tmp_path: Path, kind: str) -> None:
    pages = {
        "a.xhtml": "<h1>One</h1><p>Sea.</p>",
        "x.xhtml": f"<section epub:type='{kind}'><h1>X</h1><p>Y</p></section>",
    }
    document = with_map(tmp_path, pages, [("One", "a.xhtml"), ("X", "x.xhtml")])
    assert document.default_chapters == (0,)
    assert "Y" in document.text


@pytest.mark.parametrize("kind", ["preface", "foreword", "prologue", "epilogue", "afterword", "bodymatter", "chapter"])
def test_prefaces_epilogues_and_other_main_sections_are_text(tmp_path: Path, kind: str) -> None:
    pages = {
        "a.xhtml": f"<section epub:type='frontmatter {kind}'><h1>X</h1><p>Y</p></section>",
        "b.xhtml": "<p>Sea.</p>",
    }
    assert with_map(tmp_path, pages, [("X", "a.xhtml"), ("One", "b.xhtml")]).default_chapters == (0, 1)
