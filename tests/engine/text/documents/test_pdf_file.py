"""Realistic PDF files: columns, turned pages, numbers and notes in the margins, fonts without letters."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import DamagedDocument, EncryptedDocument, UnusableDocument
from engine.text.documents.document import Document, Matter, Notices
from engine.text.documents.page_columns import Heading, PageLine, arranged, without_line_numbers
from engine.text.documents.page_lines import blocks_of
from engine.text.documents.pdf_file import read
from tests.engine.text.documents.books import Book, PrintedLine, book, write_contents, write_pages, write_pdf
from tests.engine.text.documents.books import shown as drawn
from tests.engine.text.documents.pages import shown
from tests.shared_inputs import real_text


@pytest.mark.parametrize("outline", [True, False])
def test_a_book_is_read_as_it_was_written(tmp_path, outline):
    written = book(12_000, 3)
    document = read(write_pdf(tmp_path / "a.pdf", written, outline=outline))
    assert (document.title, document.author) == ("The Blue Lantern", "A. Writer")
    for chapter, (title, paragraphs) in zip(document.chapters, written.chapters, strict=True):
        assert chapter.title == title
        assert chapter.text == "\n\n".join([title, *paragraphs])
        assert shown(chapter) == [("heading", title)]


def test_a_scan_is_reported_as_having_no_text(tmp_path):
    path = tmp_path / "a.pdf"
    made = write_pages(path, [[PrintedLine(" ")]], Book("", "", ()), []).read_bytes()
    path.write_bytes(made.replace(b"() Tj", b"   Tj").replace(b"(1) Tj", b"    Tj"))
    with pytest.raises(UnusableDocument, match="only scanned pages"):
        read(path)


def test_a_file_that_is_cut_short_is_damaged(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7\n1 0 obj\n<</Type/Cat")
    with pytest.raises(DamagedDocument, match=r"“a\.pdf” is damaged"):
        read(path)


def test_a_password_protected_file_is_reported_as_such(tmp_path):
    path = write_pdf(tmp_path / "a.pdf", book(2000, 1))
    keys = f"/O<{'11' * 32}>/U<{'22' * 32}>"
    locked = f"/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/P -4{keys}>>/Root".encode()
    head, trailer = path.read_bytes().rsplit(b"trailer", 1)
    path.write_bytes(head + b"trailer" + trailer.replace(b"/Root", locked))
    with pytest.raises(EncryptedDocument, match=r"“a\.pdf” is password-protected\. Save a copy without a password\."):
        read(path)


STEP = 14.0
QUIET = (
    "It was a quiet morning in the harbour and all of the boats lay still at the wall. Nobody had come down to them, "
    "and the nets were hanging dry over the rail. The old man waited with his coat closed. He had seen such days "
    "before and did not trust them. The wind would come from the south, he said, and it did."
)
COLUMNS = (
    "The harbour lay quiet in the early morning and nobody had come down to the boats. The old man waited by the wall "
    "with his coat closed. He had seen such days before and he did not trust them at all. The wind would come from the "
    "south, he said, and it came at noon. In the evening the nets were dry and the women sang in the street below the "
    "church. A boy ran past with a lantern in his hand. They called after him, but he was gone behind the corner of "
    "the house. Then it was dark, and the sea was the only thing that could be heard."
)
CASES = {
    "p01_twocol_colmajor": COLUMNS,
    "p01b_twocol_rowmajor": COLUMNS,
    "p01c_title_twocol": f"A Study of Harbours\n\nAnna Smith\n\n{COLUMNS}",
    "p02_arxiv_stamp": f"{QUIET} {QUIET}",
    "p02b_watermark": " ".join([QUIET] * 3),
    "p03_rotate90": QUIET,
    "p03b_rotate_noflag": QUIET,
    "p03c_upsidedown": QUIET,
    "p04_headers": " ".join([QUIET] * 6),
    "p10_linenumbers": f"{QUIET} {QUIET}",
    "p17_table": f"{QUIET}\n\nTable: 2 rows of Fruit, Price, Stock.\n\n{QUIET}",
    "p18_letterspaced": f"CHAPTER ONE\n\n{QUIET}\n\nCHAPTER TWO\n\n{QUIET}",
    "p19_bullets": (
        "Packing list\n\nBread and butter for the journey\n\nWater\n\nA warm coat\n\n1. First, open the door.\n\n"
        "2. Then, close it."
    ),
    "p21_poem": (
        "THE SEA\n\nThe sea is calm tonight,\nThe tide is full, the moon lies fair\nUpon the straits;\n"
        "on the French coast the light\nGleams and is gone."
    ),
}
WORDS = (
    "the old man",
    "waited at the wall",
    "with his closed coat",
    "and did not trust",
    "such a quiet day",
    "as this",
)


def document(folder: Path, *pages: str, outline: tuple[tuple[str, int, str], ...] = ()) -> Document:
    return read(write_contents(folder / "a.pdf", list(pages), outline))


def lines(texts: Sequence[str], left: float = 72.0, top: float = 700.0, size: float = 11.0) -> str:
    return "".join(drawn(text, left, top - STEP * at, size) for at, text in enumerate(texts))


def column(name: str, count: int = 8) -> list[str]:
    """Return lines of a column, each of about the same width."""
    return [f"{name}{at} {WORDS[at % 5]} and {WORDS[(at + 2) % 5]}" for at in range(count)]


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_read_right(name):
    assert read(real_text(f"{name}.pdf")).text == CASES[name]


def test_the_case_with_numbers_at_every_fifth_line_has_no_number():
    assert not any(map(str.isdigit, read(real_text("p10b_linenumbers_every5.pdf")).text))


def test_the_case_of_hyphens_joins_words_alone():
    text = read(real_text("p05_hyphen.pdf")).text
    for word in ("a well-known", "the development", "railway", "mother-in-law", "twenty-five year", "the ex-minister"):
        assert word in text


def test_the_case_with_a_note_keeps_it_apart():
    made = read(real_text("p20_footnote.pdf")).chapters[0]
    assert "He left. Then he slept" in made.text
    assert "Smith" not in made.text
    assert made.notes == "See Smith 1990, p. 12, for the whole story of the old man. which is not told here."


def test_the_case_of_an_outline_has_each_title_once():
    made = read(real_text("p16_outline_action.pdf"))
    assert [each.title for each in made.chapters] == ["Introduction", "Methods and Materials"]
    assert made.text.count("Introduction") == made.text.count("Methods") == 1


def test_signs_that_map_to_no_letters_are_reported():
    with pytest.raises(UnusableDocument, match="p06_cid_notounicode"):
        read(real_text("p06_cid_notounicode.pdf"))


@pytest.mark.parametrize("names", ["ab", "abc"])
@pytest.mark.parametrize("offset", [0.0, 5.0])
def test_columns_are_read_one_after_the_other(tmp_path, names, offset):
    size = 8.0
    page = ""
    for at in range(8):
        for number, name in enumerate(names):
            page += drawn(column(name)[at], 40 + 180 * number, 600 - STEP * at - offset * number, size)
    text = document(tmp_path, page).text
    assert text.split() == " ".join(" ".join(column(name)) for name in names).split()


def test_a_heading_across_columns_stays_between_the_text_above_and_below(tmp_path):
    def two(first: str, second: str, top: float) -> str:
        return lines(column(first, 5), 60, top) + lines(column(second, 5), 320, top)

    heading = drawn("A heading that goes across both columns of the page", 90, 600, 18)
    text = document(tmp_path, two("a", "b", 700) + heading + two("c", "d", 560)).text
    places = [text.index(word) for word in ("a0", "a4", "b0", "b4", "A heading", "c0", "d0", "d4")]
    assert places == sorted(places)


def test_wide_spaces_in_lines_make_no_columns(tmp_path):
    page = "".join(
        drawn("some words", 72, 700 - STEP * at) + drawn(f"and quite a lot of others {at}", 150, 700 - STEP * at)
        for at in range(2)
    ) + lines(column("z"), 72, 660)
    assert document(tmp_path, page).text.startswith("some words and quite a lot of others 0")


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_a_rotated_page_is_read_and_differently_rotated_text_is_reported(tmp_path, degrees):
    place = {0: (72, 700), 90: (100, 100), 180: (500, 100), 270: (500, 700)}[degrees]
    down = {0: (0, -STEP), 90: (STEP, 0), 180: (0, STEP), 270: (-STEP, 0)}[degrees]
    page = "".join(
        drawn(text, place[0] + down[0] * at, place[1] + down[1] * at, degrees=degrees)
        for at, text in enumerate(column("a"))
    )
    made = document(tmp_path, page + drawn("STAMP", 300, 400, 30, degrees + 60))
    assert made.text.split() == " ".join(column("a")).split()
    assert "page 1" in "".join(made.notices)


def test_a_watermark_along_the_lines_goes_and_a_title_stays(tmp_path):
    pages = [drawn("SPECIMEN", 200, 400, 60) + lines(column(name)) for name in "abcd"]
    pages[2] += drawn("The Sea", 72, 760, 18)
    text = document(tmp_path, *pages).text
    assert "SPECIMEN" not in text
    assert "The Sea" in text


@pytest.mark.parametrize(("left", "step"), [(40, 1), (40, 5), (500, 5), (500, 10)])
def test_numbers_of_lines_are_not_read(tmp_path, left, step):
    numbered = range(step - 1, 20, step)
    page = lines(column("a", 20)) + "".join(drawn(str(at + 1), left, 700 - STEP * at, 8) for at in numbered)
    assert document(tmp_path, page).text.split() == " ".join(column("a", 20)).split()


def test_the_numbers_of_a_list_stay(tmp_path):
    items = [f"Item {name} of a list" for name in ("one", "two", "three", "four")]
    page = "".join(drawn(str(at + 1), 50, 700 - STEP * at) for at in range(4)) + lines(items)
    text = document(tmp_path, page).text
    assert all(str(number) in text for number in (1, 2, 3, 4))


def test_pages_without_letters_are_left_out_and_told(tmp_path):
    nameless = drawn("0037004B00480003004B004400550045", 72, 700, font="G")
    made = document(tmp_path, lines(column("a")), nameless, nameless, lines(column("b")))
    assert made.text.split() == " ".join(column("a") + column("b")).split()
    assert len(made.notices) == 1
    assert "2 pages" in made.notices[0]
    assert "page 2" in made.notices[0]


def test_letters_that_make_no_words_are_none(tmp_path):
    with pytest.raises(UnusableDocument):
        document(tmp_path, lines(["KhGrT xQzPw LkJhG pTrRw GfDsQ"] * 8))


@pytest.mark.parametrize("text", ["ΑΒΓ και το", "12.5 13.7 144 2.5", "DNA RNA mRNA BBC", "Wstrząs i chrząszcz"])
def test_few_or_other_letters_are_read(tmp_path, text):
    written = text if text.isascii() else "caf\xe9 na\xefve"
    assert document(tmp_path, lines([written])).text == written


@pytest.mark.parametrize("way", ["Dest", "A"])
@pytest.mark.parametrize("printed", ["The Sea", "1 The Sea", "II. THE SEA", "Chapter 3: The Sea", "1.2 The Sea"])
def test_an_outline_title_is_spoken_once_regardless_of_its_printed_number(tmp_path, way, printed):
    pages = [drawn(printed, 72, 760, 16) + lines(column("a")), drawn("The Wind", 72, 760, 16) + lines(column("b"))]
    made = document(tmp_path, *pages, outline=(("The Sea", 0, way), ("The Wind", 1, way)))
    assert [each.title for each in made.chapters] == ["The Sea", "The Wind"]
    assert made.text.casefold().count("the sea") == 1


def test_letters_set_apart_are_words(tmp_path):
    page = drawn("P A R T   T W O", 150, 760, 18) + drawn("SMALL WORDS", 150, 730, 14, spacing=6) + lines(column("a"))
    text = document(tmp_path, page).text
    assert "PART TWO" in text
    assert "a0 the old man" in text


def test_a_table_is_summarized_and_lists_are_not(tmp_path):
    def rows(cells: Sequence[tuple[str, ...]], top: float) -> str:
        return "".join(
            drawn(text, 72 + 120 * at, top - STEP * row)
            for row, each in enumerate(cells)
            for at, text in enumerate(each)
        )

    table = rows([("Fruit", "Price"), ("Fig", "2"), ("Pear", "1.5"), ("Plum", "4")], 600)
    contents = rows([("The Sea", "3"), ("The Wind", "17"), ("The Storm", "29")], 500)
    text = document(tmp_path, lines(column("a", 4)) + table + contents).text
    assert "Table: 3 rows of Fruit, Price." in text
    assert "The Wind 17" in text


def test_items_are_paragraphs_with_their_second_lines(tmp_path):
    page = lines(["• Bread and butter for the", "  journey", "• Water", "a) One", "b) Two"], 90)
    page = page.replace(f"72 {700 - STEP}", f"90 {700 - STEP}")
    assert document(tmp_path, page).text.split("\n\n") == [
        "Bread and butter for the journey", "Water", "a) One", "b) Two",
    ]  # fmt: skip


def test_a_number_that_begins_a_line_begins_no_paragraph(tmp_path):
    texts = [*column("a", 3), "12. He went there and came back and " + WORDS[1], *column("b", 2)]
    assert "\n" not in document(tmp_path, lines(texts)).text


def test_notes_stay_with_their_paragraph_and_unmatched_ones_are_reported(tmp_path):
    body = lines([*column("a", 3), "and so he left."]) + drawn("7", 135, 700 - 3 * STEP + 4, 6)
    body += lines(column("b", 3), top=700 - 4 * STEP)
    notes = lines(["7 See there.", "8 See nowhere."], top=60, size=8)
    made = document(tmp_path, body + notes, lines(column("c")))
    assert made.chapters[0].notes == "See there."
    assert "See" not in made.text
    assert len(made.notices) == 1
    assert "page 1" in made.notices[0]


def test_raised_numbers_are_powers_and_lowered_ones_stay(tmp_path):
    body = lines(column("a", 3)) + drawn("There are 10", 72, 640) + drawn("6", 131, 645, 6) + drawn("stars,", 139, 640)
    body += drawn("H", 180, 640) + drawn("2", 188, 637, 6) + drawn("O", 191.2, 640)
    text = document(tmp_path, body).text
    assert "10⁶ stars" in text
    assert "2" in text.partition("stars")[2]


def test_lines_of_verse_stay_and_those_of_prose_do_not(tmp_path):
    verse = [
        "I wandered lonely as a cloud",
        "That floats on high,",
        "When all at once I saw a crowd,",
        "A host of daffodils;",
    ]
    text = document(tmp_path, lines(verse) + lines(column("a"), top=600)).text
    assert text.startswith("\n".join(verse) + "\n\na0")
    assert "\n" not in text.partition("\n\n")[2]


@pytest.mark.parametrize("leader", [" . . . . . . . ", "........", None])
def test_a_list_of_contents_is_front_matter(tmp_path, leader):
    entries = [("The Sea", "3"), ("The Wind", "17"), ("The long Storm", "29")]
    page = drawn("Where to find what", 72, 740, 18)
    for at, (title, number) in enumerate(entries):
        if leader is None:
            page += drawn(title, 72, 700 - STEP * at) + drawn(number, 400, 700 - STEP * at)
        else:
            page += drawn(f"{title}{leader}{number}", 72, 700 - STEP * at)
    pages = [drawn(title, 72, 760, 18) + lines(column(title[-1], 20)) for title, _ in entries]
    made = document(tmp_path, page, *pages)
    assert [(each.title, each.matter) for each in made.chapters] == [
        ("Where to find what", Matter.FRONT), *((title, Matter.TEXT) for title, _ in entries),
    ]  # fmt: skip
    assert made.chapters[0].text.split("\n\n")[1:] == [f"{title} {number}" for title, number in entries]


def test_text_with_an_ellipsis_and_a_number_stays_text(tmp_path):
    made = document(tmp_path, lines([*column("a", 3), "and then he said... 17", *column("b", 3)]))
    assert [each.matter for each in made.chapters] == [Matter.TEXT]


@pytest.mark.parametrize("apart", [True, False])
def test_a_large_initial_is_a_part_of_its_word(tmp_path, apart):
    rest = ["he harbour was quiet and the boats", "lay still at the wall of the old", "town, and nobody came there."]
    page = drawn("T", 72, 672 if apart else 700, 42)
    page += lines(rest, 100) if apart else drawn(rest[0], 100, 700) + lines(rest[1:], 100, 686)
    page += lines(["Then the wind rose and all the boats went", "out into the open sea and came not back."], 72, 658)
    assert document(tmp_path, page).text.startswith(f"The {' '.join(rest)[3:]} Then the wind")


def test_running_heads_that_change_are_known_by_their_page_numbers(tmp_path):
    heads = ["The Sea 12", "13 The Book", "The Wind 14", "15 The Book"]
    pages = [drawn(head, 72, 780, 9) + lines(column(name)) for head, name in zip(heads, "abcd", strict=True)]
    assert document(tmp_path, *pages).text.split() == " ".join(" ".join(column(name)) for name in "abcd").split()


def test_small_lines_at_the_bottom_that_are_no_notes_are_read(tmp_path):
    small = ["4 bytes for the size", "4 bytes for the place", "8 bytes for the name"]
    text = document(tmp_path, lines(column("a")) + lines(small, top=300, size=8)).text
    assert all(line in text for line in small)


SIZE, STEP = 11.0, 14.0


def paragraphs_of(pages: list[list[PageLine]], outline: list[Heading]) -> list[tuple[str, int]]:
    return [(block.text, block.level) for block in blocks_of(pages, outline, Notices())]


def page(number: int, *texts: str, head: str = "", foot: str | None = None) -> list[PageLine]:
    """Return a page whose lines that begin with a space are indented, those with # large, those with ~ small."""
    lines = [PageLine(head, number, 200, 300, 800, SIZE)] if head else []
    for position, text in enumerate(texts):
        size = {"#": 18.0, "~": 8.0}.get(text[0], SIZE)
        left = 90.0 if text[0] == " " else 72.0
        said = text.lstrip("#~ ")
        lines.append(PageLine(said, number, left, left + 6 * len(said), 740 - STEP * position, size))
    lines.append(PageLine(foot or str(number + 1), number, 290, 300, 40, SIZE))
    return lines


