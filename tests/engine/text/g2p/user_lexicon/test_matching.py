import pytest

from engine.errors import InvalidRequest
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.matching import matches


def found(text: str, entry: LexiconEntry) -> list[str]:
    return [text[span.start : span.end] for span in matches(text, entry)]


@pytest.mark.parametrize(
    ("word", "text", "places"),
    [
        ("Zorg", "Zorg, zorg and ZORG; zorgon, azorg", ["Zorg", "zorg", "ZORG"]),
        ("Zorg", "Zorg's zorgs, zorged zorging Zorg’ll", ["Zorg's", "zorgs", "zorged", "zorging", "Zorg’ll"]),
        ("Zorg", "**Zorg** _Zorg_ (Zorg) “Zorg” Zorg-like non-Zorg @Zorg", ["Zorg"] * 7),
        ("Zorg", "zorg.com node.zorg x@zorg.com https://a.b/Zorg www.zorg.com a_zorg", []),
        ("Zorg", "[Zorg](/x/) [Zorg](+2) [Zorg](#&#) Zorg", ["Zorg"]),
        ("Zorg", "[rise]Zorg[/rise], [slow] zorg [/slow]", ["Zorg", "zorg"]),
        ("rise", "[rise]Zorg[/rise]", []),
        ("New York", "New [rise]York[/rise]", ["New [rise]York"]),
        ("don", "don don't", ["don"]),
        ("don't", "don't don’t", ["don't", "don’t"]),
        ("berry", "berries berry's", ["berries", "berry's"]),
        ("watch", "watches watched", ["watches", "watched"]),
        ("doe", "does do", []),
        ("bu", "bus", []),
        ("new", "newer renew", []),
        ("New York", "New York, new\nyork, New  York's; New\n\nYork, Newark", ["New York", "new\nyork", "New  York's"]),
        ("Wi-Fi", "Wi-Fi wi‑fi Wi Fi", ["Wi-Fi", "wi‑fi"]),
        ("C++", "C++, C, C+", ["C++"]),
        ("U.S.", "The U.S. army, the US army", ["U.S."]),
        ("node.js", "Use Node.js daily.", ["Node.js"]),
        ("3M", "3M 13M $3M", ["3M", "3M"]),
        ("café", "cafe\u0301 café cafe", ["cafe\u0301", "café"]),
        ("漢字", "See 漢字 and 漢字。", ["漢字", "漢字"]),
        ("😀", "Hi 😀!", ["😀"]),
        ("co\xadop", "coop c\xado\u200bo\x00p", ["coop", "c\xado\u200bo\x00p"]),
        ("state-of-the-art", "A state-of-\n  the-art thing", ["state-of-\n  the-art"]),
    ],
)
def test_whole_words_are_found(word, text, places):
    assert found(text, LexiconEntry(word, say="x")) == places


@pytest.mark.parametrize(
    ("word", "text", "places"),
    [
        ("Polish", "Polish polish POLISH Polish's", ["Polish", "Polish's"]),
        ("US", "US us Us US's", ["US", "US's"]),
        ("Berry", "Berries berries Berry's", ["Berries", "Berry's"]),
        ("New York", "New\nYork's New york", ["New\nYork's"]),
        ("O’Brien", "O'Brien O’Brien o'brien", ["O'Brien", "O’Brien"]),
    ],
)
def test_the_case_may_have_to_be_the_same(word, text, places):
    assert found(text, LexiconEntry(word, say="x", case="exact")) == places


def test_languages_without_spaces_have_words_of_characters():
    assert found("今天天气很好，天气", LexiconEntry("天气", say="x", language="zh")) == ["天气", "天气"]


@pytest.mark.parametrize(
    ("language", "word", "text", "places"),
    [
        ("es", "casa", "casa casas Casa", ["casa", "Casa"]),
        ("fr-FR", "école", "L’école, l'école et l'écolier", ["école", "école"]),
        ("fr-FR", "l'école", "L’école", ["L’école"]),
        ("hi", "नमस्ते", "नमस्ते, नमस्तेजी", ["नमस्ते"]),
    ],
)
def test_other_languages_have_words_without_endings(language, word, text, places):
    assert found(text, LexiconEntry(word, say="x", language=language)) == places


@pytest.mark.parametrize(
    ("pattern", "case", "places"),
    [
        (r"(\d+)k\b", "any", ["20k", "30K"]),
        (r"(\d+)k\b", "exact", ["20k"]),
        (r"\w*", "any", ["20k", "30K", "x"]),
        (r".+", "any", []),
    ],
)
def test_patterns_match_outside_markup(pattern, case, places):
    assert found("20k 30K [x](/k/)x", LexiconEntry(pattern=pattern, say="y", case=case)) == places


def test_an_endless_pattern_is_reported():
    with pytest.raises(InvalidRequest, match="takes too long"):
        matches("x" * 40 + "!", LexiconEntry(pattern=r"(?:(?:x|xx)+)+[^\w!]", say="y"))
