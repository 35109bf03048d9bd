from base64 import encodebytes
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DamagedDocument
from engine.text.documents.markup import page_tree, text_of, tree_of_text, xml_tree
from engine.text.documents.web_page import blocks_of, read, tree_of
from tests.engine.text.documents.pages import book_of, xhtml
from tests.engine.text.documents.pages import texts as texts_of


def texts(page: str) -> list[str]:
    return [block.text for block in blocks_of(tree_of(page.encode()), main=True)]


def test_headings_and_paragraphs_come_in_order() -> None:
    page = "<h1 id=a>One</h1>Loose <b>text</b><p>First<br>line</p><div>In <i>a</i> div<p>then</p>after</div>"
    assert [(block.text, block.level, block.anchors) for block in blocks_of(tree_of(page.encode()))] == [
        ("One", 1, frozenset({"a"})),
        *((text, 0, frozenset()) for text in ("Loose text", "First\nline", "In a div", "then", "after")),
    ]


@pytest.mark.parametrize(
    "unspoken",
    [
        "<script>let x</script>", "<style>p {}</style>", "<nav>Home</nav>", "<!-- no -->", "<p hidden>no</p>",
        "<p aria-hidden='true'>no</p>", "<aside epub:type='footnote'>1. See there.</aside>", "<footer>2026</footer>",
        "<section role='doc-endnotes'>1. See there.</section>", "<span epub:type='pagebreak'>12</span>",
        "<svg><text>no</text></svg>", "<button>Buy</button>",
    ],
)  # fmt: skip
def test_what_is_not_read_aloud_is_left_out(unspoken: str) -> None:
    assert texts(f"<p>Before.</p>{unspoken}<p>After.</p>") == ["Before.", "After."]


@pytest.mark.parametrize(
    ("inline", "spoken"),
    [
        ("the end.<sup>12</sup> Then", "the end. Then"),
        ("the word<sup><a href='#n1'>1</a></sup> here", "the word here"),
        ("the word<a href='notes.xhtml#n1'>[1]</a> here", "the word here"),
        ("a link <a href='#there'>to there</a> stays", "a link to there stays"),
        ("the 1<sup>st</sup> of May", "the 1st of May"),
        ("5 m<sup>2</sup> large", "5 m² large"),
    ],
)
def test_marks_of_notes_go_and_other_raised_text_stays(inline: str, spoken: str) -> None:
    assert texts(f"<p>{inline}</p>") == [spoken]


def test_a_table_is_told_shortly() -> None:
    table = (
        "<table><caption>Prices</caption><tr><th>Fruit<th>Price</tr><tr><td>Fig<td>2</tr><tr><td>Pear<td>1</tr></table>"
    )
    assert texts(f"<p>See:</p>{table}<p>So.</p>") == ["See:", "Table, Prices: 2 rows of Fruit, Price.", "So."]


def test_a_table_that_only_arranges_is_read() -> None:
    assert texts("<table><tr><td>Left text.</td><td>Right text.</td></tr></table>") == ["Left text.", "Right text."]


def test_only_the_main_part_is_read() -> None:
    assert texts("<div>Menu</div><main><p>This.</p></main><div>Advertisement</div>") == ["This."]


def test_a_page_says_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    head = "<meta charset=windows-1252><title> Une\n page </title><meta name=author content=Elle>"
    path.write_bytes(f"<html lang=fr><head>{head}</head><p>Été</html>".encode("cp1252"))
    document = read(path)
    assert (document.title, document.author, document.language) == ("Une page", "Elle", "fr")
    assert document.chapters[0].text == "Été"


def test_a_faulty_page_is_read_as_well_as_it_can_be() -> None:
    assert texts("<p>One<p>Two<b>bold</p></div></b><li>Three") == ["One", "Twobold", "Three"]


def test_an_empty_page_has_no_blocks() -> None:
    assert texts("") == []


META = '<html><head><meta charset="{}"></head><body><p>{}</p></body></html>'
HTTP = (
    '<html><head><meta http-equiv="Content-Type" content="text/html; charset={}"></head><body><p>{}</p></body></html>'
)
XML = "<?xml version='1.0' encoding='{}'?><html xmlns='http://www.w3.org/1999/xhtml'><body><p>{}</p></body></html>"
WRITTEN = [
    ("shift_jis", "cp932", "朝の港は静か①"), ("x-sjis", "cp932", "朝の港"), ("EUC-JP", "euc_jp", "朝の港"),
    ("iso-2022-jp", "iso2022_jp", "朝の港"), ("gb2312", "gb18030", "早上的港口镕"), ("GBK", "gbk", "早上"),
    ("big5", "big5", "早上的港口"), ("euc-kr", "cp949", "아침의 항구"), ("windows-1251", "cp1251", "Утром море"),
    ("koi8-r", "koi8_r", "Утром море"), ("iso-8859-1", "cp1252", "l’hôtel était “là”"), ("us-ascii", "cp1252", "l’été"),
    ("iso-8859-2", "iso8859_2", "łódź"), ("windows-1252", "cp1252", "l’été"), ("utf-8", "utf-8", "l’été"),
    ("nonsense", "utf-8", "l’été"), ("us-ascii", "utf-8", "l’été"), ("utf-16", "utf-8", "l’été"),
]  # fmt: skip


