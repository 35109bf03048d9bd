"""The documents that people have reported, next to the repository, read with the right values."""

import pytest

from engine.text.documents.document import Document, Matter
from engine.text.documents.ebook import read as read_book
from engine.text.documents.web_page import read as read_page
from tests.shared_inputs import book, real_text

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
def test_what_is_there_is_read_in_order(name: str) -> None:
    assert said(f"{name}.epub") == PLAIN


@pytest.mark.parametrize(("name", "place"), [("e03_missing_file", "ad.xhtml"), ("e45_zero_byte", "x.xhtml")])
def test_what_is_missing_is_told(name: str, place: str) -> None:
    assert [place in notice for notice in document(f"{name}.epub").notices] == [True]


@pytest.mark.parametrize("name", ["e39", "e39b", "e39c", "e39d", "e39e", "e39f"])
def test_titles_are_whole(name: str) -> None:
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
def test_pages_are_read_in_their_encoding(name: str, text: str) -> None:
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
def test_each_title_is_read_once_before_its_text(name: str, texts: list[str]) -> None:
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
def test_a_page_is_read_as_its_reader_sees_it(name: str, text: str) -> None:
    assert said(name)[0] == text


def test_every_part_that_closes_itself_leaves_what_follows() -> None:
    (text,) = said("e01b_selfclose.epub")
    elements = (
        "frame area svg audio button select form object nav footer noscript math canvas video template dialog aside"
    )
    assert [f"After {each}." in text for each in elements.split()] == [True] * 17


def test_notes_are_kept_apart() -> None:
    notes = document("e21_notes.epub").chapters[0].notes
    assert "This is the note text" in notes
    assert "Second note." in notes
    assert document("h10_wiki.html").chapters[0].notes == "Smith 1990."


def test_a_list_of_contents_is_front_matter() -> None:
    assert [chapter.matter for chapter in document("e36_htmltoc.epub").chapters] == [
        Matter.FRONT, Matter.TEXT, Matter.TEXT,
    ]  # fmt: skip


def test_a_book_in_one_page_has_its_chapters() -> None:
    read = read_page(book("pride-and-prejudice.htm"))
    chapters = [read.chapters[number] for number in read.usual_chapters]
    assert [chapter.title for chapter in chapters] == [f"Chapter {number}" for number in range(1, 62)]
    assert all(chapter.text.startswith(f"{chapter.title}\n\n") for chapter in chapters)
    assert not any("Gutenberg" in chapter.text for chapter in chapters)


def test_a_book_of_pages_has_its_chapters() -> None:
    read = read_book(book("love-among-the-chickens.epub"))
    chapters = [read.chapters[number] for number in read.usual_chapters]
    assert len(chapters) == 23
    assert (chapters[0].title, chapters[9].title) == (
        "I: A Letter with a Postscript",
        "X: I Enlist the Services of a Minion",
    )
    assert all(chapter.text.count(chapter.title) == 1 for chapter in chapters)
