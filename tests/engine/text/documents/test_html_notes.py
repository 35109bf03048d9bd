from pathlib import Path

import pytest

from engine.text.documents.document import Matter
from tests.engine.text.documents.pages import blocks, book_of, texts, xhtml

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
def test_a_note_is_kept_with_the_text_that_refers_to_it(reference: str, note: str) -> None:
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
def test_a_cross_reference_is_read(text: str) -> None:
    plain = texts(f"<p>{text}</p>")[0]
    assert sum(map(str.isdigit, plain)) == sum(map(str.isdigit, text.replace("#page_45", "").replace("c3.", "")))
    assert texts(f"<p>{text}</p><div id='f'><p>What it is.</p></div>") == [plain, "What it is."]


def test_headings_that_lead_to_the_contents_and_back_are_no_notes() -> None:
    entry, heading = (
        "<p id='t{0}'><a href='#c{0}'>{0}</a></p>",
        "<h2 id='c{0}'><a href='#t{0}'>{0}</a></h2><p>Text.</p>",
    )
    page = "".join(entry.format(n) for n in range(1, 4)) + "".join(heading.format(n) for n in range(1, 4))
    assert texts(page) == ["1", "2", "3", "1", "Text.", "2", "Text.", "3", "Text."]
    assert [block.matter for block in blocks(page)] == [Matter.FRONT] * 3 + [Matter.TEXT] * 6


def test_notes_that_nothing_refers_to_are_kept() -> None:
    (block,) = blocks("<p>Text.</p><div class='footnotes'><p>1. One.</p><p>2. Two.</p></div>")
    assert (block.text, block.notes) == ("Text.", ("One.", "Two."))


def test_notes_under_their_own_heading_are_back_matter() -> None:
    note = "<h2>Notes</h2><p id='n1'><a href='#r1'>1</a>. The note.</p>"
    page = f"<h2>One</h2><p>Text.<a id='r1' href='#n1'>1</a></p>{note}<h2>Two</h2><p>More.</p>"
    assert [(block.text, block.matter, block.notes) for block in blocks(page)] == [
        ("One", Matter.TEXT, ()), ("Text.", Matter.TEXT, ("The note.",)), ("Notes", Matter.BACK, ()),
        ("The note.", Matter.BACK, ()), ("Two", Matter.TEXT, ()), ("More.", Matter.TEXT, ()),
    ]  # fmt: skip


@pytest.mark.parametrize("heading", ["<h1>Notes</h1>", ""])
def test_notes_on_a_page_of_their_own_are_back_matter(tmp_path: Path, heading: str) -> None:
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


def test_contents_may_lead_to_a_note() -> None:
    page = "<p>A.<a id='r1' href='#n1'>1</a></p><p id='n1'><a href='#r1'>1</a> Note.</p><p>B.</p>"
    assert "n1" in blocks(page)[-1].anchors


def test_the_mark_before_a_note_is_not_read_and_other_numbers_are() -> None:
    page = "<p>A.<sup><a id='r1' href='#n1'>1</a></sup></p><p id='n1'>{} years went by.</p>"
    assert blocks(page.format("1 20"))[0].notes == ("20 years went by.",)
    assert blocks(page.format("12"))[0].notes == ("12 years went by.",)


def test_notes_by_chapters_are_one_part(tmp_path: Path) -> None:
    note = "<h2>{0}</h2><p id='n{0}'><a href='{0}.xhtml#r{0}'>1</a> Note {0}.</p>"
    pages = {
        f"{name}.xhtml": xhtml(f"<h1>{name}</h1><p>Text.<a id='r{name}' href='n.xhtml#n{name}'>1</a></p>")
        for name in ("One", "Two")
    }
    pages["n.xhtml"] = xhtml("<h1>Endnotes</h1>" + note.format("One") + note.format("Two"))
    document = book_of(tmp_path, dict(pages))
    assert [each.notes for each in document.chapters] == ["Note One.", "Note Two.", ""]
    assert document.usual_chapters == (0, 1)
    assert document.chapters[2].text == "Endnotes\n\nOne\n\nNote One.\n\nTwo\n\nNote Two."
