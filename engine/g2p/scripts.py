"""Writing systems other than the Latin one: their names, and Greek and Cyrillic letters in Latin ones."""

from __future__ import annotations

import re
import unicodedata

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon "
    "phi chi psi omega"
)
_GREEK = "a v g d e z i th i k l m n x o p r s s t y f ch ps o"
_RUSSIAN = "a b v g d e yo zh z i y k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya"
_OTHER_CYRILLIC = "i yi ye g w dj y ly ny ch dzh gy ky dz"
GREEK_LETTERS = {chr(0x3B1 + index): name for index, name in enumerate(_GREEK_NAMES.split())}
"""Names of the small letters, both forms of sigma included."""
LATIN_FOR_GREEK = dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω", _GREEK.split(), strict=True))
LATIN_FOR_CYRILLIC = dict(
    zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґўђјљњћџѓќѕ", f"{_RUSSIAN} {_OTHER_CYRILLIC}".split(), strict=True)
)
LATIN_LETTERS = {**LATIN_FOR_GREEK, **LATIN_FOR_CYRILLIC, "ъ": "", "ь": ""}
TRANSLITERABLE = re.compile("[\u0370-\u03ff\u1f00-\u1fff\u0400-\u052f]")
SCRIPT_NAMES = {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "KATAKANA-HIRAGANA": "Japanese",
    "HANGUL": "Korean",
}


def script_name(character: str) -> str:
    """The name of a letter's writing system; empty for anything but a letter."""
    if not character.isalpha():
        return ""
    first = unicodedata.name(character, "").split(" ")[0]
    return SCRIPT_NAMES.get(first, first.capitalize())


def transliterated(text: str) -> str:
    """Greek and Cyrillic letters in Latin ones; other letters are left out."""
    return "".join(_latin(character) for character in unicodedata.normalize("NFC", text))


def _latin(character: str) -> str:
    if character.isascii():
        return character
    small = character.lower()
    plain = unicodedata.normalize("NFD", small)[0]
    latin = LATIN_LETTERS.get(small, LATIN_LETTERS.get(plain, ""))
    return latin.capitalize() if small != character else latin
