"""Whole downloaded books: no sign is spoken by its name, no word is spelled, every chapter is read."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from engine.speech import PronunciationSource
from engine.text.documents import Document, read_document
from engine.text.g2p.lexicon import Lexicon
from engine.text.g2p.normalize import normalize
from engine.text.g2p.numbers import cardinal
from engine.text.g2p.split import passages
from engine.text.languages import AMERICAN
from tests.engine.text.g2p.plain_words import same_as, sounds
from tests.shared_inputs import book, english_lines

CHAPTERS = {"love-among-the-chickens.epub": 23, "pride-and-prejudice.htm": 61, "sherlock-holmes.txt": 12}
_NAMES = (
    "exclamation colon semicolon dash slash backslash underscore comma parenthesis bracket quote hyphen dot asterisk "
    "apostrophe hash tilde ellipsis"
)
NAMES = _NAMES.split()
ADDRESS = re.compile(r"\S*(?:://|www\.|@|\.(?:org|net|com|zip|txt|html?)\b|/\w+/)\S*")
SIGNS = re.compile(r"(?<=\w)(?=\S*[^\w\s]{2}|\S*[^\w\s'’-]\w)[^\w]+(?=\w)|(?<=\s)[^\w\s]+(?=\s)")
"""Runs of signs between words, if longer than one or attached to the next word, or alone."""
CAPITALS = re.compile(r"^.*\b[A-Z]{2,}\b.*$", re.MULTILINE)
"""Paragraphs with a word in capitals."""
TIMES = 3
"""The number of times that each run of signs is spoken."""
AROUND = 30
"""The number of characters around it, which hold a few words."""


@pytest.fixture(scope="module", params=CHAPTERS)
def name(request: pytest.FixtureRequest) -> str:
    """The file of a book."""
    return str(request.param)


@pytest.fixture(scope="module")
def document(name: str) -> Document:
    return read_document(book(name))


@pytest.fixture(scope="module")
def text(document: Document) -> str:
    """All chapters of a book, without its addresses."""
    return ADDRESS.sub("", document.text)


def test_every_chapter_is_read_once_with_its_number(name, document):
    read = document.with_chapters(document.default_chapters)
    assert len(read.chapters) == CHAPTERS[name]
    for number, chapter in enumerate(read.chapters, 1):
        assert chapter.text.startswith(chapter.title)
        assert cardinal(str(number), british=False) in normalize(chapter.title, AMERICAN).sourced.text.lower()
    assert "gutenberg" not in read.text.lower()


def test_no_word_of_the_lexicon_is_spelled(american, document):
    lexicon, text = Lexicon(british=False), document.with_chapters(document.default_chapters).text
    for place in dict.fromkeys(match[0] for match in CAPITALS.finditer(text)):
        for utterance in american.plan(place).utterances:
            spelled = {
                place[word.start : word.end] for word in utterance.words if word.source == PronunciationSource.LETTERS
            }
            assert not [
                word for word in spelled if word.isalpha() and len(word) > 1 and word.lower() in lexicon.golds
            ], place


def test_no_name_of_a_sign_is_written_into_a_book(text):
    written = Counter(re.findall("[a-z]+", text.lower()))
    spoken: Counter[str] = Counter()
    for _, passage in passages(text):
        spoken.update(re.findall("[a-z]+", normalize(passage, AMERICAN).sourced.text.lower()))
    assert {name: spoken[name] for name in NAMES} == {name: written[name] for name in NAMES}


def test_no_sign_of_a_book_is_spoken_by_its_name(american, text):
    names = {name: sounds(american, name) for name in NAMES}
    for place in _places(text):
        plain = re.sub(r"[^\w\s'’]+", " ", place)
        said, expected = sounds(american, place), sounds(american, plain)
        assert not [name for name, sound in names.items() if said.count(sound) > expected.count(sound)], place


def _places(text: str) -> Iterator[str]:
    """Yield a few words around each run of signs, the first times that it occurs."""
    found: Counter[str] = Counter()
    for match in SIGNS.finditer(text):
        found[match[0]] += 1
        if found[match[0]] <= TIMES:
            before, after = text[: match.start()][-AROUND:], text[match.end() :][:AROUND]
            yield f"{before.partition(' ')[2]}{match[0]}{after.rpartition(' ')[0]}"


@pytest.mark.parametrize(("written", "plain"), english_lines())
def test_it_sounds_like_plain_words(american, written, plain):
    assert same_as(american, written, plain)