FULL = "a line of a page that is as wide as lines of pages are"


def test_running_heads_and_page_numbers_go_and_paragraphs_cross_pages():
    pages = [
        page(number, f" Page begins {FULL}.", FULL, FULL, head="A Book", foot=f"– {number + 7} –")
        for number in range(4)
    ]
    made = list(paragraphs_of(pages, []))
    assert made == [(f"Page begins {FULL}. {FULL} {FULL}", 0)] * 4
    assert list(paragraphs_of([page(0, f" One {FULL}"), page(1, f"two {FULL}.")], [])) == [
        (f"One {FULL} two {FULL}.", 0)
    ]


def test_a_word_that_often_begins_a_page_stays():
    pages = [page(number, "morning.", f" Then {FULL}", FULL) for number in range(4)]
    assert sum("morning." in text for text, _ in paragraphs_of(pages, [])) == 4


def test_larger_lines_are_headings_by_their_size():
    made = list(paragraphs_of([page(0, "#The Sea", f" It was {FULL}", FULL)], []))
    assert made == [("The Sea", 1), (f"It was {FULL} {FULL}", 0)]


def test_the_outline_gives_headings_and_only_it():
    pages = [page(0, "#I", "#The", "#Sea", f" Calm {FULL}", FULL), page(1, f" Windy {FULL}", FULL)]
    outline = [Heading("The Sea", 0, 1), Heading("The Wind", 1, 1)]
    assert list(paragraphs_of(pages, outline)) == [
        ("I", 0), ("The Sea", 1), (f"Calm {FULL} {FULL}", 0), ("The Wind", 1), (f"Windy {FULL} {FULL}", 0),
    ]  # fmt: skip


