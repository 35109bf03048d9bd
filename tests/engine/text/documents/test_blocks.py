import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.documents.blocks import LARGE_CHARACTERS, MAX_CHARACTERS, Block, chapters_of, moved
from engine.text.documents.document import Chapter, Matter, Picture, Styled, TextStyle
from engine.text.documents.prose import LineJoiner, clean, is_note_mark
from tests.engine.text.documents.pages import blocks, texts


def test_each_heading_begins_a_chapter_that_is_spoken_with_its_title():
    blocks = [Block("One", 1), Block("It begins."), Block("It goes on."), Block("Two", 1), Block("It ends.")]
    assert chapters_of(blocks, "Book") == (
        Chapter("One", "One\n\nIt begins.\n\nIt goes on.", styles=(Styled(0, 3, TextStyle.HEADING, 1),)),
        Chapter("Two", "Two\n\nIt ends.", styles=(Styled(0, 3, TextStyle.HEADING, 1),)),
    )


def test_text_without_headings_is_one_chapter_with_the_title_of_the_document():
    assert chapters_of([Block("Only this.")], "Note") == (Chapter("Note", "Only this."),)


def test_text_before_the_first_heading_is_a_chapter():
    chapters = chapters_of([Block("For you."), Block("One", 1), Block("A."), Block("Two", 1), Block("B.")], "Book")
    assert [chapter.title for chapter in chapters] == ["Book", "One", "Two"]
    assert chapters[0].text == "For you."


def test_the_title_of_the_whole_is_spoken_with_its_first_chapter():
    blocks = [Block("The Book", 1), Block("One", 2), Block("A."), Block("Two", 2), Block("B.")]
    styles = (Styled(0, 8, TextStyle.HEADING, 1), Styled(10, 13, TextStyle.HEADING, 2))
    assert chapters_of(blocks, "Book")[0] == Chapter("One", "The Book\n\nOne\n\nA.", styles=styles)


def test_headings_below_chapters_are_paragraphs():
    blocks = [
        Block("One", 1),
        Block("Part", 2),
        Block("A."),
        Block("Part", 2),
        Block("B."),
        Block("Two", 1),
        Block("C."),
    ]
    assert [chapter.title for chapter in chapters_of(blocks, "Book")] == ["One", "Two"]


def test_large_parts_are_cut_at_the_headings_below():
    long = Block("x " * LARGE_CHARACTERS)
    blocks = [
        Block("Part 1", 1),
        Block("One", 2),
        long,
        Block("Two", 2),
        long,
        Block("Part 2", 1),
        Block("Three", 2),
        long,
    ]
    titles = {chapter.title.partition(" (")[0] for chapter in chapters_of(blocks, "Book")}
    assert titles == {"One", "Two", "Three"}


def test_a_chapter_that_is_too_long_is_cut_between_paragraphs_without_loss():
    paragraphs = [Block(f"Paragraph {number}. " + "word " * 200) for number in range(150)]
    chapters = chapters_of(paragraphs, "Book")
    assert [chapter.title for chapter in chapters] == ["Book (1)", "Book (2)", "Book (3)"]
    assert all(len(chapter.text) <= MAX_CHARACTERS for chapter in chapters)
    assert all(chapter.text.startswith("Paragraph") for chapter in chapters)
    assert " ".join(chapter.text for chapter in chapters).split() == " ".join(p.text for p in paragraphs).split()


def test_a_paragraph_that_is_too_long_is_cut_between_words():
    chapters = chapters_of([Block("word " * MAX_CHARACTERS)], "Book")
    assert {word for chapter in chapters for word in chapter.text.split()} == {"word"}


def test_nothing_has_no_chapter():
    assert chapters_of([Block("  ")], "Book") == ()


def test_thousands_of_headings_without_text_take_linear_time():
    """Quadratic time would be minutes or more."""
    chapters = chapters_of([Block("One", 1)] * 150_000, "Book")
    assert sum(chapter.text.count("One") for chapter in chapters) == 150_000


def test_blocks_of_different_matter_become_separate_chapters():
    blocks = [
        Block("A Book", 1, matter=Matter.FRONT),
        Block("By Somebody.", matter=Matter.FRONT),
        Block("It begins.", notes=("A note.",)),
        Block("It ends.", notes=("Another.",)),
        Block("Index", 1),
        Block("It, 1"),
        Block("Licence text.", matter=Matter.BACK),
    ]
    assert [(each.title, each.text, each.matter, each.notes) for each in chapters_of(blocks, "A Book")] == [
        ("A Book", "A Book\n\nBy Somebody.", Matter.FRONT, ""),
        ("A Book", "It begins.\n\nIt ends.", Matter.TEXT, "A note.\n\nAnother."),
        ("Index", "Index\n\nIt, 1", Matter.BACK, ""),
        ("Back matter", "Licence text.", Matter.BACK, ""),
    ]


