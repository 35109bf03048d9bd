import pytest

from engine.text.documents.document import Matter
from tests.engine.text.documents.pages import blocks, texts


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
def test_a_table_that_arranges_text_is_read_cell_by_cell(table: str, read: list[str]) -> None:
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
def test_a_table_of_data_is_told_in_short(table: str) -> None:
    assert texts(f"<table>{table}</table>") == ["Table: 2 rows of Name, Price."]


def test_a_table_with_a_role_is_what_it_says() -> None:
    table = "<tr><th>Name<th>Price</tr><tr><td>Fig<td>2</tr>"
    assert texts(f"<table role='presentation'>{table}</table>") == ["Name", "Price", "Fig", "2"]


def test_contents_in_a_table_are_front_matter() -> None:
    row = "<tr><td>{0}.</td><td><a href='#c{0}'>Title {0}</a></td><td>1{0}</td></tr>"
    page = "<table>" + "".join(row.format(n) for n in range(1, 4)) + "</table><h2 id='c1'>Title 1</h2><p>Text.</p>"
    assert [(block.text, block.matter) for block in blocks(page)] == [
        ("1. Title 1 11", Matter.FRONT), ("2. Title 2 12", Matter.FRONT), ("3. Title 3 13", Matter.FRONT),
        ("Title 1", Matter.TEXT), ("Text.", Matter.TEXT),
    ]  # fmt: skip