def test_notes_at_the_bottom_go():
    made = list(paragraphs_of([page(0, f" It was {FULL}", FULL, "~1 See there,", "~page 12.")], []))
    assert made == [(f"It was {FULL} {FULL}", 0)]


def test_without_indents_a_short_last_line_ends_a_paragraph():
    made = list(paragraphs_of([page(0, f"One {FULL}", "end.", f"Two {FULL}", "the end.")], []))
    assert made == [(f"One {FULL} end.", 0), (f"Two {FULL} the end.", 0)]


def test_a_word_cut_by_a_page_is_whole():
    made = list(paragraphs_of([page(0, f" {FULL} exam-"), page(1, "ple again.")], []))
    assert made == [(f"{FULL} example again.", 0)]


PLACES = st.tuples(st.integers(0, 500), st.integers(10, 300), st.integers(0, 800))


def piece(text: str, left: float, width: float, bottom: float) -> PageLine:
    return PageLine(text, 0, left, left + width, bottom, 11.0)


def columns(*lefts: int, rows: int = 6) -> list[tuple[PageLine, ...]]:
    """Return rows across all columns, each piece with its column and its row."""
    return [
        tuple(piece(f"{column} {row}", left, 150, 700 - 14 * row) for column, left in enumerate(lefts))
        for row in range(rows)
    ]


@given(st.lists(PLACES))
def test_no_word_is_lost_wherever_it_stands(places):
    rows = [(piece(f"word{at}.", *place),) for at, place in enumerate(places)]
    (kept,) = without_line_numbers([rows])
    said = " ".join(line.text for line in arranged(kept)).split()
    assert sorted(said) == sorted(f"word{at}." for at in range(len(places)))


def test_columns_come_one_after_the_other():
    assert [line.text for line in arranged(columns(50, 250, 450))] == [
        f"{column} {row}" for column in range(3) for row in range(6)
    ]


def test_one_column_stays_as_it_is():
    rows = columns(50)
    assert arranged(rows) == [row[0] for row in rows]


def test_lines_that_were_written_upwards_are_read_downwards():
    rows = columns(50)
    assert arranged(rows[::-1]) == arranged(rows)
