import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QFont, QTextBlock, QTextCharFormat, QTextDocument, QTextFrameFormat
from PySide6.QtWidgets import QApplication

from app.book.chapter_document import ChapterDocument, ChapterPositions
from engine.text.documents import Chapter, Picture, Styled, TextStyle
from tests.app.book.drawing import picture

OBJECT = "\ufffc"
TEXT = "The Hen\n\nIt was late in the year.\n\nRoses are red,\nviolets are blue."


@pytest.fixture
def parent(qapp: QApplication) -> QTextDocument:
    """The parent of the documents that a test creates."""
    return QTextDocument()


def made(parent: QTextDocument, chapter: Chapter, pictures: dict[str, bytes] | None = None) -> ChapterDocument:
    font = QFont()
    font.setPixelSize(16)
    return ChapterDocument(chapter, font, QTextFrameFormat(), (pictures or {}).get, parent)


def blocks(document: QTextDocument) -> list[QTextBlock]:
    return [document.findBlockByNumber(number) for number in range(document.blockCount())]


def span(words: str, text_style: TextStyle, level: int = 0) -> Styled:
    start = TEXT.index(words)
    return Styled(start, start + len(words), text_style, level)


def look_of(document: ChapterDocument, words: str) -> QTextCharFormat:
    """Return the format of the first character of these words, which share one."""
    cursor = document.find(words)
    assert not cursor.isNull()
    start = cursor.selectionStart()
    found = []
    for position in range(start + 1, cursor.selectionEnd() + 1):
        cursor.setPosition(position)
        found.append(cursor.charFormat())
    assert all(each == found[0] for each in found)
    return found[0]