def test_text_after_different_matter_continues_under_its_title():
    blocks = [Block("One", 1), Block("a"), Block("Two", 1), Block("b"), Block("list", matter=Matter.FRONT), Block("c")]
    assert [(each.title, each.text) for each in chapters_of(blocks, "A Book")] == [
        ("One", "One\n\na"), ("Two", "Two\n\nb"), ("Front matter", "list"), ("Two", "c"),
    ]  # fmt: skip


def test_pieces_of_a_long_chapter_retain_their_styles_and_pictures():
    words = "word " * 200
    paragraphs = [
        Block(
            f"{number:03} {words}.",
            styles=(Styled(0, 3, TextStyle.STRONG),),
            pictures=(Picture(4, f"{number:03}.png"),),
        )
        for number in range(150)
    ]
    quotes = [replace(block, is_quote=number % 3 == 0) for number, block in enumerate(paragraphs)]
    pieces = chapters_of([Block("One", 1), *quotes], "Book")
    assert len(pieces) == 3
    numbers = []
    for piece in pieces:
        for style in piece.styles:
            said = piece.text[style.start : style.end]
            if style.text_style is TextStyle.STRONG:
                numbers.append(said)
            elif style.text_style is TextStyle.QUOTE:
                assert int(said[:3]) % 3 == 0
                assert said[3:] == f" {words}."
        for picture in piece.pictures:
            assert piece.text[picture.start - 4 : picture.start] == f"{picture.name[:3]} "
    assert numbers == [f"{number:03}" for number in range(150)]
    assert sum(len(piece.pictures) for piece in pieces) == 150


def test_a_paragraph_that_is_cut_is_shown_alike_in_all_pieces():
    word = "word " * MAX_CHARACTERS
    blocks = [
        Block("Short.", pictures=(Picture(6, "a.png"),)),
        Block(word, styles=(Styled(5, len(word), TextStyle.STRONG),)),
    ]
    pieces = chapters_of(blocks, "Book")
    assert len(pieces) > 3
    for piece in pieces[1:]:
        assert piece.styles == (Styled(0, len(piece.text), TextStyle.STRONG),)
    assert [len(piece.pictures) for piece in pieces] == [1, *(0 for _ in pieces[1:])]


def test_nothing_is_set_apart_where_most_is():
    (chapter,) = chapters_of([Block("A verse.", is_quote=True), Block("By B.")], "Poems")
    assert chapter.styles == ()


def test_pictures_of_empty_blocks_move_to_adjacent_text():
    picture = Picture(0, "a.png")
    (chapter,) = chapters_of([Block("", pictures=(picture,)), Block("One."), Block(" ", pictures=(picture,))], "Book")
    assert chapter.pictures == (picture, Picture(4, "a.png"))


def test_marks_of_emphasis_move_with_a_text_that_is_cleaned_further():
    block = Block("1. He [3] left.", styles=(Styled(3, 9, TextStyle.STRONG),), pictures=(Picture(10, "a.png"),))
    cleaned = block.with_text("He left.")
    assert (cleaned.styles, cleaned.pictures) == ((Styled(0, 2, TextStyle.STRONG),), (Picture(3, "a.png"),))


NOISE = st.sampled_from(
    ["", " ", "\n", "\u00ad", "\u2060", "[Pg 12]", "¹²", "\n\n  ", "\ue001a boat\ue002", "[13]", " [1] ", "*"]
)
WORD = st.tuples(st.sampled_from(["the", "sea", "a", "man", "I", "fire"]), NOISE, st.booleans())


def cleaned(text: str) -> str:
    text = re.sub(r"\[[^\]]*\]|[¹²*\u00ad\u2060]|\ue001.*?\ue002", "", text)
    return re.sub(r"\s+", " ", text).strip()


@given(st.lists(WORD, max_size=40))
def test_spans_are_around_the_same_words_when_a_text_is_cleaned(words):
    before, wanted = "", set()
    spans: list[Styled] = []
    for number, (word, noise, is_marked) in enumerate(words):
        written = f"{word}{number}"
        start = len(before)
        before += f"{written}{noise}"
        if is_marked:
            spans.append(Styled(start, len(before), TextStyle.STRONG))
            wanted.add(str(number))
        before += " "
    after = cleaned(before)
    found = set()
    for style in moved(spans, before, after):
        said = after[style.start : style.end]
        assert said == said.strip() != ""
        found.update(re.findall(r"(?:the|sea|a|man|I|fire)(\d+)", said))
    assert found == {cleaned(number) for number in wanted}


def test_a_sign_may_become_several():
    before, after = "The ﬁrst of\u00adﬁces ﬁt.", "The first offices fit."
    found = moved([Styled(4, 8, TextStyle.STRONG), Styled(16, 19, TextStyle.STRONG)], before, after)
    assert [after[style.start : style.end] for style in found] == ["first", "fit"]


def test_removed_text_has_no_span_and_nested_spans_merge():
    spans = [Styled(3, 9, TextStyle.STRONG), Styled(10, 13, TextStyle.STRONG), Styled(11, 13, TextStyle.STRONG)]
    assert moved(spans, "He [Pg 3] saw.", "He saw.") == (Styled(3, 6, TextStyle.STRONG),)


