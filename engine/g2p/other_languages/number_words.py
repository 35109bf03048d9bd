"""Numbers as words of French, Italian, Spanish and Portuguese: cardinals, and ordinals with their gender."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from engine.languages import FRENCH, ITALIAN, PORTUGUESE, SPANISH, Language

LIBRARY_NAMES = {FRENCH: "fr", ITALIAN: "it", SPANISH: "es", PORTUGUESE: "pt_BR"}
SPANISH_TEENS = {11: "undécimo", 12: "duodécimo"}
FEMININE_PARTS = {
    SPANISH: ((r"uno$", "una"), (r"ientos\b", "ientas")),
    PORTUGUESE: ((r"\bum$", "uma"), (r"\bdois$", "duas"), (r"entos\b", "entas")),
    ITALIAN: ((r"^uno$", "una"),),
    FRENCH: ((r"\bun$", "une"),),
}
MASCULINE_PARTS = {SPANISH: ((r"veintiuno$", "veintiún"), (r"\buno$", "un")), ITALIAN: ((r"^uno$", "un"),)}
"""How the ends of cardinals change before a noun."""


def cardinal(number: int, language: Language) -> str:
    """The number as it is counted."""
    words = _in_words(number, language, "cardinal")
    return words.replace("catorze", "quatorze") if language == PORTUGUESE else words  # as in Brazil


def counted(number: int, language: Language, feminine: bool) -> str:
    """The number before a noun of this gender."""
    words = cardinal(number, language)
    for part, form in (FEMININE_PARTS if feminine else MASCULINE_PARTS).get(language, ()):
        words = re.sub(part, form, words)
    return words


def ordinal(number: int, language: Language, feminine: bool = False, plural: bool = False) -> str:
    """The place in an order."""
    masculine = _ORDINALS.get(language, _plain_ordinal)(number, language)
    return _inflected(masculine, language, feminine) + _plural_ending(language, plural)


def _inflected(words: str, language: Language, feminine: bool) -> str:
    if not feminine:
        return words
    if language == FRENCH:
        return {"premier": "première", "second": "seconde"}.get(words, words)
    return re.sub(r"o\b", "a", words)


def _plural_ending(language: Language, plural: bool) -> str:
    return "s" if plural and language != ITALIAN else ""


def _plain_ordinal(number: int, language: Language) -> str:
    return _in_words(number, language, "ordinal")


def _french_ordinal(number: int, language: Language) -> str:
    return _plain_ordinal(number, language).replace("vingtsième", "vingtième")


def _spanish_ordinal(number: int, language: Language) -> str:
    hundreds, rest = divmod(number, 100)
    if not 11 <= rest <= 19:
        return _plain_ordinal(number, language)
    teen = SPANISH_TEENS.get(rest) or f"decimo{_plain_ordinal(rest - 10, language)}"
    return f"{_plain_ordinal(hundreds * 100, language)} {teen}" if hundreds else teen


_ORDINALS: dict[Language, Callable[[int, Language], str]] = {FRENCH: _french_ordinal, SPANISH: _spanish_ordinal}


@cache
def _in_words(number: int, language: Language, form: str) -> str:
    from num2words import num2words

    return str(num2words(number, lang=LIBRARY_NAMES[language], to=form))
