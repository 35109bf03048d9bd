from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument

from app.widgets.text_positions import Utf16Positions, character_of, span_in

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=30)


@given(text=TEXTS, data=st.data())
def test_a_position_counts_the_units_before_its_character(text: str, data: st.DataObject) -> None:
    character = data.draw(st.integers(0, len(text)))
    assert Utf16Positions(text).of(character) == len(text[:character].encode("utf-16-le")) // 2


@given(text=TEXTS, data=st.data())
def test_characters_and_positions_are_one_to_one(text: str, data: st.DataObject) -> None:
    character = data.draw(st.integers(0, len(text)))
    positions = Utf16Positions(text)
    assert positions.character(positions.of(character)) == character
    assert character_of(text, positions.of(character)) == character


def test_a_position_inside_an_emoji_is_the_emojis() -> None:
    assert [Utf16Positions("a🙂b").character(position) for position in range(5)] == [0, 1, 1, 2, 3]


def test_a_span_selects() -> None:
    document = QTextDocument("One word. More.")
    assert span_in(document, 4, 8).selectedText() == "word"
