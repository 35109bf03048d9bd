"""Web pages, including reported ones stored next to the repository, read with the right values."""

from base64 import encodebytes

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DamagedDocument
from engine.text.documents.document import Document, Matter
from engine.text.documents.ebook import read as read_book
from engine.text.documents.markup import page_tree, text_of, tree_of_text, xml_tree
from engine.text.documents.web_page import blocks_of, read, tree_of
from engine.text.documents.web_page import read as read_page
from tests.engine.text.documents.pages import book_of, xhtml
from tests.engine.text.documents.pages import texts as texts_of
from tests.shared_inputs import book, real_text


def texts(page: str) -> list[str]:
    return [block.text for block in blocks_of(tree_of(page.encode()), main=True)]


def test_headings_and_paragraphs_come_in_order():
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
def test_unspoken_content_is_omitted(unspoken):
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
def test_marks_of_notes_go_and_other_raised_text_stays(inline, spoken):
    assert texts(f"<p>{inline}</p>") == [spoken]


def test_a_table_is_summarized_briefly():
    table = (
        "<table><caption>Prices</caption><tr><th>Fruit<th>Price</tr><tr><td>Fig<td>2</tr><tr><td>Pear<td>1</tr></table>"
    )
    assert texts(f"<p>See:</p>{table}<p>So.</p>") == ["See:", "Table, Prices: 2 rows of Fruit, Price.", "So."]


def test_a_table_that_only_arranges_is_read():
    assert texts("<table><tr><td>Left text.</td><td>Right text.</td></tr></table>") == ["Left text.", "Right text."]


def test_only_the_main_part_is_read():
    assert texts("<div>Menu</div><main><p>This.</p></main><div>Advertisement</div>") == ["This."]


def test_a_page_states_its_title_author_and_language(tmp_path):
    path = tmp_path / "a.html"
    head = "<meta charset=windows-1252><title> Une\n page </title><meta name=author content=Elle>"
    path.write_bytes(f"<html lang=fr><head>{head}</head><p>Été</html>".encode("cp1252"))
    document = read(path)
    assert (document.title, document.author, document.language) == ("Une page", "Elle", "fr")
    assert document.chapters[0].text == "Été"


def test_a_faulty_page_is_read_as_well_as_it_can_be():
    assert texts("<p>One<p>Two<b>bold</p></div></b><li>Three") == ["One", "Twobold", "Three"]


def test_an_empty_page_has_no_blocks():
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
def test_a_page_is_decoded_by_its_declared_or_actual_encoding(form, label, code, text):
    assert paragraph(form.format(label, text).encode(code)) == text


@pytest.mark.parametrize("code", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32"])
@pytest.mark.parametrize("form", [META, XML])
def test_marks_and_first_bytes_tell_the_code(form, code):
    assert paragraph(form.format(code.removesuffix("-sig"), "l’été 朝").encode(code)) == "l’été 朝"


def test_a_page_that_names_no_code_is_read_as_a_text():
    assert paragraph("<p>l’hôtel était prêt</p>".encode("cp1252")) == "l’hôtel était prêt"


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content):
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
def test_signs_are_read_as_they_are_meant(written, read):
    assert "".join(xml_tree(f"<a>{written}</a>".encode()).itertext()) == read


@pytest.mark.parametrize("written", ["", "  ", "no xml"])
def test_invalid_xml_has_no_tree(written):
    assert xml_tree(written.encode()) is None


def test_xhtml_may_have_a_prefix_and_elements_that_close_themselves():
    page = (
        '<?xml version="1.0"?><h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:script src="x"/></h:head>'
        "<h:body><h:div/><h:p>One&nbsp;two</h:p></h:body></h:html>"
    )
    assert paragraph(page.encode()) == "One\u00a0two"


