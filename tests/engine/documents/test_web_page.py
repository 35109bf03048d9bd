from pathlib import Path

import pytest

from engine.documents.web_page import blocks_of, read, tree_of


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
