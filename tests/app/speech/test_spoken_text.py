import pytest
from PySide6.QtGui import QTextCursor, QTextDocument

from app.speech.spoken_text import SpokenTextMap
from app.widgets.text_views import Utf16Positions
from engine.speech import Utterance
from tests.app.fakes import utterances_of

TEXT = "One word. 🙂 and two more. The last one."
UTTERANCES = utterances_of(TEXT)


class Page:
    def __init__(self, text: str = TEXT) -> None:
        self.document = QTextDocument()
        self.document.setPlainText(text)
        self.spoken = SpokenTextMap(self.document)
        self.spoken.begin_text(text)
        self.spoken.remember(utterances_of(text))
        self.text = text

    def words(self, word: str) -> str | None:
        """Return the text now at the place of the word."""
        start = self.text.index(word)
        span = self.spoken.span(start, start + len(word))
        return span.selectedText() if span is not None else None

    def replace(self, old: str, new: str) -> None:
        cursor = self.document.find(old)
        assert not cursor.isNull()
        cursor.insertText(new)


@pytest.mark.parametrize("word", ["One", "word", "🙂", "two", "last", "one", "The last", "word. 🙂 and"])
def test_any_words_are_found_though_emoji_count_twice(word: str) -> None:
    assert Page().words(word) == word


@pytest.mark.parametrize(
    ("old", "new", "word", "found"),
    [
        ("One word", "At first, one 🙂 word", "two", "two"),
        ("two", "twenty-two", "two", "twenty-two"),
        ("two", "twenty", "🙂", "🙂"),
        ("two", "twenty", "more", "more"),
        ("two ", "", "more", "more"),
        ("two more", "2", "more", None),
        ("🙂 and two more. ", "", "two", None),
        ("One word. ", "", "word", None),
        ("One word. ", "", "last", "last"),
        ("word. 🙂 and two", "words, and", "One", "One"),
    ],
)
def test_unedited_words_are_found_after_an_edit(old: str, new: str, word: str, found: str | None) -> None:
    page = Page()
    page.replace(old, new)
    assert page.words(word) == found


def test_deleted_words_come_back_with_undo() -> None:
    page = Page()
    page.replace("two more", "2")
    page.document.undo()
    assert page.words("more") == "more"


def test_an_edited_utterance_consists_of_its_remaining_text() -> None:
    page = Page()
    page.replace("and two", "or")
    left = page.spoken.utterance(UTTERANCES[1])
    assert left.selectedText() == "🙂 or more."
    page.replace("🙂 or more.", "")
    assert page.spoken.utterance(UTTERANCES[1]) is None
    page.spoken.begin_text("New text.")
    assert page.spoken.utterance(UTTERANCES[0]) is None
    assert page.words("last") is None


def test_a_plan_that_follows_an_edit_leaves_out_only_edited_words() -> None:
    page = Page()
    page.spoken.begin_text(TEXT)
    page.spoken.remember(UTTERANCES[:1])
    page.replace("two", "2")
    page.replace("One", "Number 🙂")
    page.spoken.remember(UTTERANCES)
    assert [page.words(word) for word in ("word", "two", "last")] == ["word", None, "last"]


def test_a_text_that_is_not_the_documents_is_not_found() -> None:
    page = Page()
    page.spoken.begin_text(TEXT[:-1])
    page.spoken.remember(UTTERANCES)
    assert page.words("last") is None
    assert page.spoken.character_at(0) is None


@pytest.mark.parametrize("text", ["One.\nTwo lines\nare here.", "Hard\u00a0space here. And there."])
def test_lines_and_hard_spaces_are_as_they_were_spoken(text: str) -> None:
    document = QTextDocument()
    document.setPlainText(text)
    page = Page(document.toPlainText())
    QTextCursor(page.document).insertText("Before. ")
    assert page.words("here") == "here"


def test_a_position_maps_to_its_character_or_the_next_spoken_one() -> None:
    page = Page()
    positions = Utf16Positions(TEXT)
    for character in range(len(TEXT)):
        expected = character + (TEXT[character] == " " and TEXT[character - 1] == ".")
        assert page.spoken.character_at(positions.of(character)) == expected
    assert page.spoken.character_at(positions.of(len(TEXT))) is None


def test_a_position_in_edited_text_maps_to_the_words_spoken_there() -> None:
    page = Page()
    page.replace("One", "Number one: the first")
    page.replace("two", "22 or so")
    for word, character in (("more", TEXT.index("more")), ("or so", TEXT.index("two")), ("last", TEXT.index("last"))):
        cursor = page.document.find(word)
        assert page.spoken.character_at(cursor.selectionStart()) == character


def test_a_position_before_the_spoken_part_does_not_map_to_its_start() -> None:
    page = Page()
    page.spoken.begin_text(TEXT)
    page.spoken.remember(UTTERANCES[1:])
    assert page.spoken.character_at(TEXT.index("word")) == TEXT.index("word")
    assert page.spoken.character_at(page.document.find("two").selectionStart()) == TEXT.index("two")


def test_utterances_of_a_new_plan_replace_those_that_differ() -> None:
    page = Page()
    first, second, third = UTTERANCES
    joined = Utterance(1, TEXT[second.start :], "x", second.start, third.end)
    page.spoken.remember([first, joined])
    for utterance, text in ((first, first.text), (joined, joined.text), (third, None)):
        found = page.spoken.utterance(utterance)
        assert (found.selectedText() if found is not None else None) == text
    assert page.words("last") == "last"
