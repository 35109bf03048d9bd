"""Chapter and verse are two numbers after the name of a book, and no time of day."""

import pytest

from engine.g2p.normalise import normalise
from engine.languages import AMERICAN


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Read John 3:16 aloud.", "Read John three sixteen aloud."),
        ("Genesis 1:1", "Genesis one one"),
        ("Ps. 119:105", "Psalm one hundred nineteen one hundred five"),
        ("1 Cor. 13:4–7, 13", "First Corinthians thirteen four to seven, thirteen"),
        ("II Kings 2:11", "Second Kings two eleven"),
        ("Song of Songs 2:4", "Song of Songs two four"),
        ("Matt. 5:3, 6:1", "Matthew five three, six one"),
        ("John left at 3:16.", "John left at three sixteen."),
        ("Mark won 3:1", "Mark won three to one"),
    ],
)
def test_places_in_the_bible(written: str, words: str) -> None:
    assert normalise(written, AMERICAN).sourced.text == words
