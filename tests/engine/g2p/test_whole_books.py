"""Whole books, as people download them: no sign in them is spoken by its name, except in addresses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from engine.documents import read_document
from engine.g2p import Phonemizer
from engine.g2p.normalise import normalise
from engine.g2p.passages import passages
from engine.languages import AMERICAN
from tests.engine.g2p.plain_words import sounds
from tests.shared_inputs import book

BOOKS = ["love-among-the-chickens.epub", "pride-and-prejudice.htm", "sherlock-holmes.txt"]
_NAMES = (
    "exclamation colon semicolon dash slash backslash underscore comma parenthesis bracket quote hyphen dot asterisk "
    "apostrophe hash tilde ellipsis"
)
NAMES = _NAMES.split()
ADDRESS = re.compile(r"\S*(?:://|www\.|@|\.(?:org|net|com|zip|txt|html?)\b|/\w+/)\S*")
SIGNS = re.compile(r"(?<=\w)(?=\S*[^\w\s]{2}|\S*[^\w\s'’-]\w)[^\w]+(?=\w)|(?<=\s)[^\w\s]+(?=\s)")
"""Between words, where they are more than one or stick to what follows, or alone."""
TIMES = 3
"""How often each run of signs is spoken."""
AROUND = 30
"""Characters, in which there are a few words."""


@pytest.fixture(scope="module", params=BOOKS)
def text(request: pytest.FixtureRequest) -> str:
    """All chapters of a book, without its addresses."""
    chapters = read_document(book(request.param)).chapters
    return ADDRESS.sub("", "\n\n".join(chapter.text for chapter in chapters))


def test_no_name_of_a_sign_is_written_into_a_book(text: str) -> None:
    written = Counter(re.findall("[a-z]+", text.lower()))
    spoken: Counter[str] = Counter()
    for _, passage in passages(text):
        spoken.update(re.findall("[a-z]+", normalise(passage, AMERICAN).sourced.text.lower()))
    assert {name: spoken[name] for name in NAMES} == {name: written[name] for name in NAMES}


def test_no_sign_of_a_book_is_spoken_by_its_name(american: Phonemizer, text: str) -> None:
    names = {name: sounds(american, name) for name in NAMES}
    for place in _places(text):
        plain = re.sub(r"[^\w\s'’]+", " ", place)
        said, expected = sounds(american, place), sounds(american, plain)
        assert not [name for name, sound in names.items() if said.count(sound) > expected.count(sound)], place


def _places(text: str) -> Iterator[str]:
    """A few words around each run of signs, the first times that it occurs."""
    found: Counter[str] = Counter()
    for match in SIGNS.finditer(text):
        found[match[0]] += 1
        if found[match[0]] <= TIMES:
            before, after = text[: match.start()][-AROUND:], text[match.end() :][:AROUND]
            yield f"{before.partition(' ')[2]}{match[0]}{after.rpartition(' ')[0]}"