def paragraph(content: bytes) -> str:
    return "".join(page_tree(content).xpath("string(//p)"))


@pytest.mark.parametrize("form", [META, HTTP, XML])
@pytest.mark.parametrize(("label", "code", "text"), WRITTEN)
def test_a_page_is_read_in_the_code_that_it_names_or_is_in(form: str, label: str, code: str, text: str) -> None:
    assert paragraph(form.format(label, text).encode(code)) == text


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32"])
@pytest.mark.parametrize("form", [META, XML])
def test_marks_and_first_bytes_tell_the_code(form: str, code: str) -> None:
    assert paragraph(form.format(code.removesuffix("-sig"), "l’été 朝").encode(code)) == "l’été 朝"


def test_a_page_that_names_no_code_is_read_as_a_text() -> None:
    assert paragraph("<p>l’hôtel était prêt</p>".encode("cp1252")) == "l’hôtel était prêt"


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        assert tree_of_text(text_of(content, "a.html").text).tag
    except DamagedDocument as error:
        assert "a.html" in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a &amp; b", "a & b"), ("a & b", "a & b"), ("&eacute;&mdash;", "é—"), ("&#233;&#xe9;", "éé"),
        ("&lt;b&gt;", "<b>"),
        ("AT&T", "AT&T"), ("<![CDATA[a & <b>]]>", "a & <b>"), ("a &; b", "a &; b"),
    ],
)  # fmt: skip
def test_signs_are_read_as_they_are_meant(written: str, read: str) -> None:
    assert "".join(xml_tree(f"<a>{written}</a>".encode()).itertext()) == read


@pytest.mark.parametrize("written", ["", "  ", "no xml"])
def test_what_is_no_xml_has_no_tree(written: str) -> None:
    assert xml_tree(written.encode()) is None


def test_xhtml_may_have_a_prefix_and_elements_that_close_themselves() -> None:
    page = (
        '<?xml version="1.0"?><h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:script src="x"/></h:head>'
        "<h:body><h:div/><h:p>One&nbsp;two</h:p></h:body></h:html>"
    )
    assert paragraph(page.encode()) == "One\u00a0two"


@pytest.mark.parametrize("suffix", [".mht", ".MHTML"])
@pytest.mark.parametrize("coding", ["quoted-printable", "base64", "8bit"])
def test_a_saved_page_is_read(tmp_path: Path, suffix: str, coding: str) -> None:
    page = "<html><head><title>Été</title></head><body><p>It was calm = so.</p></body></html>"
    body = {
        "quoted-printable": page.replace("=", "=3D").replace("É", "=C9").replace("é", "=E9"),
        "base64": encodebytes(page.encode("latin-1")).decode(),
        "8bit": page,
    }[coding]
    path = tmp_path / f"a{suffix}"
    path.write_bytes(
        (
            'From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; '
            'boundary="--B"\r\n\r\n----B\r\nContent-Type: image/png\r\n\r\n\r\nAA==\r\n'
            f'----B\r\nContent-Type: text/html; charset="iso-8859-1"\r\nContent-Transfer-Encoding: {coding}\r\n\r\n'
            f"{body}\r\n----B--\r\n"
        ).encode("latin-1")
    )
    document = read(path)
    assert (document.title, document.text) == ("Été", "It was calm = so.")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(DamagedDocument, match=r"“a\.html” is not a text"):
        read(tmp_path / "a.html")


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
    assert texts_of(f"{sheet}<p>Before.</p>{hidden}<p>After.</p>") == ["Before.", "After."]


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
    assert "Yes." in texts_of(f"{sheet}<p>Before.</p>{form}")


def test_words_are_whole_around_numbers_of_pages() -> None:
    page = "<p>It was the best <span class='pagenum'>[Pg 23]</span>of times."
    page += " It was<span class='pb'>24</span> so [Pg 25] on.</p>"
    assert texts_of(page) == ["It was the best of times. It was so on."]


def test_what_screen_readers_get_in_place_of_what_is_shown_is_read() -> None:
    page = "<p><span aria-hidden='true'>T</span><span class='sr-only'>The</span> sea.</p>"
    assert texts_of(page) == ["The sea."]


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
    assert texts_of("<header><p>Site</p></header><article><p>One.</p></article><article><p>Two.</p></article>") == [
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
    assert texts_of("<style>.app { display: none }</style><div class='app'><p>Text.</p></div>") == ["Text."]
