from hypothesis import given
from hypothesis import strategies as st

from engine.text.documents.document import Notices
from engine.text.documents.page_columns import Heading, Line, arranged, without_line_numbers
from engine.text.documents.page_lines import blocks_of

SIZE, STEP = 11.0, 14.0


def paragraphs_of(pages: list[list[Line]], outline: list[Heading]) -> list[tuple[str, int]]:
    return [(block.text, block.level) for block in blocks_of(pages, outline, Notices())]


def page(number: int, *texts: str, head: str = "", foot: str | None = None) -> list[Line]:
    """A page whose lines that begin with a space are indented, those with # large, those with ~ small."""
    lines = [Line(head, number, 200, 300, 800, SIZE)] if head else []
    for position, text in enumerate(texts):
        size = {"#": 18.0, "~": 8.0}.get(text[0], SIZE)
        left = 90.0 if text[0] == " " else 72.0
        said = text.lstrip("#~ ")
        lines.append(Line(said, number, left, left + 6 * len(said), 740 - STEP * position, size))
    lines.append(Line(foot or str(number + 1), number, 290, 300, 40, SIZE))
    return lines


FULL = "a line of a page that is as wide as lines of pages are"


def test_running_heads_and_page_numbers_go_and_paragraphs_cross_pages() -> None:
    pages = [
        page(number, f" Page begins {FULL}.", FULL, FULL, head="A Book", foot=f"– {number + 7} –")
        for number in range(4)
    ]
    made = list(paragraphs_of(pages, []))
    assert made == [(f"Page begins {FULL}. {FULL} {FULL}", 0)] * 4
    assert list(paragraphs_of([page(0, f" One {FULL}"), page(1, f"two {FULL}.")], [])) == [
        (f"One {FULL} two {FULL}.", 0)
    ]


def test_a_word_that_often_begins_a_page_stays() -> None:
    pages = [page(number, "morning.", f" Then {FULL}", FULL) for number in range(4)]
    assert sum("morning." in text for text, _ in paragraphs_of(pages, [])) == 4


def test_larger_lines_are_headings_by_their_size() -> None:
    made = list(paragraphs_of([page(0, "#The Sea", f" It was {FULL}", FULL)], []))
    assert made == [("The Sea", 1), (f"It was {FULL} {FULL}", 0)]


def test_the_outline_gives_headings_and_only_it() -> None:
    pages = [page(0, "#I", "#The", "#Sea", f" Calm {FULL}", FULL), page(1, f" Windy {FULL}", FULL)]
    outline = [Heading("The Sea", 0, 1), Heading("The Wind", 1, 1)]
    assert list(paragraphs_of(pages, outline)) == [
        ("I", 0), ("The Sea", 1), (f"Calm {FULL} {FULL}", 0), ("The Wind", 1), (f"Windy {FULL} {FULL}", 0),
    ]  # fmt: skip


def test_notes_at_the_bottom_go() -> None:
    made = list(paragraphs_of([page(0, f" It was {FULL}", FULL, "~1 See there,", "~page 12.")], []))
    assert made == [(f"It was {FULL} {FULL}", 0)]


def test_without_indents_a_short_last_line_ends_a_paragraph() -> None:
    made = list(paragraphs_of([page(0, f"One {FULL}", "end.", f"Two {FULL}", "the end.")], []))
    assert made == [(f"One {FULL} end.", 0), (f"Two {FULL} the end.", 0)]


def test_a_word_cut_by_a_page_is_whole() -> None:
    made = list(paragraphs_of([page(0, f" {FULL} exam-"), page(1, "ple again.")], []))
    assert made == [(f"{FULL} example again.", 0)]


PLACES = st.tuples(st.integers(0, 500), st.integers(10, 300), st.integers(0, 800))


def piece(text: str, left: float, width: float, bottom: float) -> Line:
    return Line(text, 0, left, left + width, bottom, 11.0)


def columns(*lefts: int, rows: int = 6) -> list[tuple[Line, ...]]:
    """Rows that go across all columns, each of whose pieces says its column and its row."""
    return [
        tuple(piece(f"{column} {row}", left, 150, 700 - 14 * row) for column, left in enumerate(lefts))
        for row in range(rows)
    ]


@given(st.lists(PLACES))
def test_no_word_is_lost_wherever_it_stands(places: list[tuple[int, int, int]]) -> None:
    rows = [(piece(f"word{at}.", *place),) for at, place in enumerate(places)]
    (kept,) = without_line_numbers([rows])
    said = " ".join(line.text for line in arranged(kept)).split()
    assert sorted(said) == sorted(f"word{at}." for at in range(len(places)))


def test_columns_come_one_after_the_other() -> None:
    assert [line.text for line in arranged(columns(50, 250, 450))] == [
        f"{column} {row}" for column in range(3) for row in range(6)
    ]


def test_one_column_stays_as_it_is() -> None:
    rows = columns(50)
    assert arranged(rows) == [row[0] for row in rows]


def test_lines_that_were_written_upwards_are_read_downwards() -> None:
    rows = columns(50)
    assert arranged(rows[::-1]) == arranged(rows)
