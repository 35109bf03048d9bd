"""Words that an apostrophe joins with the word or number behind it, where espeak-ng would read them apart."""

from __future__ import annotations

import re
from functools import partial

from engine.g2p.draft import Draft
from engine.g2p.other_languages.number_words import cardinal
from engine.g2p.other_languages.writing import Writing
from engine.languages import Language

VOWEL = "[aeiouhyœæàâèéêëìíîïòóôùúûAEIOUHYŒÀÂÈÉÊËÌÍÎÒÔÙ]"


def close_up(draft: Draft, writing: Writing) -> None:
    """Take away the space behind an apostrophe, as older books have it, and fuse what is only known as one word."""
    if writing.elided:
        elided = rf"(?<![\w'])(?P<elided>{writing.elided})'"
        draft.rewrite(re.compile(rf"{elided}[ ](?={VOWEL}|\d)", re.IGNORECASE), lambda match: match[0][:-1])
    for pattern in writing.fused:
        draft.rewrite(re.compile(pattern, re.IGNORECASE), _fused)


def say_joined_numbers(draft: Draft, writing: Writing) -> None:
    """Put numbers behind an apostrophe into words: “l'8”."""
    if writing.elided:
        number = r"(?P<number>\d{1,3}(?:\.\d{3}){1,3}(?!\d)|\d{1,9}(?!\d))(?P<part>[.,:]\d{1,9}(?![\d.,:]))?"
        pattern = re.compile(rf"(?<![\w'])(?P<elided>{writing.elided})'{number}", re.IGNORECASE)
        draft.rewrite(pattern, partial(_joined_number, writing, draft.language), "numerals")


def _fused(match: re.Match[str]) -> str:
    """The letter behind the apostrophe is small inside a word that is not in capitals."""
    first, letter = match["first"], match["letter"]
    return first + (letter if first.isupper() and len(match["elided"]) > 1 else letter.lower())


def _joined_number(writing: Writing, language: Language, match: re.Match[str]) -> str:
    words = cardinal(int(match["number"].replace(".", "")), language)
    part = match["part"] or ""
    if part:
        part = f" {writing.decimal_mark} {part[1:]}" if part[0] == "," else f" {part[1:]}"
    return f"{match['elided']}'{words}{part}"
