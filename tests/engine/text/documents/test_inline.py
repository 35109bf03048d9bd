import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.documents.document import Look, Picture
from engine.text.documents.web_page import read
from tests.engine.text.documents.pages import blocks, book_of, shown, shown_on, texts, xhtml


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<p><span class='dropcap'>T</span>he sea.</p>", "The sea."),
        ("<p><span class='drop-cap'>I</span> <span>n the</span> beginning.</p>", "In the beginning."),
        ("<p><span class='dropcap'>“I</span> t is.</p>", "“It is."),
        ("<p><span class='dropcap'>A</span> LICE was here. So Alice said.</p>", "ALICE was here. So Alice said."),
        ("<div class='drop'>T</div><p>he sea.</p>", "The sea."),
        ("<p class='initial'>W</p><p>HEN he came.</p>", "WHEN he came."),
        ("<p>T</p><p>he sea.</p>", "The sea."),
        ("<p><img class='dropcap' alt='T' src='t.png'>he sea.</p>", "The sea."),
        ("<p><span class='d'>W</span>HEN <small>HE</small> came.</p>", "WHEN HE came."),
        ("<p><span class='dropcap'>I</span> was born.</p>", "I was born."),
        ("<p><span class='dropcap'>A</span> man came.</p>", "A man came."),
    ],
)
def test_an_initial_joins_its_word(written: str, read: str) -> None:
    assert texts(written) == [read]


@pytest.mark.parametrize("page", ["<p>A</p><p>lone man</p>", "<p>B</p><p>Next item</p>", "<h2>V</h2><p>vast</p>"])
def test_a_letter_of_its_own_stays(page: str) -> None:
    assert len(texts(page)) == 2


@pytest.mark.parametrize(
    ("ruby", "read"),
    [
        ("<rb>武蔵</rb><rp>(</rp><rt>たけぞう</rt><rp>)</rp>", "たけぞう"),
        ("神<rt>ヒエロ</rt>字<rt>グリフ</rt>", "ヒエログリフ"),
        ("<rb><img alt='喰'></rb><rt>く</rt>", "く"), ("<img src='x'><rt>x</rt>", "x"),
        ("東京<rtc>とうきょう</rtc>", "とうきょう"),
        ("<rb>東</rb><rb>京</rb><rt>とう</rt><rt>きょう</rt>", "とうきょう"), ("汉<rt>hàn</rt>字<rt>zì</rt>", "汉字"),
        ("字", "字"),
    ],
)  # fmt: skip
def test_characters_are_read_once(ruby: str, read: str) -> None:
    assert texts(f"<p>A<ruby>{ruby}</ruby>B</p>") == [f"A{read}B"]


@pytest.mark.parametrize(
    ("heading", "read"),
    [
        ("Chapter 1<br>The Sea", "Chapter 1: The Sea"), ("Chapter 1.<br>The Sea", "Chapter 1. The Sea"),
        ("THE OLD MAN<br>AND THE SEA", "THE OLD MAN AND THE SEA"), ("The Lives of<br>Others", "The Lives of Others"),
        ("<span>2</span><span>The Wind</span>", "2: The Wind"), ("<span>T</span><span>he Wind</span>", "The Wind"),
        ("Twenty-<br>One", "Twenty-One"), ("One\n two", "One two"), ("One<br><br>Two", "One: Two"),
    ],
)  # fmt: skip
def test_the_lines_of_a_heading_have_a_pause_between_them(heading: str, read: str) -> None:
    (block,) = blocks(f"<h1>{heading}</h1>")
    assert (block.text, block.level) == (read, 1)


def test_a_picture_in_a_sentence_is_read_and_one_beside_it_is_not() -> None:
    page = "<p>So <img alt='x = 2' src='q.png'> here.</p><p><img alt='A ship'></p><p><img class='math' alt='y = 3'></p>"
    assert texts(page) == ["So x = 2 here.", "y = 3"]


@pytest.mark.parametrize("alternative", ["", "smile.png", "image", "Figure 3", "***", "External link icon"])
def test_a_picture_that_says_nothing_is_not_read(alternative: str) -> None:
    assert texts(f"<p>So <img alt='{alternative}' src='q.png'>it is.</p>") == ["So it is."]


def test_quotations_have_their_marks_and_listings_their_lines() -> None:
    assert texts("<p>He said <q>come</q>.</p><pre><code>a\n  b</code></pre>") == ["He said “come”.", "a\nb"]


