"""Raised and lowered signs: powers and indices, which are read, and marks of notes, which are not."""

from __future__ import annotations

import re

from engine.documents.prose import is_note_mark

RAISED = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
LOWERED = str.maketrans("0123456789+-−–", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋")
_EXPONENT = re.compile(r"[+−–-]?\d+|\d*[+−–-]")
_INDEX = re.compile(r"[+−–-]?\d+")
_VARIABLE = re.compile(r"[nxyzk]")
_WRITTEN_MARKS = re.compile(r"(?<=\S)(?:(?<=[\w.,;:!?…)\]”’\"'»])[*†‡]{1,3}(?!\w|[*†‡])|[⁺⁻]?[⁰¹²³⁴-⁹]+[⁺⁻]?)")
_SIGN = re.compile("[⁺⁻]")
_YEAR = re.compile(r"(?<![\w.,])(?:1\d|20)\d\d$")
_NUMBER = re.compile(r"\d$")
_TERM = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,4}$")
_VOWEL = re.compile(r"[aeiouyà-ÿ]", re.IGNORECASE)
_FUNCTIONS = frozenset({"sin", "cos", "tan", "cot", "log", "ln", "exp", "sec", "csc", "sinh", "cosh", "tanh"})
_UNITS = frozenset({"in", "mi", "ha", "au", "cm", "km", "mm", "ft", "yd"})
_BEHIND_NUMBER = re.compile(r"\d[ \u00a0\u2009\u202f]?$")
_IN_BRACKETS = re.compile(r"\(([^()]{1,40})\)$")
_MARKS = re.compile(r"\d{1,3}(?:\s*[,;–-]\s*\d{1,3}|\s+\d{1,3})+")
_SYMBOL = re.compile(r"[A-Z][a-z]?(?![\w.])")
_WORD = re.compile(r"[^\W\d_]{3}")


def raised(before: str, text: str, behind: str = "") -> str | None:
    """A raised text as it is to be read between what is before and behind it; None if it is the mark of a note."""
    text = text.strip()
    if text.isdigit() and _SYMBOL.match(behind) and re.search(r"[\w,;(]\s$|[(]$", before):
        return text  # as of carbon 14
    if _EXPONENT.fullmatch(text):
        sure = text[0] in "+−–-" or text[-1] in "+−–-"
        return text.translate(RAISED) if before and (sure or _takes_exponent(before)) else None
    if _VARIABLE.fullmatch(text) and re.search(r"(?<!\w)(?:[a-z]|\d+)$", before):
        return f"^{text}"
    return None if (is_note_mark(text) or _MARKS.fullmatch(text)) and _ends_word(before) else text


def with_raised(before: str, text: str, behind: str = "") -> str:
    """The same, empty for the mark of a note."""
    return raised(before, text, behind) or ""


def in_raised_signs(text: str) -> str | None:
    """A power in signs that a plain text has for it; None if it has none."""
    return text.translate(RAISED) if _EXPONENT.fullmatch(text) else None


def lowered(before: str, text: str) -> str:
    """A lowered text as it is to be read behind what is before it."""
    text = text.strip()
    if _INDEX.fullmatch(text):
        return text.translate(LOWERED)
    return f" {text}" if before[-1:].isalnum() else text


def without_written_marks(text: str) -> str:
    """The text without note marks written as separate characters, as in “the end.¹²” and “so.*”."""
    return _WRITTEN_MARKS.sub(_written, text)


def _written(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 60) : match.start()]
    if match[0][0] in "*†‡":
        return "" if _ends_word(before) else match[0]
    return match[0] if _SIGN.search(match[0]) or _takes_exponent(before) else ""


def _takes_exponent(before: str) -> bool:
    """Whether a number that is raised behind this is an exponent: behind numbers, variables and units."""
    if _NUMBER.search(before):
        return _YEAR.search(before) is None
    if before[-1:] in "⁺⁻^°":
        return True
    if bracket := _IN_BRACKETS.search(before):
        return _WORD.search(bracket[1]) is None and _YEAR.search(bracket[1]) is None
    term = _TERM.search(before)
    if term is None:
        return False
    word = term[0]
    if word in _FUNCTIONS or len(word) == 1:
        return True
    if word in _UNITS and _BEHIND_NUMBER.search(before[: term.start()]):
        return True
    return len(word) == 2 and _VOWEL.search(word) is None


def _ends_word(before: str) -> bool:
    """Whether this ends with a whole word or with a stop."""
    return re.search(r"(?:\w{3}|[^\w\s])\s*$", before) is not None
