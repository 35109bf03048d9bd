"""Realistic DOCX files: every kind of text that is hidden, numbered, doubled, in a box or in a formula."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DamagedDocument, EncryptedDocument
from engine.text.documents.document import Document, Matter
from engine.text.documents.word_file import read
from tests.engine.text.documents.books import book, word_part, write_docx, write_word_file
from tests.engine.text.documents.pages import shown
from tests.shared_inputs import real_text


def document(folder: Path, body: str, styles: str = "", **parts: str) -> Document:
    named: dict[str, str | bytes] = {f"word/{kind}.xml": word_part(kind, content) for kind, content in parts.items()}
    return read(write_word_file(folder / "a.docx", body, styles=styles, parts=named))


def text_of(folder: Path, body: str, styles: str = "", **parts: str) -> str:
    return document(folder, body, styles, **parts).text


def paragraph(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def raised(text: str) -> str:
    return run(text, "<w:vertAlign w:val='superscript'/>")


def styled(style: str, text: str, properties: str = "") -> str:
    return paragraph(run(text), properties=f"<w:pStyle w:val='{style}'/>{properties}")


def numbered(text: str, number: int = 1, depth: int = 0) -> str:
    return paragraph(run(text), properties=f"<w:numPr><w:ilvl w:val='{depth}'/><w:numId w:val='{number}'/></w:numPr>")


def levels(*formats: tuple[str, str]) -> str:
    made = "".join(
        f"<w:lvl w:ilvl='{depth}'><w:start w:val='1'/><w:numFmt w:val='{kind}'/><w:lvlText w:val='{text}'/></w:lvl>"
        for depth, (kind, text) in enumerate(formats)
    )
    pattern = f"<w:abstractNum w:abstractNumId='7'>{made}</w:abstractNum>"
    return f"{pattern}<w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num>"


def table(*rows: tuple[str, ...]) -> str:
    return f"<w:tbl>{''.join(map(row, rows))}</w:tbl>"


def row(cells: tuple[str, ...]) -> str:
    return f"<w:tr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr>"


def formula(content: str) -> str:
    return paragraph(run("So "), f"<m:oMath>{content}</m:oMath>", run("."))


def sign(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


CASES = {
    "d01_move": "Intro. Middle.\n\nThe cat sat down. End.",
    "d02_vanish": "Shown again un-hidden end.\n\nLast.",
    "d03_cr_sym": "ONE\nTWO\n\nTemperature ≥ 5, angle α and cooperate next",
    "d04_ruby": "たけぞうは歩いた。",
    "d05_numbering": "Bring these:\n\n1. Bread\n\n2. Milk",
    "d06_textbox": "Before the box after the box.\n\nBox line one.\n\nBox line two.\n\nNext.",
    "d08_math": "The area is πrx², so it is large.",
    "d09_sup": "About 10⁶ stars and x², the end. Then.",
    "d11_sdt_cells": "See:\n\nTable: 1 row of Name, Age.",
    "d12_layout_table": (
        "Letter\n\nFrom\n\nDear Ann, we arrived on Monday. The sea was calm.\n\nLater\n\n"
        "On Tuesday the storm came, and we lost the boat. Everybody was saved."
    ),
    "d14_document2": "Hello from Word Online.",
    "d17_utf16": "Hello from UTF sixteen.",
    "d18_hyper_fields": "See our site or this page. Page 7 of it. Rome fell. Good. Inside custom.",
    "d19_doubled_del_para": "First half second half.\n\nEnd.",
    "d20_strike_caps": "The new price. loud words here. dr. Who",
}


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_read_right(name):
    assert read(real_text(f"{name}.docx")).text == CASES[name]


def test_the_case_of_contents_is_front_matter():
    made = read(real_text("d07_toc.docx"))
    assert [made.chapters[number].title for number in made.default_chapters] == ["Chapter 1", "Chapter 2"]


def test_the_case_of_styles_has_chapters():
    made = read(real_text("d16_based_on.docx"))
    assert [chapter.title for chapter in made.chapters] == ["The Sea", "The Wind"]


HIDING = (
    "<w:style w:type='{kind}' w:styleId='S'><w:basedOn w:val='T'/></w:style><w:style w:styleId='T'>{hidden}</w:style>"
)
VANISH = "<w:rPr><w:vanish/></w:rPr>"


@pytest.mark.parametrize("kind", ["character", "paragraph"])
def test_text_hidden_by_style_is_read_only_if_a_run_shows_it(tmp_path, kind):
    styles = HIDING.format(kind=kind, hidden=VANISH)
    style = "<w:rStyle w:val='S'/>" if kind == "character" else ""
    body = paragraph(
        run("hidden ", style),
        run("shown", f"{style}<w:vanish w:val='false'/>"),
        properties="<w:pStyle w:val='S'/>" if kind == "paragraph" else "",
    )
    assert text_of(tmp_path, body + paragraph(run("End.")), styles) == "shown\n\nEnd."


def test_a_hidden_paragraph_mark_hides_no_text(tmp_path):
    assert text_of(tmp_path, paragraph(run("Shown."), properties=VANISH)) == "Shown."


def test_styles_that_are_based_on_each_other_end(tmp_path):
    styles = (
        "<w:style w:styleId='A'><w:basedOn w:val='B'/></w:style><w:style w:styleId='B'><w:basedOn w:val='A'/></w:style>"
    )
    assert text_of(tmp_path, styled("A", "Text."), styles) == "Text."


def test_a_style_based_on_a_heading_may_be_text(tmp_path):
    styles = (
        "<w:style w:styleId='Own'><w:basedOn w:val='Heading1'/></w:style>"
        "<w:style w:styleId='Text'><w:basedOn w:val='Own'/><w:pPr><w:outlineLvl w:val='9'/></w:pPr></w:style>"
    )
    body = styled("Own", "One") + styled("Text", "A.") + styled("Own", "Two") + styled("Text", "B.")
    assert [each.title for each in document(tmp_path, body, styles).chapters] == ["One", "Two"]


def test_stops_of_tabs_are_no_text_and_a_title_is_one_line(tmp_path):
    tabs = "<w:tabs><w:tab w:val='left'/></w:tabs>"
    body = paragraph(run("a"), properties=tabs) + (
        "<w:p><w:pPr><w:pStyle w:val='Heading1'/></w:pPr><w:r><w:t>Chapter 1</w:t><w:br/><w:t>The Sea</w:t></w:r></w:p>"
    )
    assert text_of(tmp_path, body) == "a\n\nChapter 1: The Sea"


@pytest.mark.parametrize(
    ("font", "char", "shown"),
    [("Symbol", "F070", "π"), ("Symbol", "A3", "≤"), ("Wingdings", "F0FC", ""), ("Arial", "00E9", "é"), ("", "zz", "")],
)
def test_symbols_are_letters_and_signs_or_nothing(tmp_path, font, char, shown):
    body = paragraph(run("a"), f"<w:r><w:sym w:font='{font}' w:char='{char}'/></w:r>", run("b"))
    expected = f"a{shown}b"
    assert text_of(tmp_path, body) == expected


def test_letters_of_a_symbol_font_are_greek(tmp_path):
    assert text_of(tmp_path, paragraph(run("\uf061", "<w:rFonts w:ascii='Symbol'/>"), run("!"))) == "α!"


@pytest.mark.parametrize(
    ("base", "reading", "read_as"),
    [("神聖文字", "ヒエログリフ", "ヒエログリフ"), ("汉字", "hàn zì", "汉字"), ("", "く", "く")],
)
def test_ruby_is_read_once(tmp_path, base, reading, read_as):
    ruby = f"<w:r><w:ruby><w:rt>{run(reading)}</w:rt><w:rubyBase>{run(base)}</w:rubyBase></w:ruby></w:r>"
    assert text_of(tmp_path, paragraph(ruby, run("。"))) == f"{read_as}。"


def test_lists_have_their_numbers_and_no_bullets(tmp_path):
    numbering = levels(("upperRoman", "%1."), ("lowerLetter", "%2)"), ("decimal", "%1.%2.%3"), ("bullet", "•"))
    body = "".join(numbered(str(depth), depth=depth) for depth in (0, 1, 1, 2, 3, 0, 1))
    written = text_of(tmp_path, body, numbering=numbering).split("\n\n")
    assert written == ["I. 0", "a) 1", "b) 1", "I.b.1 2", "3", "II. 0", "a) 1"]


def test_numbering_restarts_only_if_the_file_requests_it(tmp_path):
    numbering = levels(("decimal", "Chapter %1"), ("decimal", "%2")) + (
        "<w:num w:numId='2'><w:abstractNumId w:val='7'/></w:num>"
        "<w:num w:numId='3'><w:abstractNumId w:val='7'/>"
        "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='5'/></w:lvlOverride></w:num>"
    )
    body = (
        numbered("A", 1) + numbered("B", 2) + numbered("C", 3) + numbered("D", 3) + numbered("E", 0) + numbered("F", 9)
    )
    assert text_of(tmp_path, body, numbering=numbering) == (
        "Chapter 1 A\n\nChapter 2 B\n\nChapter 5 C\n\nChapter 6 D\n\nE\n\nF"
    )


def test_a_style_numbers_its_headings(tmp_path):
    styles = (
        "<w:style w:styleId='Own'><w:basedOn w:val='Heading1'/>"
        "<w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:style>"
    )
    body = (styled("Own", "The Sea") + paragraph(run("Text."))) * 2
    made = document(tmp_path, body, styles, numbering=levels(("decimal", "Chapter %1.")))
    assert [each.title for each in made.chapters] == ["Chapter 1. The Sea", "Chapter 2. The Sea"]


def test_a_box_in_the_fallback_alone_is_read(tmp_path):
    box = f"<w:pict><w:txbxContent>{paragraph(run('Box.'))}</w:txbxContent></w:pict>"
    body = paragraph(
        run("One"),
        f"<w:r><mc:AlternateContent><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r>",
        run(" two."),
    )
    assert text_of(tmp_path, body) == "One two.\n\nBox."


@pytest.mark.parametrize("kind", ["style", "field", "control", "links"])
def test_contents_are_front_matter_however_they_are_marked(tmp_path, kind):
    lines = [paragraph(run(f"Chapter {number}"), "<w:r><w:tab/></w:r>", run(f"{number}7")) for number in (1, 2)]
    if kind == "style":
        lines = [styled("TOC1", f"Chapter {number} {number}7") for number in (1, 2)]
    elif kind == "field":
        begin = "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> TOC \\o </w:instrText></w:r>"
        first = paragraph(begin, "<w:r><w:fldChar w:fldCharType='separate'/></w:r>", run("Chapter 1 17"))
        lines = [first, lines[1], paragraph("<w:r><w:fldChar w:fldCharType='end'/></w:r>")]
    elif kind == "links":
        lines = [
            paragraph(f"<w:hyperlink w:anchor='_Toc{number}'>{run(f'Chapter {number} {number}7')}</w:hyperlink>")
            for number in (1, 2)
        ]
    else:
        gallery = "<w:sdtPr><w:docPartObj><w:docPartGallery w:val='Table of Contents'/></w:docPartObj></w:sdtPr>"
        lines = [f"<w:sdt>{gallery}<w:sdtContent>{''.join(lines)}</w:sdtContent></w:sdt>"]
    body = "".join(lines) + "".join(styled("Heading1", f"Chapter {n}") + paragraph(run("Text.")) for n in (1, 2))
    made = document(tmp_path, body)
    assert [each.matter for each in made.chapters] == [Matter.FRONT, Matter.TEXT, Matter.TEXT]
    assert "Chapter 2 27" in made.chapters[0].text


X, N, TWO = sign("x"), sign("n"), sign("2")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (sign("a=b"), "a=b"),
        (f"<m:sSup><m:e>{X}</m:e><m:sup>{sign('n+1')}</m:sup></m:sSup>", "x to the power of n+1"),
        (f"<m:f><m:num>{sign('1')}</m:num><m:den>{TWO}</m:den></m:f>", "1 over 2"),
        (f"<m:rad><m:deg/><m:e>{X}</m:e></m:rad>", "the square root of x"),
        (f"<m:rad><m:deg>{sign('3')}</m:deg><m:e>{X}</m:e></m:rad>", "the cube root of x"),
        (f"<m:sSub><m:e>{X}</m:e><m:sub>{TWO}</m:sub></m:sSub>", "x 2"),
        (f"<m:d><m:e>{sign('a+b')}</m:e></m:d>", "(a+b)"),
        (f"<m:func><m:fName>{sign('sin')}</m:fName><m:e>{X}</m:e></m:func>", "sin x"),
    ],
)
def test_simple_formulas_are_read(tmp_path, content, said):
    made = document(tmp_path, formula(content))
    assert "".join(made.text.split()) == "".join(f"So {said}.".split())
    assert made.notices == ()


@pytest.mark.parametrize("content", [f"<m:nary><m:e>{X}</m:e></m:nary>", "<m:d><m:e>" * 40 + X + "</m:e></m:d>" * 40])
def test_other_formulas_are_named_and_told_once(tmp_path, content):
    made = document(tmp_path, styled("Heading1", "The Sea") + formula(content) + formula(content))
    assert made.text.count("So formula.") == 2
    assert len(made.notices) == 1
    assert "2" in made.notices[0]
    assert "The Sea" in made.notices[0]


@pytest.mark.parametrize(
    ("before", "above", "text"),
    [
        ("5 m", "2", "5 m²"), ("20 km", "2", "20 km²"), ("E = mc", "2", "E = mc²"), ("10", "−9", "10⁻⁹"),
        ("s", "-1", "s⁻¹"), ("the sea", "12", "the sea"), ("He said so.", "3", "He said so."), ("it", "4", "it"),
        ("in 1066", "5", "in 1066"), ("12", "th", "12th"), ("word", "*", "word"), ("4 in", "3", "4 in³"),
        ("x", "n", "x^n"),
    ],
)  # fmt: skip
def test_raised_numbers_are_powers_or_marks(tmp_path, before, above, text):
    assert text_of(tmp_path, paragraph(run(before), *map(raised, above), run(" there"))) == f"{text} there"


def test_notes_belong_to_the_paragraph_that_refers_to_them(tmp_path):
    mark = "<w:r><w:footnoteReference w:id='2'/></w:r>"
    end = "<w:r><w:endnoteReference w:id='2'/></w:r>"
    made = document(
        tmp_path,
        styled("Heading1", "One") + paragraph(run("A."), mark) + styled("Heading1", "Two") + paragraph(run("B."), end),
        footnotes=f"<w:footnote w:id='2'>{paragraph(run('See there.'))}</w:footnote>",
        endnotes=f"<w:endnote w:id='2'>{paragraph(run('And there.'))}</w:endnote>",
    )
    assert [(each.text, each.notes) for each in made.chapters] == [
        ("One\n\nA.", "See there."), ("Two\n\nB.", "And there."),
    ]  # fmt: skip


def test_layout_tables_are_read_with_their_contents(tmp_path):
    inner = table((paragraph(run("Inner left")), paragraph(run("Inner right"))))
    sentence = paragraph(run("Dear Ann, we arrived here on Monday."))
    body = table((paragraph(run("From")) + paragraph(run("Anna")), sentence), (inner + paragraph(), sentence))
    assert text_of(tmp_path, body).split("\n\n") == [
        "From", "Anna", "Dear Ann, we arrived here on Monday.", "Inner left", "Inner right",
        "Dear Ann, we arrived here on Monday.",
    ]  # fmt: skip


def test_data_tables_are_summarized_even_if_a_remark_is_a_sentence(tmp_path):
    rows = [tuple(paragraph(run(f"{name} {number}")) for name in ("Fruit", "Price", "Weight")) for number in range(9)]
    remark = (paragraph(run("Fig")), paragraph(run("2")), paragraph(run("This one was not there.")))
    assert text_of(tmp_path, table(*rows, remark)) == "Table: 9 rows of Fruit 0, Price 0, Weight 0."


def test_deleted_rows_are_not_read(tmp_path):
    deleted = f"<w:tr><w:trPr><w:del/></w:trPr><w:tc>{paragraph(run('Gone'))}</w:tc></w:tr>"
    assert text_of(tmp_path, f"<w:tbl>{deleted}{row((paragraph(run('Kept')),))}</w:tbl>") == "Kept"


CONTENT = "<w:p><w:r><w:t>Found.</w:t></w:r></w:p>"
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


@pytest.mark.parametrize("way", ["relationship", "type", "name"])
def test_the_text_is_found_regardless_of_its_part_name(tmp_path, way):
    name = "word/document7.xml" if way == "name" else "Text/Main.xml"
    parts: dict[str, str | bytes] = {
        "word/document.xml": "",
        name: word_part("document", f"<w:body>{CONTENT}</w:body>"),
    }
    if way == "relationship":
        parts["_rels/.rels"] = f"<R><Relationship Type='{RELATED}' Target='/text/main.xml'/></R>"
    elif way == "type":
        kind = "application/vnd.ms-word.document.macroEnabled.main+xml"
        parts["[Content_Types].xml"] = f"<T><Override PartName='/Text/Main.xml' ContentType='{kind}'/></T>"
    assert read(write_word_file(tmp_path / "a.docx", "", parts=parts)).text == "Found."


def test_the_strict_kind_of_the_format_is_read(tmp_path):
    def strict(part: str) -> str:
        return part.replace(
            "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            "http://purl.oclc.org/ooxml/wordprocessingml/main",
        )

    body = "".join(styled("Own", title) + paragraph(run("Text.")) for title in ("One", "Two"))
    own = "<w:style w:styleId='Own'><w:name w:val='heading 1'/></w:style>"
    parts: dict[str, str | bytes] = {
        "word/document.xml": strict(word_part("document", f"<w:body>{body}</w:body>")),
        "word/styles.xml": strict(word_part("styles", own)),
    }
    made = read(write_word_file(tmp_path / "a.docx", "", parts=parts))
    assert [each.title for each in made.chapters] == ["One", "Two"]


def test_a_damaged_part_is_left_out_and_told(tmp_path):
    made = read(write_word_file(tmp_path / "a.docx", CONTENT, parts={"word/numbering.xml": "nothing"}))
    assert made.text == "Found."
    assert "word/numbering.xml" in "".join(made.notices)


def test_a_field_shows_its_result_alone(tmp_path):
    def mark(kind: str) -> str:
        return f"<w:r><w:fldChar w:fldCharType='{kind}'/></w:r>"

    inner = mark("begin") + "<w:r><w:instrText>NAME</w:instrText></w:r>" + mark("separate") + run("inner") + mark("end")
    body = paragraph(run("a "), mark("begin"), inner, mark("separate"), run("b"), mark("end"), run(" c"))
    assert text_of(tmp_path, body) == "a b c"
    assert text_of(tmp_path, paragraph(mark("begin")) + paragraph(run("Still read."))) == "Still read."


def test_marks_that_were_deleted_join_paragraphs_and_no_more(tmp_path):
    deleted = "<w:rPr><w:del w:id='1'/></w:rPr>"
    body = "".join(paragraph(run(f"{number} "), properties=deleted) for number in range(3)) + paragraph(run("end."))
    assert text_of(tmp_path, body + paragraph(run("Last."), properties=deleted)) == "0 1 2 end.\n\nLast."


def test_crossed_out_text_is_left_out_and_told(tmp_path):
    struck = run("old ", "<w:dstrike/>")
    made = document(
        tmp_path, styled("Heading1", "Prices") + paragraph(run("The "), struck, run("new", "<w:strike w:val='0'/>"))
    )
    assert made.text.endswith("The new")
    assert "Prices" in made.notices[0]


def test_a_formula_of_an_older_program_is_named_and_told(tmp_path):
    old = "<w:r><w:object><o:OLEObject xmlns:o='urn:x' ProgID='Equation.3'/></w:object></w:r>"
    made = document(tmp_path, paragraph(run("So "), old, run(".")))
    assert made.text == "So formula."
    assert len(made.notices) == 1


PIECES = st.lists(st.tuples(st.sampled_from(["run", "del", "ins", "moveFrom", "hidden", "box"]), st.integers(0, 99)))


@given(st.lists(PIECES, max_size=4))
def test_every_word_that_is_seen_is_read_once(paragraphs):
    def written(kind: str, word: str) -> str:
        if kind == "hidden":
            return run(word, "<w:vanish/>")
        if kind == "box":
            return f"<w:r><w:pict><w:txbxContent>{paragraph(run(word))}</w:txbxContent></w:pict></w:r>"
        return run(word) if kind == "run" else f"<w:{kind}>{run(word)}</w:{kind}>"

    body, seen = "", []
    for pieces in paragraphs:
        body += paragraph(*(written(kind, f" word{number} ") for kind, number in pieces))
        seen += [f"word{number}" for kind, number in pieces if kind in ("run", "ins", "box")]
    with TemporaryDirectory() as folder:
        text = text_of(Path(folder), body + paragraph(run("end")))
    assert sorted(text.split()) == sorted([*seen, "end"])


def test_italic_or_bold_text_beside_plain_text_is_emphasized(tmp_path):
    styles = (
        "<w:style w:styleId='Slanted'><w:name w:val='Slanted'/><w:rPr><w:i/></w:rPr></w:style>"
        "<w:style w:styleId='Q'><w:name w:val='Intense Quote'/></w:style>"
        "<w:style w:styleId='Strong'><w:name w:val='Strong'/></w:style>"
    )
    italic, bold, plain = "<w:i/>", "<w:b w:val='true'/>", "<w:i w:val='0'/>"
    body = "".join((
        styled("Heading2", "The Sea", numbering := "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr>"),
        paragraph(run("He "), run("s", italic), run("aw", italic), run(" "), run("it.", bold)),
        paragraph(run("So", italic), raised("1"), run(" he", italic + bold), run(" said", plain), properties=numbering),
        styled("Slanted", "All of it."),
        styled("Q", "Come back."),
        paragraph(run("Now", "<w:rStyle w:val='Strong'/>")),
    ))  # fmt: skip
    found = document(tmp_path, body, styles, numbering=levels(("decimal", "%1.")))
    assert [each for chapter in found.chapters for each in shown(chapter)] == [
        ("heading", "1. The Sea"), ("emphasis", "saw"), ("strong", "it."), ("emphasis", "So he"), ("strong", "he"),
        ("quote", "Come back."), ("strong", "Now"),
    ]  # fmt: skip


def test_emphasis_stays_where_paragraphs_are_joined(tmp_path):
    deleted = "<w:rPr><w:del/></w:rPr>"
    body = paragraph(run("One "), run("two", "<w:i/>"), properties=deleted) + paragraph(
        run(" three "), run("four", "<w:b/>")
    )
    (chapter,) = document(tmp_path, body).chapters
    assert chapter.text == "One two three four"
    assert shown(chapter) == [("emphasis", "two"), ("strong", "four")]


def test_a_book_is_read_with_its_chapters(tmp_path):
    written = book(3000, 3)
    document = read(write_docx(tmp_path / "a.docx", written))
    assert (document.title, document.author, document.language) == ("The Blue Lantern", "A. Writer", "en-US")
    assert [chapter.title for chapter in document.chapters] == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert document.chapters[2].text == "\n\n".join(["Chapter 3", *written.chapters[2][1]])


def test_deleted_text_notes_and_fields_are_not_read(tmp_path):
    runs = (
        run("Kept ") + "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>" + f"<w:ins>{run('added')}</w:ins>"
        "<w:r><w:footnoteReference w:id='1'/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r>" + run(" text.")
    )
    assert text_of(tmp_path, paragraph(runs)) == "Kept added text."


def test_tabs_and_breaks_are_spaces_and_lines(tmp_path):
    assert text_of(tmp_path, paragraph(run("a") + "<w:r><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>")) == "a b\nc"


def test_a_table_is_summarized_briefly(tmp_path):
    def row(*cells: str) -> str:
        return f"<w:tr>{''.join(f'<w:tc>{paragraph(run(cell))}</w:tc>' for cell in cells)}</w:tr>"

    table = f"<w:tbl>{row('Fruit', 'Price')}{row('Fig', '2')}</w:tbl>"
    assert text_of(tmp_path, paragraph(run("See:")) + table) == "See:\n\nTable: 1 row of Fruit, Price."


def test_content_controls_are_read(tmp_path):
    controls = f"<w:sdt><w:sdtContent>{paragraph(run('Inside.'))}</w:sdtContent></w:sdt>"
    assert text_of(tmp_path, controls) == "Inside."


def test_a_level_of_the_outline_makes_a_heading(tmp_path):
    def heading(text: str) -> str:
        return paragraph(run(text), properties="<w:outlineLvl w:val='0'/>")

    body = heading("One") + paragraph(run("A.")) + heading("Two") + paragraph(run("B."))
    assert [each.title for each in read(write_word_file(tmp_path / "a.docx", body)).chapters] == ["One", "Two"]


def test_a_password_protected_file_is_reported_as_such(tmp_path):
    path = tmp_path / "a.docx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512))
    with pytest.raises(EncryptedDocument, match=r"“a\.docx” is password-protected"):
        read(path)


def test_a_different_archive_counts_as_damaged(tmp_path):
    path = tmp_path / "a.docx"
    path.write_bytes(b"PK\x05\x06" + bytes(18))
    with pytest.raises(DamagedDocument):
        read(path)