def test_a_title_may_be_a_picture() -> None:
    (block,) = blocks("<h1><img alt='Chapter One' src='1.png'></h1>")
    assert (block.text, block.level) == ("Chapter One", 1)


def test_pictures_that_are_written_give_way_to_their_words() -> None:
    page = "<p>[Illustration]</p><p>[Illustration: A ship at sea.]</p><p>So [Illustration] it is</p>"
    assert texts(page) == ["A ship at sea.", "So [Illustration] it is"]


WORD = st.tuples(
    st.sampled_from(["sea", "Man,", "12", "x<sup>2</sup>", "so­ft", "<a id='p'></a>it", "<small>A</small>B", "É."]),
    st.sampled_from(
        ["", " ", "<sup>1</sup>", "[Pg 3]", "<br>", "<img src='a.png' alt='boat'>", "<span hidden>no</span>"]
    ),
    st.sampled_from(["", "em", "strong"]),
)


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("<h2>An <i>old</i><br>Man</h2>", [("heading", "An old: Man"), ("emphasis", "old")]),
        ("<p>He <em>is</em> <cite>Ahab</cite>, <dfn>so</dfn>.</p>", [("emphasis", "is Ahab"), ("emphasis", "so")]),
        ("<p>A <b>bold <i>and</i></b> man.</p>", [("strong", "bold and"), ("emphasis", "and")]),
        ("<p>A <b><strong>bold</strong></b> man.</p>", [("strong", "bold")]),
        ("<p><span class='Italic'>He</span> is.", [("emphasis", "He")]),
        ("<p>He <span style='font-weight: 700'>is</span>.", [("strong", "is")]),
        ("<p><span class='item'>He</span> <u>is</u>.", []),
        ("<em><div>One.</div>Two.</em><p>Three.", [("emphasis", "One."), ("emphasis", "Two.")]),
        ("<p> <em> He </em>, <em> </em>she.", [("emphasis", "He")]),
        ("<p>One.<blockquote><p>Two.<p>Three.</blockquote><p>Four, five.", [("quote", "Two."), ("quote", "Three.")]),
        ("<p>One, two.<div class='poem'>A<br>B</div>", [("quote", "A\nB")]),
        ("<p>One, two.<p epub:type='z3998:letter'>Dear", [("quote", "Dear")]),
        ("<p>One, two.<blockquote><h2>II</h2></blockquote><p>Three.", [("heading", "II")]),
        ("<p class='dropcap'>T</p><p>he <i>sea</i>.", [("emphasis", "sea")]),
        ("<p>The end.<sup>1</sup> [Pg 3] <i>So<sup>2</sup> it</i> is.", [("emphasis", "So it")]),
        ("<p hidden><i>No</i></p><p><i>Yes</i></p>", [("emphasis", "Yes")]),
    ],
)  # fmt: skip
def test_what_a_page_emphasises_and_sets_apart(page: str, wanted: list[tuple[str, str]]) -> None:
    assert shown_on(page) == wanted


SHEET = """@charset "utf-8";
    .calibre3, span.a { font-style: italic; text-indent: 0 } /* .no { font-style: italic } */
    #b { FONT: oblique bold 1em serif }
    .c { font-weight: 700 } p.d { font-style: italic } .cap { font-weight: bold }
    @media print { .no { font-style: italic } }
    .no { font-style: normal; font-family: "Italic" } .o > .no { font: bold }
"""


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("<p>A <span class='x calibre3'>sea</span>.", [("emphasis", "sea")]),
        ("<p>A <span class='a'>sea</span>, <a class='a'>a</a> <small class='c'>man</small>.",
            [("emphasis", "sea"), ("strong", "man")]),
        ("<p>A <i id='b'>sea</i>.", [("emphasis", "sea"), ("strong", "sea")]),
        ("<p>A <i class='c'>sea</i>.", [("emphasis", "sea"), ("strong", "sea")]),
        ("<p>One.<p class='d'>Two <i>x</i>.</p>Three.<div class='calibre3'><p>Four.<p>Five.</div><p>Six.",
            [("emphasis", "Two x."), ("emphasis", "Four."), ("emphasis", "Five.")]),
        ("<p>A <span class='no'>sea</span> <span class='o'><b class='d'>it</b></span>.", [("strong", "it")]),
        ("<h2 class='calibre3'>II</h2><p><span class='cap dropcap'>T</span>he sea.", [("heading", "II")]),
        ("<p>A <span style='font: italic 1em serif'>sea</span>.", [("emphasis", "sea")]),
        ("<p style='font-style: italic'>A sea.<p>It.", [("emphasis", "A sea.")]),
    ],
)  # fmt: skip
def test_style_sheets_emphasise(page: str, wanted: list[tuple[str, str]]) -> None:
    assert sorted(shown_on(f"<style>{SHEET}</style>{page}")) == sorted(wanted)


