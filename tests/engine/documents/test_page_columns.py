from hypothesis import given
from hypothesis import strategies as st

from engine.documents.page_columns import Line, arranged, without_line_numbers

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
