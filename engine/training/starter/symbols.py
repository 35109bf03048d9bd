"""Which trained symbol stands in for a symbol that no training text has."""

from __future__ import annotations

from collections.abc import Collection, Mapping

NEAREST_SYMBOL = {
    # vowels of British English and of other languages
    "Q": "O", "a": "æ", "e": "ɛ", "o": "ɔ", "y": "u", "ɒ": "ɑ", "ɚ": "ə", "ɨ": "ɪ", "ɯ": "u", "ø": "ɜ", "œ": "ɜ",
    "ɤ": "ʌ", "ɐ": "ə", "ᵝ": "u", "ᵊ": "ə", "ᵻ": "ɪ", "ʋ": "v", "Y": "ɔ",
    # consonants of other languages
    "c": "k", "q": "k", "ɟ": "ɡ", "x": "h", "χ": "h", "ç": "h", "ɣ": "ɡ", "r": "ɹ", "ɾ": "T",
    "ɽ": "T", "ɻ": "ɹ", "ʁ": "ɹ", "ɖ": "d", "ʈ": "t", "ɳ": "n", "ɲ": "n", "ɴ": "ŋ", "ʎ": "l", "ʂ": "ʃ",
    "ɕ": "ʃ", "ʝ": "j", "β": "v", "ɸ": "f", "ɥ": "w", "ɰ": "w", "ʔ": "t", "T": "t", "ʣ": "z",
    "ʥ": "ʤ", "ʦ": "s", "ʨ": "ʧ", "\uab67": "ʧ", "S": "ʃ", "ʒ": "ʃ",
    # marks
    "ː": "ˌ", "ʰ": "h", "ʲ": "j", "\u0303": "ˌ", "ˌ": "ˈ", "↓": " ", "→": " ", "↗": " ", "↘": " ",
    # punctuation
    ";": ",", ":": ",", "—": ",", "…": ".", '"': " ", "(": ",", ")": ",", "“": " ", "”": " ", "!": ".", "?": ".",
}  # fmt: skip
"""The nearest symbol of each; a chain of them (ɾ, T, t) is followed to the first trained one."""
LAST_RESORT = " "


def nearest_trained(symbol: str, trained: Collection[str]) -> str:
    """The symbol itself if it was trained, else the nearest that was; a space if the table has none."""
    seen = set()
    while symbol not in trained and symbol in NEAREST_SYMBOL and symbol not in seen:
        seen.add(symbol)
        symbol = NEAREST_SYMBOL[symbol]
    return symbol if symbol in trained else LAST_RESORT


def stand_in_tokens(vocabulary: Mapping[str, int], trained: Collection[str]) -> dict[int, int]:
    """For each untrained token, the trained token whose embedding it takes."""
    return {
        token: vocabulary[nearest_trained(symbol, trained)]
        for symbol, token in vocabulary.items()
        if symbol not in trained
    }
