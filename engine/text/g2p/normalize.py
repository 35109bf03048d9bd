"""Converts written to spoken text: letters, single spaces, and punctuation that affects the melody.

This module defines the order of the rules; the rules are in separate modules.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.speech import Notice
from engine.text.g2p import abbreviations, dates, numbers, numerals, quantities, symbols
from engine.text.g2p.capitals import KnownWords, lower_capitals
from engine.text.g2p.characters import blank_drawn_lines, simplify
from engine.text.g2p.draft import Draft, SourcedText
from engine.text.g2p.markup import EMOTICON, WEB_RULES, join_lines, strip_markup
from engine.text.g2p.overrides import PLACEHOLDERS, Override, put_back, set_aside
from engine.text.languages import Language

RULES = (
    ("quantities", quantities.RULES_BEFORE_DATES),
    ("scripture", dates.SCRIPTURE_RULES),
    ("roman", numbers.ROMAN_HEADINGS),
    ("dates", dates.RULES),
    ("abbreviations", abbreviations.RULES),
    ("quantities", quantities.RULES),
    ("roman", numbers.ROMAN_RULES),
    ("numerals", numerals.RULES),
    ("symbols", symbols.RULES),
)
"""The rules in the order in which they apply, with their names in plans."""
MAX_LETTERS = 45
"""The length of the longest word in misaki's lexicon."""
MAX_PARTS = 5
"""The most parts of a compound; misaki's search in a word takes time cubic in them."""
LETTERS = re.compile(rf"[A-Za-z]{{{MAX_LETTERS}}}(?=[A-Za-z])")
COMPOUND = re.compile(rf"(?:[A-Za-z]+[^A-Za-z\s]+){{{MAX_PARTS},}}\S*")
JOINT = re.compile(r"(?<=[^A-Za-z\s])(?=[A-Za-z])")
GIVEN = re.compile(rf"(?:[{PLACEHOLDERS}][^A-Za-z\s{PLACEHOLDERS}]*){{{MAX_PARTS}}}(?=\S)")
"""Words whose pronunciation is given, without a space between them."""
CAMEL_CASE = re.compile(rf"(?:[A-Z][a-z]+){{{MAX_PARTS + 1},}}")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def cut_long_words(draft: Draft) -> None:
    """Split endless compounds at their joints, and endless runs of letters anywhere."""
    draft.rewrite(CAMEL_CASE, lambda match: HUMP.sub(" ", match[0]))
    draft.rewrite(LETTERS, lambda match: f"{match[0]} ")
    draft.rewrite(COMPOUND, lambda match: JOINT.sub(" ", match[0].replace("-", " ")))
    draft.rewrite(GIVEN, lambda match: f"{match[0].rstrip('-')} ")


@dataclass(frozen=True)
class Normalized:
    """Text ready to be spoken, the pronunciations that it specifies, and notices of omissions."""

    sourced: SourcedText
    overrides: tuple[Override, ...]
    notices: tuple[Notice, ...]

    def moved(self, offset: int) -> Normalized:
        """Return the same for a text with `offset` more characters before it."""
        notices = (replace(each, start=each.start + offset, end=each.end + offset) for each in self.notices)
        return replace(self, sourced=self.sourced.moved(offset), notices=tuple(notices)) if offset else self

    def over(self, earlier: SourcedText) -> Normalized:
        """Return the same for the source of an `earlier` text, whose text is the source of this one."""
        notices = (replace(each, **vars(earlier.source_span(each.start, each.end))) for each in self.notices)
        return replace(self, sourced=self.sourced.over(earlier), notices=tuple(notices))

    def overrides_in(self, start: int, end: int) -> list[Override]:
        """Return the overrides that begin in a piece of the text, in offsets of that piece."""
        first = bisect_left(self.overrides, start, key=lambda override: override.start)
        last = bisect_left(self.overrides, end, key=lambda override: override.start)
        return [override.moved(-start) for override in self.overrides[first:last]]


def normalize(
    text: str, language: Language, known: KnownWords | None = None, overrides: Sequence[Override] = ()
) -> Normalized:
    """Convert a text to its spoken form in this language; single line breaks separate paragraphs.

    Without the `known` words, capitals stay as they are. The words of `overrides`, which are in order, stay too.
    """
    draft = Draft(text, language)
    given = set_aside(draft, overrides)
    draft.apply(EMOTICON)
    blank_drawn_lines(draft)
    simplify(draft)
    strip_markup(draft)
    join_lines(draft)
    draft.apply(*WEB_RULES, name="web")
    if known is not None:
        lower_capitals(draft, known)
    for name, rules in RULES:
        draft.apply(*rules, name=name)
    cut_long_words(draft)
    overrides = put_back(draft, given)
    return Normalized(draft.sourced, tuple(overrides), tuple(draft.notices))