PIECES = st.one_of(
    st.text(st.characters(), max_size=8),
    st.sampled_from(
        [
            "\n\n",
            "\n",
            "🙂",
            "\r\n",
            "\u2028",
            "\u2029",
            "\ufeff",
            "\ufdd0",
            "\ufdd1",
            "\ufffc",
            "\udc00",
            "\u00a0",
            "a",
        ]
    ),
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@settings(max_examples=300)
@given(text=TEXTS, data=st.data())
def test_every_character_leads_to_its_place_and_back(qapp: QApplication, text: str, data: st.DataObject) -> None:
    places, names = st.integers(0, len(text)), st.sampled_from(["tiny", "large", "broken", "missing"])
    pictures = data.draw(st.lists(st.builds(Picture, places, names, st.just("🙂")), max_size=4))
    text_styles, levels = st.sampled_from(list(TextStyle)), st.integers(0, 4)
    styles = data.draw(st.lists(st.builds(Styled, places, places, text_styles, levels), max_size=4))
    owner = QTextDocument()
    chapter = Chapter("a", text, styles=tuple(styles), pictures=tuple(pictures))
    document = made(owner, chapter, {"tiny": TINY, "large": LARGE, "broken": b"no picture"})
    inside = [character for character in range(len(text)) if not between_paragraphs(text, character)]
    positions = [document.positions.position(character) for character in inside]
    assert [document.positions.character(position) for position in positions] == inside
    assert positions == sorted(set(positions))
    for character, position in zip(inside, positions, strict=True):
        if text[character].isalnum() and text[character] <= "\uffff":
            assert document.characterAt(position) == text[character]


def between_paragraphs(text: str, character: int) -> bool:
    around = f"\n{text}\n"[character : character + 3]
    return around[1] == "\n" and "\n" in (around[0], around[2])


TINY, LARGE = picture(4, 4), picture(300, 200)


def test_paragraphs_and_the_lines_in_them_are_those_of_the_text(parent: QTextDocument) -> None:
    document = made(parent, Chapter("", TEXT))
    assert [block.text() for block in blocks(document)] == [
        paragraph.replace("\n", "\u2028") for paragraph in TEXT.split("\n\n")
    ]


def test_headings_are_larger_the_higher_they_are(parent: QTextDocument) -> None:
    text = "One\n\nTwo\n\nThree\n\nFour\n\nProse"
    words = text.split("\n\n")
    styles = tuple(
        Styled(text.index(word), text.index(word) + len(word), TextStyle.HEADING, level)
        for level, word in enumerate(words[:4], 1)
    )
    document = made(parent, Chapter("", text, styles=styles))
    assert [block.blockFormat().headingLevel() for block in blocks(document)] == [1, 2, 3, 4, 0]
    heights = [document.documentLayout().blockBoundingRect(block).height() for block in blocks(document)]
    document.setTextWidth(1000)
    sizes = [block.layout().lineAt(0).ascent() for block in blocks(document)]
    assert heights[0] > heights[-1]
    assert sizes[0] > sizes[1] > sizes[2] > sizes[3]
    assert look_of(document, "Four").fontWeight() > look_of(document, "Prose").fontWeight()


@pytest.mark.parametrize(("title", "level"), [("The Hen", 1), ("THE  HEN", 1), ("The Cock", 0), ("", 0)])
def test_a_first_paragraph_that_is_the_title_is_a_heading(parent: QTextDocument, title: str, level: int) -> None:
    document = made(parent, Chapter(title, TEXT))
    assert [block.blockFormat().headingLevel() for block in blocks(document)] == [level, 0, 0]


def test_a_title_that_has_its_level_keeps_it(parent: QTextDocument) -> None:
    document = made(parent, Chapter("The Hen", TEXT, styles=(span("The Hen", TextStyle.HEADING, 2),)))
    assert blocks(document)[0].blockFormat().headingLevel() == 2


def test_emphasis_may_be_anywhere_and_in_other_emphasis(parent: QTextDocument) -> None:
    styles = (
        span("was late in", TextStyle.EMPHASIS),
        span("late", TextStyle.STRONG),
        span("year.\n\nRoses", TextStyle.EMPHASIS),
    )
    document = made(parent, Chapter("", TEXT, styles=styles))
    italic = {
        words: look_of(document, words).fontItalic() for words in ("It ", "was ", "late", " the ", "year.", "Roses")
    }
    assert italic == {"It ": False, "was ": True, "late": True, " the ": False, "year.": True, "Roses": True}
    assert look_of(document, "late").fontWeight() > look_of(document, "was ").fontWeight()
    assert not look_of(document, " are red").fontItalic()


def test_a_quote_is_set_apart(parent: QTextDocument) -> None:
    document = made(parent, Chapter("", TEXT, styles=(span("Roses are red,\nviolets are blue.", TextStyle.QUOTE),)))
    left = [block.blockFormat().leftMargin() for block in blocks(document)]
    assert left[2] > left[1] == 0


def test_a_large_picture_precedes_its_paragraph_and_a_small_one_stays_inline(parent: QTextDocument) -> None:
    at = TEXT.index("late")
    pictures = (
        Picture(0, "large"), Picture(at, "tiny"), Picture(at, "large"), Picture(len(TEXT), "tiny")
    )  # fmt: skip
    document = made(parent, Chapter("", TEXT, pictures=pictures), {"tiny": TINY, "large": LARGE})
    assert [block.text().replace("\u2028", "\n") for block in blocks(document)] == [
        OBJECT, "The Hen", OBJECT, f"It was {OBJECT}late in the year.", TEXT.split("\n\n")[2], OBJECT,
    ]  # fmt: skip


def test_pictures_without_text_are_shown(parent: QTextDocument) -> None:
    document = made(parent, Chapter("Cover", "", pictures=(Picture(0, "large"),)), {"large": LARGE})
    assert document.toPlainText() == OBJECT
    assert document.positions.position(0) == 0


TWO_WORDS = "Ab 🙂 c.\n\nDe.\n"


def shown() -> ChapterPositions:
    """Return positions with a picture and its paragraph between the two of the text."""
    positions = ChapterPositions(TWO_WORDS)
    positions.add(0, 7, 0)  # 8 units, and the end of the paragraph
    positions.add(9, 12, 11)
    return positions


def test_a_character_after_an_emoji_is_one_unit_further() -> None:
    assert [shown().position(character) for character in range(7)] == [0, 1, 2, 3, 5, 6, 7]
    assert [shown().character(position) for position in range(8)] == [0, 1, 2, 3, 3, 4, 5, 6]


def test_characters_between_paragraphs_map_to_the_end_of_the_previous_paragraph() -> None:
    assert [shown().position(character) for character in (7, 8, 9)] == [8, 8, 11]
    assert shown().position(len(TWO_WORDS)) == shown().position(12) == 14


def test_a_position_at_a_picture_maps_to_the_following_character() -> None:
    assert [shown().character(position) for position in (8, 9, 10, 11)] == [7, 9, 9, 9]


def test_a_position_beyond_the_end_is_the_end() -> None:
    assert shown().character(99) == 12
    assert shown().position(99) == 14


def test_without_text_there_is_one_place() -> None:
    assert (ChapterPositions("").position(0), ChapterPositions("").character(0)) == (0, 0)
