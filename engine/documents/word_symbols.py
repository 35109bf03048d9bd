"""The characters of the fonts of symbols, which DOCX files name by their place in the font."""

from __future__ import annotations

_PLACES = range(0xF020, 0xF100)
"""The private characters of Unicode that stand for the places of such a font."""
_SYMBOL_FONTS = ("symbol", "dings")
_GREEK = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_CAPITALS = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
_LOWER_SIGNS = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅"
_UPPER_SIGNS = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
_SYMBOL = (
    {0x20 + at: sign for at, sign in enumerate(_LOWER_SIGNS)}
    | {0x41 + at: sign for at, sign in enumerate(_CAPITALS)}
    | {0x61 + at: sign for at, sign in enumerate(_GREEK)}
    | {0xA0 + at: sign for at, sign in enumerate(_UPPER_SIGNS)}
    | {0x5B: "[", 0x5C: "∴", 0x5D: "]", 0x5E: "⊥", 0x5F: "_", 0x7B: "{", 0x7C: "|", 0x7D: "}", 0x7E: "∼"}
)


def shown(text: str, font: str) -> str:
    """The text as it is seen in a font: letters and signs of “Symbol”, nothing for the ornaments of other fonts."""
    if text.isascii():
        return text
    return "".join(_sign(character, font) for character in text)


def _sign(character: str, font: str) -> str:
    place = ord(character)
    if place not in _PLACES:
        return character
    return _SYMBOL.get(place - 0xF000, "") if font.casefold().startswith("symbol") else ""


def symbol(code: str, font: str) -> str:
    """The character that an element of the file names by its hexadecimal place in a font."""
    try:
        place = int(code, 16)
        is_place = place <= 0xFF and any(name in font.casefold() for name in _SYMBOL_FONTS)
        character = chr(0xF000 + place if is_place else place)
    except (ValueError, OverflowError):
        return ""
    return "" if 0xD800 <= ord(character) <= 0xDFFF else shown(character, font)
