from pathlib import Path

import pytest

from engine.text.documents.document import Document, Matter
from tests.engine.text.documents.pages import XHTML, book_of, package, xhtml

NCX = 'media-type="application/x-dtbncx+xml"'
MAP = '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{}</navMap></ncx>'
POINT = "<navPoint><navLabel><text>{}</text></navLabel><content src='{}'/></navPoint>"


def with_map(folder: Path, pages: dict[str, str], entries: list[tuple[str, str]], after: str = "") -> Document:
    """A book with a table of contents in its older form."""
    contents = MAP.format("".join(POINT.format(*entry) for entry in entries))
    opf = package([*((name, XHTML) for name in pages), ("toc.ncx", NCX)], after=after)
    named = {name: xhtml(body) for name, body in pages.items()}
    return book_of(folder, named, OEBPS__book_0_opf=opf, OEBPS__toc_0_ncx=contents)


def chapter(folder: Path, body: str, title: str) -> str:
    """The text of the chapter that an entry leads to."""
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
def test_contents_may_lead_to_what_is_not_read(tmp_path: Path, place: str) -> None:
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
    assert document.usual_chapters == (0,)
    assert "Y" in document.text


@pytest.mark.parametrize("kind", ["preface", "foreword", "prologue", "epilogue", "afterword", "bodymatter", "chapter"])
def test_what_the_book_was_written_for_is_text(tmp_path: Path, kind: str) -> None:
    pages = {
        "a.xhtml": f"<section epub:type='frontmatter {kind}'><h1>X</h1><p>Y</p></section>",
        "b.xhtml": "<p>Sea.</p>",
    }
    assert with_map(tmp_path, pages, [("X", "a.xhtml"), ("One", "b.xhtml")]).usual_chapters == (0, 1)
