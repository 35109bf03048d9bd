import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.documents.blocks import chapters_of
from engine.text.documents.document import Chapter, Matter, Picture, TextStyle
from engine.text.documents.web_page import read
from tests.engine.text.documents.pages import XHTML, blocks, book_of, package, shown, shown_on, texts, xhtml


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
def test_an_initial_joins_its_word(written, read):
    assert texts(written) == [read]


@pytest.mark.parametrize("page", ["<p>A</p><p>lone man</p>", "<p>B</p><p>Next item</p>", "<h2>V</h2><p>vast</p>"])
def test_a_standalone_letter_stays_separate(page):
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
def test_characters_are_read_once(ruby, read):
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
def test_the_lines_of_a_heading_have_a_pause_between_them(heading, read):
    (block,) = blocks(f"<h1>{heading}</h1>")
    assert (block.text, block.level) == (read, 1)


def test_an_inline_picture_is_read_and_one_beside_text_is_not():
    page = "<p>So <img alt='x = 2' src='q.png'> here.</p><p><img alt='A ship'></p><p><img class='math' alt='y = 3'></p>"
    assert texts(page) == ["So x = 2 here.", "y = 3"]


@pytest.mark.parametrize("alternative", ["", "smile.png", "image", "Figure 3", "***", "External link icon"])
def test_a_picture_that_says_nothing_is_not_read(alternative):
    assert texts(f"<p>So <img alt='{alternative}' src='q.png'>it is.</p>") == ["So it is."]


def test_quotations_have_their_marks_and_listings_their_lines():
    assert texts("<p>He said <q>come</q>.</p><pre><code>a\n  b</code></pre>") == ["He said “come”.", "a\nb"]


def test_a_title_may_be_a_picture():
    (block,) = blocks("<h1><img alt='Chapter One' src='1.png'></h1>")
    assert (block.text, block.level) == ("Chapter One", 1)


def test_pictures_that_are_written_give_way_to_their_words():
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
def test_emphasis_headings_and_quotes_of_a_page_are_recognized(page, wanted):
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
def test_style_sheets_emphasize(page, wanted):
    assert sorted(shown_on(f"<style>{SHEET}</style>{page}")) == sorted(wanted)


def test_the_style_sheets_of_a_book_emphasize(tmp_path):
    pages: dict[str, str | bytes] = {
        f"c{number}.xhtml": xhtml(f"<h1>{number}</h1><p>A <span class='t'>sea</span>.</p>", link)
        for number, link in enumerate(("<link rel='stylesheet' href='s.css'/>", ""), 1)
    }
    one, two = book_of(tmp_path, pages, OEBPS__s_0_css=".t { font-style: italic }").chapters
    assert shown(one) == [("heading", "1"), ("emphasis", "sea")]
    assert shown(two) == [("heading", "2")]


@given(st.lists(WORD, min_size=1, max_size=30))
def test_spans_are_around_the_words_that_a_page_emphasizes(words):
    written, wanted = [], set()
    for number, (word, noise, name) in enumerate(words):
        said = f"q{number}q{word}{noise}"
        written.append(f"<{name}>{said}</{name}>" if name else said)
        wanted |= {(name.replace("em", "emphasis"), str(number))} if name else set()
    found = shown_on(f"<p>{' '.join(written)}</p><p>The end of it.</p>")
    assert {(text_style, number) for text_style, said in found for number in re.findall(r"q(\d+)q", said)} == wanted


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
def test_pictures_of_a_page_are_those_in_its_folder(tmp_path, body, pictures):
    assert page_of(tmp_path, body) == pictures


def test_headings_that_begin_no_chapter_are_shown(tmp_path):
    path = tmp_path / "a.html"
    path.write_text("<h1>One</h1><p>a</p><h1>Two</h1><h3>Below</h3><p>b</p>")
    _, second = read(path).chapters
    assert [(style.text_style, style.level) for style in second.styles] == [
        (TextStyle.HEADING, 1),
        (TextStyle.HEADING, 3),
    ]


START = "*** START OF {} PROJECT GUTENBERG EBOOK A BOOK ***"
END = "*** END OF {} PROJECT GUTENBERG EBOOK A BOOK ***"


def chapters(page: str) -> tuple[Chapter, ...]:
    return chapters_of(blocks(page), "A Book")


