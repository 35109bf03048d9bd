from app.book.chapter_document import ChapterPositions

TEXT = "Ab 🙂 c.\n\nDe.\n"


def shown() -> ChapterPositions:
    """With a picture and its paragraph between the two of the text."""
    positions = ChapterPositions(TEXT)
    positions.add(0, 7, 0)  # 8 units, and the end of the paragraph
    positions.add(9, 12, 11)
    return positions


def test_a_character_after_an_emoji_is_one_unit_further() -> None:
    assert [shown().position(character) for character in range(7)] == [0, 1, 2, 3, 5, 6, 7]
    assert [shown().character(position) for position in range(8)] == [0, 1, 2, 3, 3, 4, 5, 6]


def test_what_is_between_paragraphs_is_at_the_end_of_the_one_before() -> None:
    assert [shown().position(character) for character in (7, 8, 9)] == [8, 8, 11]
    assert shown().position(len(TEXT)) == shown().position(12) == 14


def test_a_position_at_a_picture_is_that_of_what_follows() -> None:
    assert [shown().character(position) for position in (8, 9, 10, 11)] == [7, 9, 9, 9]


def test_a_position_beyond_the_end_is_the_end() -> None:
    assert shown().character(99) == 12
    assert shown().position(99) == 14


def test_without_text_there_is_one_place() -> None:
    assert (ChapterPositions("").position(0), ChapterPositions("").character(0)) == (0, 0)