@pytest.mark.parametrize("suffix", [".mht", ".MHTML"])
@pytest.mark.parametrize("coding", ["quoted-printable", "base64", "8bit"])
def test_a_saved_page_is_read(tmp_path, suffix, coding):
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


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "a.html").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(DamagedDocument, match=r"“a\.html” isn’t a text file"):
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
def test_content_hidden_from_readers_is_not_read(hidden):
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
def test_content_visible_to_readers_is_read(shown):
    sheet = "<style>@media print {.print{display:none} .x{}} p.a {display:none} .d > .e {display:none}</style>"
    form = shown.replace("<h1>Yes.</h1>", "<h1>Yes.</h1><p>a</p><p>b</p><p>c</p>")
    assert "Yes." in texts_of(f"{sheet}<p>Before.</p>{form}")


def test_words_are_whole_around_numbers_of_pages():
    page = "<p>It was the best <span class='pagenum'>[Pg 23]</span>of times."
    page += " It was<span class='pb'>24</span> so [Pg 25] on.</p>"
    assert texts_of(page) == ["It was the best of times. It was so on."]


def test_screen_reader_text_is_read_instead_of_the_visible_text():
    page = "<p><span aria-hidden='true'>T</span><span class='sr-only'>The</span> sea.</p>"
    assert texts_of(page) == ["The sea."]


def test_boxes_beside_the_text_are_reported_once(tmp_path):
    (tmp_path / "a.html").write_text("<p>Text.</p><aside><p>One.</p></aside><aside><p>Two.</p></aside>")
    (notice,) = read(tmp_path / "a.html").notices
    assert "2 boxes" in notice
    assert "One." in notice


def test_long_content_outside_the_main_part_is_reported(tmp_path):
    path = tmp_path / "a.html"
    path.write_text("<p>Menu</p><main><p>Text.</p></main>")
    assert (read(path).text, read(path).notices) == ("Text.", ())
    path.write_text(f"<main><p>Text.</p></main><p>{'A long story. ' * 50}</p>")
    assert len(read(path).notices) == 1


def test_several_articles_are_the_main_part():
    assert texts_of("<header><p>Site</p></header><article><p>One.</p></article><article><p>Two.</p></article>") == [
        "One.", "Two.",
    ]  # fmt: skip


def test_books_have_no_furniture_of_sites(tmp_path):
    body = "<h1>One</h1><p class='hid'>No.</p><aside><p>A box.</p></aside>"
    body += "<footer>Yours, Bill</footer><p class='share'>Mine</p>"
    pages = {
        "c1.xhtml": xhtml(body, "<link rel='stylesheet' href='s.css'/>"),
        "c2.xhtml": xhtml("<h1>Two</h1><p>x</p>"),
    }
    document = book_of(tmp_path, pages, OEBPS__s_0_css=".hid { display: none }")
    assert document.chapters[0].text == "One\n\nA box.\n\nYours, Bill\n\nMine"


def test_a_page_that_shows_nothing_by_itself_is_read():
    assert texts_of("<style>.app { display: none }</style><div class='app'><p>Text.</p></div>") == ["Text."]


MORNING = "It was a quiet morning in the harbour. The boats lay still."
EVENING = "In the evening the wind rose. Nobody slept that night."
PLAIN = [f"One\n\n{MORNING}", f"Two\n\n{EVENING}"]


def document(name: str) -> Document:
    path = real_text(name)
    return read_book(path) if path.suffix == ".epub" else read_page(path)


def said(name: str) -> list[str]:
    return [chapter.text for chapter in document(name).chapters]


@pytest.mark.parametrize(
    "name",
    [
        "e01_script", "e02_spine_not_in_manifest", "e03_missing_file", "e04_percent", "e04b_nfd",
        "e04c_fragment_in_manifest", "e06_case", "e07_backslash_href", "e38_leading_slash", "e38b_container_backslash",
        "e38d_no_container", "e39_opf_leading_blank", "e39b_opf_utf16", "e39c_opf_badamp", "e39d_opf_latin1_lying",
        "e39e_opf_prefixed", "e39f_dc_metadata", "e41_oeb1", "e41c_xml", "e41d_none", "e43_all_nonlinear",
        "e45_zero_byte",
    ],
)  # fmt: skip
def test_available_pages_are_read_in_order(name):
    assert said(f"{name}.epub") == PLAIN