@pytest.mark.parametrize("word", ["THE", "THIS"])
@pytest.mark.parametrize("element", ["p", "pre", "div"])
def test_the_license_around_a_text_is_apart(word, element):
    page = (
        f"<h1>The eBook of A Book</h1><{element}>For anyone.\n\n{START.format(word)}</{element}>"
        "<p>Produced by A. B.</p>"
        "<h1>A Book</h1><h2>I</h2><p>Sea.</p><h2>II</h2><p>Wind.</p>"
        f"<p>End of Project Gutenberg's A Book</p><{element}>{END.format(word)}</{element}>"
        "<h2>Licence</h2><p>Words.</p>"
    )
    read = chapters(page)
    assert [(each.matter, each.title) for each in read if each.matter is Matter.TEXT] == [
        (Matter.TEXT, "I"), (Matter.TEXT, "II"),
    ]  # fmt: skip
    assert read[0].matter is Matter.FRONT
    assert read[-1].matter is Matter.BACK
    assert "Produced" in "".join(each.text for each in read if each.matter is Matter.FRONT)
    assert "End of Project" in "".join(each.text for each in read if each.matter is Matter.BACK)


def test_the_license_of_a_book_ends_with_the_book(tmp_path):
    pages = {
        "a.xhtml": f"<section id='pg-header'><p>{START.format('THE')}</p></section><h2>I</h2><p>Sea.</p>",
        "b.xhtml": f"<h2>II</h2><p>Wind.</p><section id='pg-footer'><p>{END.format('THE')}</p></section>",
        "c.xhtml": "<h2>Section 1</h2><p>Terms.</p>",
    }
    document = book_of(tmp_path, {name: xhtml(body) for name, body in pages.items()})
    assert [document.chapters[number].text for number in document.default_chapters] == ["I\n\nSea.", "II\n\nWind."]


@pytest.mark.parametrize(
    "line",
    [
        "<p><a href='#c{0}'>Chapter {0}</a></p>", "<p><a href='#c{0}'>Chapter {0}</a> . . . 1{0}</p>",
        "<p>The Part {0} <a href='#c{0}'>1{0}</a></p>", "<li>{0}. <a href='#c{0}'>Part</a></li>",
    ],
)  # fmt: skip
def test_a_list_of_contents_and_the_blocks_before_it_are_front_matter(line):
    contents = "".join(line.format(number) for number in range(1, 5))
    body = "".join(f"<h2 id='c{number}'>Chapter {number}</h2><p>Text.</p>" for number in range(1, 5))
    read = chapters(f"<h1>A BOOK</h1><h2>By A. Writer</h2><p>CONTENTS</p>{contents}{body}")
    assert [each.title for each in read if each.matter is Matter.TEXT] == [f"Chapter {n}" for n in range(1, 5)]
    assert {each.matter for each in read} == {Matter.FRONT, Matter.TEXT}


def test_a_few_links_are_text():
    page = "<p>Text.</p><p><a href='#a'>See here</a></p><p><a href='#b'>and there</a></p><p>More.</p>"
    assert {block.matter for block in blocks(page)} == {Matter.TEXT}


@pytest.mark.parametrize(
    "line", ["<p>If you fight, turn to <a href='#c{0}'>{0}</a></p>", "<p><a href='#c{0}'>Fight</a></p>"]
)
def test_choices_in_a_gamebook_are_text(line):
    ways = "".join(line.format(number) for number in range(1, 5))
    page = f"<h2>1</h2><p>{'You stand before a door. ' * 5}</p>{ways}<h2>2</h2><p>Text.</p>"
    assert {block.matter for block in blocks(page)} == {Matter.TEXT}


def test_links_to_elsewhere_are_text():
    page = "".join(f"<p><a href='https://example.org/{n}'>Site {n}</a></p>" for n in range(5))
    assert {block.matter for block in blocks(page)} == {Matter.TEXT}


def test_text_before_a_list_of_contents_stays_text():
    contents = "".join(f"<p><a href='#c{n}'>Part {n}</a></p>" for n in range(4))
    page = f"<h1>Title</h1><p>{'A long beginning. ' * 10}</p>{contents}<h2>Part 1</h2><p>Text.</p>"
    assert blocks(page)[1].matter is Matter.TEXT