def test_long_texts_take_linear_time():
    """Quadratic time would be minutes or more."""
    for unit in ("a¹ ", "[Pg 1]ab", "x\u00ady ", "ab "):
        before = unit * 20_000
        spans = [Styled(place, place + 2, TextStyle.STRONG) for place in range(0, len(before), 4)]
        moved(spans, before, cleaned(before))
    moved([Styled(0, 5, TextStyle.STRONG)], "abcdefgh" * 10_000, "ijklmnop" * 10_000)


@pytest.mark.parametrize(
    ("table", "read"),
    [
        ("<tr><td>HAMLET<td>To be, or not.</tr><tr><td>OPHELIA<td>Good my lord.</tr>",
         ["HAMLET", "To be, or not.", "OPHELIA", "Good my lord."]),
        ("<tr><td><p>One.</p><p>Two.</p></td><td>3</td></tr><tr><td>4<td>5</tr>", ["One.", "Two.", "3", "4", "5"]),
        ("<tr><td><h2>A</h2>a</td></tr><tr><td><h2>B</h2>b</td></tr>", ["A", "a", "B", "b"]),
        ("<tr><td>1<td><table><tr><td>2<td>3</tr><tr><td>4<td>5</tr></table></td></tr><tr><td>6<td>7</tr>",
         ["1", "Table: 1 row of 2, 3.", "6", "7"]),
        ("<tr><td>Left<br>one<td>Right</tr>", ["Left\none", "Right"]),
    ],
)  # fmt: skip
def test_a_table_that_arranges_text_is_read_cell_by_cell(table, read):
    assert texts(f"<table>{table}</table>") == read


@pytest.mark.parametrize(
    "table",
    [
        "<tr><th>Name<th>Price</tr><tr><td>Fig<td>2</tr><tr><td>Pear<td>1</tr>",
        "<thead><tr><td>Name<td>Price</tr></thead><tr><td>Fig<td>It is a fruit.</tr><tr><td>Pear<td>So it is.</tr>",
        "<tr><td>Name<td>Price</tr><tr><td>Mr. A.<td>2</tr><tr><td>Mr. B.<td>1</tr>",
        "<tr><td>Name<td>Price</tr><tr><td>Fig<td>2</tr><tr><td><p>Pear</p><td>1</tr>",
    ],
)
def test_a_data_table_is_summarized_briefly(table):
    assert texts(f"<table>{table}</table>") == ["Table: 2 rows of Name, Price."]


def test_a_table_is_treated_according_to_its_role():
    table = "<tr><th>Name<th>Price</tr><tr><td>Fig<td>2</tr>"
    assert texts(f"<table role='presentation'>{table}</table>") == ["Name", "Price", "Fig", "2"]


def test_contents_in_a_table_are_front_matter():
    row = "<tr><td>{0}.</td><td><a href='#c{0}'>Title {0}</a></td><td>1{0}</td></tr>"
    page = "<table>" + "".join(row.format(n) for n in range(1, 4)) + "</table><h2 id='c1'>Title 1</h2><p>Text.</p>"
    assert [(block.text, block.matter) for block in blocks(page)] == [
        ("1. Title 1 11", Matter.FRONT), ("2. Title 2 12", Matter.FRONT), ("3. Title 3 13", Matter.FRONT),
        ("Title 1", Matter.TEXT), ("Text.", Matter.TEXT),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "spoken"),
    [
        ("a\u00a0 b\tc", "a b c"),
        ("ex\u00adam\u200bple", "example"),
        ("eﬃcient ﬁsh", "efficient fish"),
        ("one \n two", "one\ntwo"),
        ("a\x00b\x0c", "a b"),
    ],
)
def test_layout_artifacts_are_removed(raw, spoken):
    assert clean(raw) == spoken


@pytest.mark.parametrize("mark", ["12", "[3]", "(4)", "*", "††", "a", "[b]", " 7 "])
def test_marks_of_notes(mark):
    assert is_note_mark(mark)


@pytest.mark.parametrize("text", ["st", "1984", "note", "", "2x"])
def test_no_marks_of_notes(text):
    assert not is_note_mark(text)


def test_a_word_cut_at_the_end_of_a_line_is_whole_again():
    assert LineJoiner("").joined(["An exam-", "ple of it."]) == "An example of it."


def test_a_word_that_has_its_hyphen_elsewhere_keeps_it():
    text = "A well-known place.\nThe well-\nknown place."
    assert LineJoiner(text).joined(["The well-", "known place."]) == "The well-known place."


@pytest.mark.parametrize("lines", [["He said -", "nothing."], ["Jean-", "Paul came."], ["pages 12-", "14 here."]])
def test_other_dashes_stay(lines):
    assert LineJoiner("").joined(lines) == " ".join(lines)


def test_a_long_paragraph_takes_no_longer_for_each_line():
    lines = ["some words that are cut at the very end of a li-", "ne and go on"] * 20_000
    assert LineJoiner("").joined(lines).startswith("some words that are cut at the very end of a line and")
