from pathlib import Path

import pytest

from engine.documents.web_page import read
from tests.engine.documents.pages import book_of, texts, xhtml


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='display:none'>No.</p>", "<div style='color: red; DISPLAY : none;'><p>No.</p></div>",
        "<p style='visibility: hidden'>No.</p>", "<p class='a b'>No.</p>", "<p id='i'>No.</p>",
        "<h2 class='c'>No.</h2>",
        "<span class='visually-hidden'>No.</span>", "<span class='SR-only'>No.</span>",
        "<div class='screen-reader-text'>No.</div>", "<textarea>No.</textarea>", "<label>No.</label>",
        "<select><option>No.</select>", "<div class='cookie-banner'>No.</div>", "<div id='cookie'>No.</div>",
        "<aside><h2>Related</h2><p>No.</p></aside>", "<div class='social-share'>No.</div>",
        "<ul class='breadcrumbs'><li>No</ul>",
        "<form><p>Subscribe</p><input></form>", "<span class='mw-editsection'>[<a href='/e'>edit</a>]</span>",
        "<sup class='noprint'>[citation needed]</sup>", "<sup>[<i>who?</i>]</sup>", "<span>[edit]</span>",
        "<span class='pagenum'><a id='Page_23'>[Pg 23]</a></span>", "<span class='pageno' title='24'>24</span>",
        "<span class='page_number'>{25}</span>", "<a id='p3'>[Page 3]</a>", "<span role='doc-pagebreak'>26</span>",
        "<del>no</del>", "<span class='lnum'>310</span>",
    ],
)  # fmt: skip
def test_what_a_reader_does_not_see_is_not_read(hidden: str) -> None:
    sheet = "<style>/* p {} */ .a, p#i{margin:0;display: none} h2.c { display:none }</style>"
    assert texts(f"{sheet}<p>Before.</p>{hidden}<p>After.</p>") == ["Before.", "After."]


@pytest.mark.parametrize(
    "shown",
    [
        "<p style='display:block'>Yes.</p>", "<p class='print'>Yes.</p>", "<div class='a'>Yes.</div>",
        "<p class='e'>Yes.</p>",
        "<p id='cookies'>Yes.</p>", "<div class='page'>Yes.</div>", "<p class='pagenum-less'>Yes.</p>",
        "<p>Yes.</p><p hidden>No.</p>", "<form><h1>Yes.</h1></form>", "<blockquote><footer>Yes.</footer></blockquote>",
    ],
)  # fmt: skip
def test_what_a_reader_sees_is_read(shown: str) -> None:
    sheet = "<style>@media print {.print{display:none} .x{}} p.a {display:none} .d > .e {display:none}</style>"
    form = shown.replace("<h1>Yes.</h1>", "<h1>Yes.</h1><p>a</p><p>b</p><p>c</p>")
    assert "Yes." in texts(f"{sheet}<p>Before.</p>{form}")


def test_words_are_whole_around_numbers_of_pages() -> None:
    page = "<p>It was the best <span class='pagenum'>[Pg 23]</span>of times."
    page += " It was<span class='pb'>24</span> so [Pg 25] on.</p>"
    assert texts(page) == ["It was the best of times. It was so on."]


def test_what_screen_readers_get_in_place_of_what_is_shown_is_read() -> None:
    page = "<p><span aria-hidden='true'>T</span><span class='sr-only'>The</span> sea.</p>"
    assert texts(page) == ["The sea."]


def test_boxes_beside_a_text_are_told_once(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>Text.</p><aside><p>One.</p></aside><aside><p>Two.</p></aside>")
    (notice,) = read(tmp_path / "a.html").notices
    assert "2 boxes" in notice
    assert "One." in notice


def test_what_is_around_the_main_part_is_told_if_it_is_long(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<p>Menu</p><main><p>Text.</p></main>")
    assert (read(path).text, read(path).notices) == ("Text.", ())
    path.write_text(f"<main><p>Text.</p></main><p>{'A long story. ' * 50}</p>")
    assert len(read(path).notices) == 1


def test_several_articles_are_the_main_part() -> None:
    assert texts("<header><p>Site</p></header><article><p>One.</p></article><article><p>Two.</p></article>") == [
        "One.", "Two.",
    ]  # fmt: skip


def test_books_have_no_furniture_of_sites(tmp_path: Path) -> None:
    body = "<h1>One</h1><p class='hid'>No.</p><aside><p>A box.</p></aside>"
    body += "<footer>Yours, Bill</footer><p class='share'>Mine</p>"
    pages = {
        "c1.xhtml": xhtml(body, "<link rel='stylesheet' href='s.css'/>"),
        "c2.xhtml": xhtml("<h1>Two</h1><p>x</p>"),
    }
    document = book_of(tmp_path, pages, OEBPS__s_0_css=".hid { display: none }")
    assert document.chapters[0].text == "One\n\nA box.\n\nYours, Bill\n\nMine"


def test_a_page_that_shows_nothing_by_itself_is_read() -> None:
    assert texts("<style>.app { display: none }</style><div class='app'><p>Text.</p></div>") == ["Text."]