@pytest.mark.parametrize(("name", "place"), [("e03_missing_file", "ad.xhtml"), ("e45_zero_byte", "x.xhtml")])
def test_missing_content_is_reported(name, place):
    assert [place in notice for notice in document(f"{name}.epub").notices] == [True]


@pytest.mark.parametrize("name", ["e39", "e39b", "e39c", "e39d", "e39e", "e39f"])
def test_titles_are_whole(name):
    kinds = {
        "e39": "_opf_leading_blank", "e39b": "_opf_utf16", "e39c": "_opf_badamp", "e39d": "_opf_latin1_lying",
        "e39e": "_opf_prefixed", "e39f": "_dc_metadata",
    }  # fmt: skip
    assert document(f"{name}{kinds[name]}.epub").title == "Café & Co"


ELODIE = "Première\n\nÉlodie était déjà à l’hôtel. Le café était prêt, et il pleuvait."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("e08_cp1251_xmldecl.epub", "Первая\n\nУтром море было спокойным. Лодки стояли неподвижно."),
        ("e08b_latin1_xmldecl.epub", ELODIE.replace("’", "'")),
        ("e08c_cp1252_xmldecl.epub", ELODIE),
        ("e08d_utf16.epub", ELODIE),
        ("e08e_utf8_meta_wrong.epub", ELODIE),
        ("e08f_nodecl_cp1252.epub", ELODIE),
        ("h03_utf16.html", "Déjà vu à l’été."),
        ("h03b_sjis.html", "朝の港は静かだった。"),
        ("h03c_gbk.html", "早上的港口很安静。"),
    ],
)
def test_pages_are_read_in_their_encoding(name, text):
    assert said(name) == [text]


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("e09_entities.epub", [
            "Chapter 1 — Café\n\nHe said “no”… and left – at once.", f"Logistics & Supply\n\nTwo\n\n{EVENING}",
        ]),
        ("e10_nested.epub", [
            f"PART ONE\n\nChapter 1\n\n{MORNING}\n\nChapter 2\n\n{EVENING}", f"PART TWO\n\nChapter 3\n\n{MORNING}",
        ]),
        ("e11_two_labels_one_file.epub", [f"Part One\n\nChapter 1\n\n{MORNING}", f"Chapter 2\n\n{EVENING}"]),
        ("e14_anchor_in_pagebreak.epub", [
            "Opening words of the book.", f"Chapter 1\n\n{MORNING}", f"Chapter 2\n\n{EVENING}",
        ]),
        ("e14b_anchor_in_table.epub", [f"Chapter 1\n\n{MORNING}", f"Chapter 2\n\n{EVENING}"]),
        ("e29_heading_break.epub", [
            f"Chapter 1: The Sea\n\n{MORNING}", f"2: The Wind\n\n{EVENING}", f"3\n\nThe Rain\n\n{EVENING}",
        ]),
        ("e37_ncx_no_tocattr.epub", [f"The Sea\n\n{MORNING}", f"The Wind\n\n{EVENING}"]),
        ("e50_title_twice.epub", [
            f"Chapter One: The Sea\n\n{MORNING}", f"2. The Wind\n\n{EVENING}",
            f"Chapter Three – The Rain\n\n{EVENING}",
        ]),
        ("e51_only_roman.epub", [
            f"I\n\n{MORNING}", f"II\n\nIII\n\n{EVENING}", f"IV\n\n{EVENING}", f"V.\n\n{EVENING}",
        ]),
    ],
)  # fmt: skip
def test_each_title_is_read_once_before_its_text(name, texts):
    assert said(name) == texts


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("e18_dropcap_block.epub", "One\n\nThe sea was calm.\n\nIn the beginning.\n\nWHEN THE OLD MAN came home."),
        ("e19_ruby.epub", "一\n\nたけぞうはヒエログリフを見た。くい殺された。とうきょうへ。"),
        ("e20_hidden.epub", "One\n\nSeen.\n\nEnd."),
        ("e21_notes.epub", "One\n\nHe left. In it was gold. Then he slept. See note 7 there. She wept. "
         "Nobody came. End."),
        ("e21b_sup.epub", "One\n\nAbout 10⁶ stars, 10⁻⁹ m, 6.02 × 10²³ atoms, E = mc², x² + y², 100², "
         "the 19th century, H₂O, CO₂, log₁₀ x, 30 m², 5 cm³, Mme Verne, 1er mai."),
        ("e22_pagenum.epub", "One\n\nIt was the best of times. It was the worst. So it went. And on."),
        ("e25_math.epub", "One\n\nThe area is pi r squared, and x equals two follows."),
        ("e33_fixed.epub", "The little fox\n\nran all the way home\n\nbefore the rain."),
        ("e36_htmltoc.epub", "Contents\n\nChapter 1: The Sea 3\n\nChapter 2: The Wind 17"),
        ("e47_cdata_prefix.epub", "One\n\nIt was a quiet morning."),
        ("e52_table.epub", "One\n\nHAMLET\n\nTo be, or not to be.\n\nOPHELIA\n\nGood my lord.\n\nHAMLET\n\n"
         "I humbly thank you.\n\nEnd."),
        ("e53_verse.epub", "One\n\nThe curfew tolls the knell of parting day,\n"
         "The lowing herd wind slowly o’er the lea\n\nLine one\nline two\nline three"),
        ("e54_li_dl.epub", "One\n\nFirst thing\n\nSecond thing\n\nFifth\n\nCat\n\nAn animal\n\n"
         "He said “come here” twice.\n\nThe new price.\n\nsupercalifragil\n\nhyphenation"),
        ("h01_hidden.html", "Seen.\n\nEnd."),
        ("h02_articles.html", "Title\n\nBody text one.\n\nComment by Bob\n\nNice."),
        ("h10_wiki.html", "Harbour\n\nA harbour is a place.\n\nHistory\n\nIt was built in 1900."),
        ("h11_details_pre.html", "More\n\nInside.\n\nfor i in range(3):\nprint(i)\n\nHe said “come”. The old new. "
         "WHO.\n\nFirst.\n\nText\n\nAB, onetwo, ½ cup, 5 000, © 2020."),
        ("h12_saved.mht", "The sea was calm."),
        ("h13_sup.html", "About 10⁶ stars. E = mc². Then 10⁻⁹ m and 2¹⁰ = 1024."),
        ("h14_crossref.html", "See Figure 2, Section 3, Chapter 12 and Appendix B. Equation (1) holds. "
         "On page 45 it ends."),
    ],
)  # fmt: skip
def test_a_page_is_read_as_its_reader_sees_it(name, text):
    assert said(name)[0] == text


