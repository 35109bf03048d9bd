"""Words in capitals that are words, not letters: those of titles and headings, and little words that are stressed."""

from __future__ import annotations

import re
from functools import partial

from engine.g2p.draft import Draft
from engine.g2p.other_languages.numbering import Numbering
from engine.g2p.other_languages.writing import Writing
from engine.roman_numerals import parsed

CAPITALS = "[A-ZÀ-ÖØ-ÞŒŸ]+"
RUN = re.compile(rf"(?<!\w){CAPITALS}(?:[ '-]+{CAPITALS})*(?!\w)")
"""espeak-ng reads letters where it finds a short word in capitals among others that are not."""
WORD = re.compile(CAPITALS)
SHORTEST_RUN = 3
LONG_WORD_LETTERS = 4
"""Two words make a title if one of them is at least so long."""


def lower_capitals(draft: Draft, writing: Writing, numbering: Numbering) -> None:
    """Write the words of titles with a capital only, as espeak-ng reads these as words wherever it can."""
    draft.rewrite(RUN, partial(_lowered, writing, numbering))


def in_case_of(neighbour: str, words: str) -> str:
    """The words in capitals if the word beside them is, so that a title remains one."""
    return words.upper() if len(neighbour) > 1 and neighbour.isupper() else words


def _lowered(writing: Writing, numbering: Numbering, match: re.Match[str]) -> str | None:
    words = WORD.findall(match[0])
    long = max(map(len, words)) >= LONG_WORD_LETTERS
    if len(words) >= SHORTEST_RUN or (len(words) > 1 and long):
        return WORD.sub(partial(_word, numbering), match[0])
    return match[0].capitalize() if match[0].casefold() in writing.stressed else None


def _word(numbering: Numbering, match: re.Match[str]) -> str:
    """The first letter stays a capital, for the border of sentences, but not within a word that an apostrophe joins."""
    letters = match[0]
    if len(letters) > 1 and letters not in numbering.words and parsed(letters) is not None:
        return letters
    return letters.lower() if match.string[match.start() - 1 : match.start()] == "'" else letters.capitalize()