def test_every_word_is_read_or_kept_apart():
    page = "<h1>One</h1><p>two<sup>three</sup></p><table><tr><td>four<td>five.</tr></table><dl><dt>six<dd>seven</dl>"
    page += "<div>eight<ul><li>nine</ul>ten</div><blockquote>eleven</blockquote>"
    page += "<details><summary>twelve</summary>x</details>"
    said = " ".join(texts(page)).replace(".", "").replace("twothree", "two three").split()
    assert [each.lower() for each in said] == [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "x",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("entries", "paragraphs"), [(20_000, 0), (6_000, 3)])
def test_long_contents_take_no_longer_for_each_entry(tmp_path, entries, paragraphs):
    def seconds(count: int) -> float:
        links = "".join(f"<li><a href='c.xhtml#a{n}'>Title {n}</a></li>" for n in range(count))
        page = "".join(f"<h2 id='a{n}'>Title {n}</h2>" + "<p>Words.</p>" * paragraphs for n in range(count))
        opf = package([("c.xhtml", XHTML), ("nav.xhtml", f'{XHTML} properties="nav"')])
        pages = {"c.xhtml": xhtml(page), "nav.xhtml": xhtml(f"<nav epub:type='toc'><ol>{links}</ol></nav>")}
        started = time.process_time()
        document = book_of(tmp_path, pages, OEBPS__book_0_opf=opf)
        assert document.text.count("Title ") == count
        return time.process_time() - started

    assert seconds(entries) < 40 * min(seconds(entries // 10) for _ in range(3))  # 100 if it were not linear


BACK = "<a href='#r1'>1</a>"


@pytest.mark.parametrize(
    ("reference", "note"),
    [
        ("<a id='r1' href='#n1'>1</a>", f"<p id='n1'>{BACK}. The note.</p>"),
        (" <a id='r1' href='#n1'>[1]</a>", f"<p><a id='n1'></a>{BACK} The note.</p>"),
        ("<sup><a id='r1' href='#n1'>1</a></sup>", "<p id='n1'>1. The note.</p>"),
        ("<a id='r1' href='#n1'><sup>*</sup></a>", "<p id='n1'><a href='#r1'>*</a> The note.</p>"),
        ("<a name='r1'></a><a href='#n1'>[a]</a>", "<div class='footnote'><p><a name='n1'></a>[a] The note.</p></div>"),
        (" [<a href='#n1'>1</a>]", "<p id='n1'>[1] The note.</p>"),
        ("<sup>[<a href='#n1'>1</a>]</sup>", "<ol><li id='n1'>The note. <a href='#r1'>↩</a></li></ol>"),
        ("<a epub:type='noteref' href='#n1'>note</a>", "<aside epub:type='footnote' id='n1'><p>The note.</p></aside>"),
        ("<a role='doc-noteref' href='#n1'>1</a>", "<div role='doc-footnote' id='n1'>The note.</div>"),
        (
            "<a id='r1' href='#n1'>1</a>",
            "<section class='footnotes'><ol><li id='n1'><p>The note.</p></li></ol></section>",
        ),
        (" <a id='r1' href='#n1'>†</a>", "<dl><dt id='n1'><a href='#r1'>†</a> The note.</dt></dl>"),
    ],
)
def test_a_note_stays_with_the_text_that_refers_to_it(reference, note):
    first, second = blocks(f"<p id='p'>He left.{reference} Then he came.</p><p>More.</p>{note}")
    assert (first.text, first.notes) == ("He left. Then he came.", ("The note.",))
    assert (second.text, second.notes) == ("More.", ())


@pytest.mark.parametrize(
    "text",
    [
        "See Figure <a href='#f'>2</a>.", "See Fig.<a href='#f'>2</a>.",
        "Figures <a href='#f'>2</a>–<a href='#g'>3</a>.",
        "in §<a href='#f'>4</a> and 12,<a href='#f'>14</a>", "Equation (<a href='#f'>1</a>) holds.",
        "on page <a href='#page_45'>45</a>", "See note <a href='#f'>7</a> there.", "and <a href='#f'>Appendix B</a>",
        "voir la figure <a href='#f'>3</a>", "Chapter <a href='c3.xhtml#x'>12</a>",
        "Tables <a href='#f'>2</a> and <a href='#g'>3</a>",
        "Table&nbsp;<a href='#f'>2</a>",
    ],
)  # fmt: skip
def test_a_cross_reference_is_read(text):
    plain = texts(f"<p>{text}</p>")[0]
    assert sum(map(str.isdigit, plain)) == sum(map(str.isdigit, text.replace("#page_45", "").replace("c3.", "")))
    assert texts(f"<p>{text}</p><div id='f'><p>What it is.</p></div>") == [plain, "What it is."]


def test_headings_that_lead_to_the_contents_and_back_are_no_notes():
    entry, heading = (
        "<p id='t{0}'><a href='#c{0}'>{0}</a></p>",
        "<h2 id='c{0}'><a href='#t{0}'>{0}</a></h2><p>Text.</p>",
    )
    page = "".join(entry.format(n) for n in range(1, 4)) + "".join(heading.format(n) for n in range(1, 4))
    assert texts(page) == ["1", "2", "3", "1", "Text.", "2", "Text.", "3", "Text."]
    assert [block.matter for block in blocks(page)] == [Matter.FRONT] * 3 + [Matter.TEXT] * 6


def test_unreferenced_notes_are_retained():
    (block,) = blocks("<p>Text.</p><div class='footnotes'><p>1. One.</p><p>2. Two.</p></div>")
    assert (block.text, block.notes) == ("Text.", ("One.", "Two."))


def test_notes_under_their_own_heading_are_back_matter():
    note = "<h2>Notes</h2><p id='n1'><a href='#r1'>1</a>. The note.</p>"
    page = f"<h2>One</h2><p>Text.<a id='r1' href='#n1'>1</a></p>{note}<h2>Two</h2><p>More.</p>"
    assert [(block.text, block.matter, block.notes) for block in blocks(page)] == [
        ("One", Matter.TEXT, ()), ("Text.", Matter.TEXT, ("The note.",)), ("Notes", Matter.BACK, ()),
        ("The note.", Matter.BACK, ()), ("Two", Matter.TEXT, ()), ("More.", Matter.TEXT, ()),
    ]  # fmt: skip


@pytest.mark.parametrize("heading", ["<h1>Notes</h1>", ""])
def test_notes_on_a_separate_page_are_back_matter(tmp_path, heading):
    note = "<p id='n{0}'><a href='c1.xhtml#r{0}'>{0}</a> Note {0}.</p>"
    pages = {
        "c1.xhtml": xhtml("<h1>One</h1><p>A.<a id='r1' href='n.xhtml#n1'>1</a></p>"
                          "<p>B <sup><a id='r2' href='n.xhtml#n2'>2</a></sup></p>"),
        "c2.xhtml": xhtml("<h1>Two</h1><p>C.</p>"),
        "n.xhtml": xhtml(heading + note.format(1) + note.format(2)),
    }  # fmt: skip
    document = book_of(tmp_path, pages)
    assert [chapter.matter for chapter in document.chapters] == [Matter.TEXT, Matter.TEXT, Matter.BACK]
    assert document.chapters[0].notes == "Note 1.\n\nNote 2."
    assert document.chapters[0].text == "One\n\nA.\n\nB"
    assert "Note 2." in document.chapters[2].text


def test_contents_may_lead_to_a_note():
    page = "<p>A.<a id='r1' href='#n1'>1</a></p><p id='n1'><a href='#r1'>1</a> Note.</p><p>B.</p>"
    assert "n1" in blocks(page)[-1].anchors


def test_the_mark_before_a_note_is_not_read_and_other_numbers_are():
    page = "<p>A.<sup><a id='r1' href='#n1'>1</a></sup></p><p id='n1'>{} years went by.</p>"
    assert blocks(page.format("1 20"))[0].notes == ("20 years went by.",)
    assert blocks(page.format("12"))[0].notes == ("12 years went by.",)


def test_notes_by_chapters_are_one_part(tmp_path):
    note = "<h2>{0}</h2><p id='n{0}'><a href='{0}.xhtml#r{0}'>1</a> Note {0}.</p>"
    pages = {
        f"{name}.xhtml": xhtml(f"<h1>{name}</h1><p>Text.<a id='r{name}' href='n.xhtml#n{name}'>1</a></p>")
        for name in ("One", "Two")
    }
    pages["n.xhtml"] = xhtml("<h1>Endnotes</h1>" + note.format("One") + note.format("Two"))
    document = book_of(tmp_path, dict(pages))
    assert [each.notes for each in document.chapters] == ["Note One.", "Note Two.", ""]
    assert document.default_chapters == (0, 1)
    assert document.chapters[2].text == "Endnotes\n\nOne\n\nNote One.\n\nTwo\n\nNote Two."