def test_the_style_sheets_of_a_book_emphasise(tmp_path: Path) -> None:
    pages: dict[str, str | bytes] = {
        f"c{number}.xhtml": xhtml(f"<h1>{number}</h1><p>A <span class='t'>sea</span>.</p>", link)
        for number, link in enumerate(("<link rel='stylesheet' href='s.css'/>", ""), 1)
    }
    one, two = book_of(tmp_path, pages, OEBPS__s_0_css=".t { font-style: italic }").chapters
    assert shown(one) == [("heading", "1"), ("emphasis", "sea")]
    assert shown(two) == [("heading", "2")]


@given(st.lists(WORD, min_size=1, max_size=30))
def test_spans_are_around_the_words_that_a_page_emphasises(words: list[tuple[str, str, str]]) -> None:
    written, wanted = [], set()
    for number, (word, noise, name) in enumerate(words):
        said = f"q{number}q{word}{noise}"
        written.append(f"<{name}>{said}</{name}>" if name else said)
        wanted |= {(name.replace("em", "emphasis"), str(number))} if name else set()
    found = shown_on(f"<p>{' '.join(written)}</p><p>The end of it.</p>")
    assert {(look, number) for look, said in found for number in re.findall(r"q(\d+)q", said)} == wanted


def page_of(folder: Path, body: str) -> list[Picture]:
    path = folder / "page" / "a.html"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"<body>{body}</body>", encoding="utf-8")
    for name in ("page/a.png", "page/sub/ä b.jpg", "page/text.html", "secret.png"):
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"content")
    (folder / "page" / "link.png").unlink(missing_ok=True)
    (folder / "page" / "link.png").symlink_to(folder / "secret.png")
    return [picture for chapter in read(path).chapters for picture in chapter.pictures]


@pytest.mark.parametrize(
    ("body", "pictures"),
    [
        ("<p>One.<p><img src='a.png' alt=' A  boat '><p>Two.", [Picture(6, "a.png", "A boat")]),
        ("<p>One <img src='./sub/%C3%A4%20b.jpg?x=1#y'> two.", [Picture(4, "sub/ä b.jpg")]),
        ("<p>One <img src='sub\\\\ä b.jpg'> two.", [Picture(4, "sub/ä b.jpg")]),
        ("<p>One.<div><svg><title>Map</title><image xlink:href='a.png'/></svg></div>", [Picture(4, "a.png", "Map")]),
        ("<section><p>One.<p><img src=a.png></section><p>Two.", [Picture(4, "a.png")]),
        ("<p>One.<p><img src=a.png><hr><p>Two.", [Picture(4, "a.png")]),
        ("<img src=a.png><h2>I</h2><p>Two.", [Picture(0, "a.png")]),
        ("<p>One.<p><img src=a.png alt='An old boat'>", [Picture(4, "a.png", "An old boat")]),
        ("<p>One.<img src='a.png' width='1' height='400'>", []),
        ("<p>One.<img src='a.png' style='height: 5px'>", []),
        ("<p>One.<img src='a.png' role='presentation'>", []),
        ("<p><img class='dropcap' src='a.png' alt='O'>ne.", []),
        ("<p>One.<span hidden><img src='a.png'></span><svg style='display:none'><image href='a.png'/></svg>", []),
        *((f"<p>One.<img src='{each}'>", []) for each in (
            "../secret.png", "/etc/passwd", "link.png", "text.html", "none.png", "", "http://example.org/a.png",
            "//example.org/a.png", "file:a.png", "data:image/png;base64,AA", "sub", "a" * 5000, "a\x01.png",
        )),
    ],
)  # fmt: skip
def test_pictures_of_a_page_are_those_in_its_folder(tmp_path: Path, body: str, pictures: list[Picture]) -> None:
    assert page_of(tmp_path, body) == pictures


def test_headings_that_begin_no_chapter_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<h1>One</h1><p>a</p><h1>Two</h1><h3>Below</h3><p>b</p>")
    _, second = read(path).chapters
    assert [(style.look, style.level) for style in second.styles] == [(Look.HEADING, 1), (Look.HEADING, 3)]
