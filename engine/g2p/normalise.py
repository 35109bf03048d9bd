"""Text as it is written to text as it is spoken: letters, single spaces, and punctuation that has a melody.

Here is only the order in which the rules of writing apply; the rules are in modules of their own.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace

from engine.g2p import abbreviations, dates, numerals, quantities, roman, scripture, symbols, web
from engine.g2p.capitals import KnownWords, lower_capitals
from engine.g2p.characters import blank_drawn_lines, simplify
from engine.g2p.draft import Draft
from engine.g2p.lines import join_lines
from engine.g2p.long_words import cut_long_words
from engine.g2p.markup import strip_markup
from engine.g2p.overrides import Override, put_back, set_aside
from engine.g2p.spans import SourcedText
from engine.languages import Language
from engine.speech import Notice


@dataclass(frozen=True)
class Normalised:
    """Text ready to be spoken, the pronunciations that its writer gives, and what had to be left out."""

    sourced: SourcedText
    overrides: tuple[Override, ...]
    notices: tuple[Notice, ...]

    def moved(self, offset: int) -> Normalised:
        """The same of a text with `offset` more characters before it."""
        notices = (replace(each, start=each.start + offset, end=each.end + offset) for each in self.notices)
        return replace(self, sourced=self.sourced.moved(offset), notices=tuple(notices)) if offset else self

    def overrides_in(self, start: int, end: int) -> list[Override]:
        """The overrides that begin in a piece of the text, in offsets of that piece."""
        first = bisect_left(self.overrides, start, key=lambda override: override.start)
        last = bisect_left(self.overrides, end, key=lambda override: override.start)
        return [override.moved(-start) for override in self.overrides[first:last]]


def normalise(text: str, language: Language, known: KnownWords | None = None) -> Normalised:
    """The text as it is spoken in this language; single line breaks separate paragraphs.

    Without the `known` words, capitals stay as they are.
    """
    draft = Draft(text, language)
    given = set_aside(draft)
    draft.apply(web.EMOTICON)
    blank_drawn_lines(draft)
    simplify(draft)
    strip_markup(draft)
    join_lines(draft)
    draft.apply(*web.RULES, name="web")
    if known is not None:
        lower_capitals(draft, known)
    draft.apply(*scripture.RULES, name="scripture")
    draft.apply(*roman.HEADINGS, name="roman")
    for module in (dates, abbreviations, quantities, roman, numerals, symbols):
        draft.apply(*module.RULES, name=module.__name__.rpartition(".")[2])
    cut_long_words(draft)
    overrides = put_back(draft, given)
    return Normalised(draft.sourced, tuple(overrides), tuple(draft.notices))
