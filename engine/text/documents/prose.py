"""Cleans text of the remains of its layout."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import resources

_ENTRY = re.compile(r'^ *"([a-z]+)": ', re.MULTILINE)
_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u200e\u200f\u2060\ufeff]")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_SPACES = re.compile(r"[^\S\n]+")
_AROUND_LINE_END = re.compile(r" ?\n ?")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ufffe\uffff]")
_WORD = re.compile(r"\w+(?:[-‐’'\u00ad]\w+)*")
_CUT_WORD = re.compile(r"(\w+(?:-\w+)*)[-‐\u00ad]$")
_MIN_PART_LENGTH = 2
_ENDINGS = frozenset(
    {"able", "est", "ful", "full", "hood", "ing", "ion", "less", "like", "ment", "ness", "ship", "ward"}
)
"""Suffixes that are also words."""
_MAX_WORD_CHARACTERS = 60
_KANA = re.compile(r"[\u3040-\u30ff\uff66-\uff9f\s・ー]+")
_NOTE_MARK = re.compile(r"[\[(]?(\d{1,3}|[*†‡§¶]{1,3}|[a-z])[\])]?")


@cache
def english_words() -> frozenset[str]:
    """Return about 75,000 lowercase words from the dictionary of misaki; empty if misaki is not installed."""
    try:
        text = resources.files("misaki.data").joinpath("us_gold.json").read_text(encoding="utf-8")
    except (ModuleNotFoundError, OSError):
        return frozenset()
    return frozenset(_ENTRY.findall(text))


def clean(text: str) -> str:
    """Collapse spaces, and remove ligatures and invisible and control characters; line ends stay."""
    visible = _CONTROL.sub(" ", _INVISIBLE.sub("", text)).translate(_LIGATURES)
    return _AROUND_LINE_END.sub("\n", _SPACES.sub(" ", visible)).strip()


def is_note_mark(text: str) -> bool:
    """Return whether a raised or linked text is a footnote mark, such as 12, [3] or †."""
    return _NOTE_MARK.fullmatch(text.strip()) is not None


def is_reading(small: str, base: str) -> bool:
    """Return whether a small annotation over a text is its reading and spoken instead, as in Japanese."""
    return bool(small.strip()) and (_KANA.fullmatch(small) is not None or not any(map(str.isalnum, base)))


class LineJoiner:
    """Joins the lines of paragraphs; `text` is the whole document, which shows which words have a hyphen."""

    def __init__(self, text: str) -> None:
        self._words = set(_WORD.findall(text.casefold()))

    def joined(self, lines: Sequence[str]) -> str:
        """Join lines into one, and rejoin words hyphenated at line ends."""
        whole = ""
        for line in lines:
            whole = self._continued(whole, line.strip())
        return whole

    def _continued(self, before: str, line: str) -> str:
        cut = _CUT_WORD.search(before[-_MAX_WORD_CHARACTERS:])
        follower = _WORD.match(line)
        if cut is None or follower is None or not line[0].islower():
            return f"{before} {line}" if before and line else before + line
        parts = cut[1].casefold(), follower[0].casefold()
        return before[:-1] + ("-" if self._is_compound(*parts) else "") + line

    def _is_compound(self, first: str, second: str) -> bool:
        """Return whether a hyphen is part of a compound: it occurs elsewhere in the text, or the parts form no word."""
        if f"{first}{second}" in self._words:
            return False
        return f"{first}-{second}" in self._words or _are_apart(first.rpartition("-")[2], second.partition("-")[0])


def _are_apart(first: str, second: str) -> bool:
    """Return whether both parts are English words that form no word together, even without a common suffix."""
    if min(len(first), len(second)) < _MIN_PART_LENGTH:
        return False
    words = english_words()
    if first not in words or (second not in words and second.removesuffix("s") not in words) or second in _ENDINGS:
        return False
    return not any(f"{first}{second}".removesuffix(ending) in words for ending in ("", "s", "es", "d", "ed", "ing"))