def test_self_closing_elements_do_not_swallow_the_following_text():
    (text,) = said("e01b_selfclose.epub")
    elements = (
        "frame area svg audio button select form object nav footer noscript math canvas video template dialog aside"
    )
    assert [f"After {each}." in text for each in elements.split()] == [True] * 17


def test_notes_stay_separate_from_the_text():
    notes = document("e21_notes.epub").chapters[0].notes
    assert "This is the note text" in notes
    assert "Second note." in notes
    assert document("h10_wiki.html").chapters[0].notes == "Smith 1990."


def test_a_list_of_contents_is_front_matter():
    assert [chapter.matter for chapter in document("e36_htmltoc.epub").chapters] == [
        Matter.FRONT, Matter.TEXT, Matter.TEXT,
    ]  # fmt: skip


def test_a_book_in_one_page_has_its_chapters():
    read = read_page(book("pride-and-prejudice.htm"))
    chapters = [read.chapters[number] for number in read.default_chapters]
    assert [chapter.title for chapter in chapters] == [f"Chapter {number}" for number in range(1, 62)]
    assert all(chapter.text.startswith(f"{chapter.title}\n\n") for chapter in chapters)
    assert not any("Gutenberg" in chapter.text for chapter in chapters)


def test_a_book_of_pages_has_its_chapters():
    read = read_book(book("love-among-the-chickens.epub"))
    chapters = [read.chapters[number] for number in read.default_chapters]
    assert len(chapters) == 23
    assert (chapters[0].title, chapters[9].title) == (
        "I: A Letter with a Postscript",
        "X: I Enlist the Services of a Minion",
    )
    assert all(chapter.text.count(chapter.title) == 1 for chapter in chapters)
