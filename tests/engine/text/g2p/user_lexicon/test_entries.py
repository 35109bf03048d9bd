import pytest

from engine.errors import InvalidRequest
from engine.text.g2p.overrides import PLACEHOLDER
from engine.text.g2p.user_lexicon.entries import LexiconEntry, checked


@pytest.mark.parametrize(
    ("entry", "saved"),
    [
        (LexiconEntry("Zorg", phonemes="/zɔrg/"), LexiconEntry("Zorg", phonemes="zɔrg")),
        (LexiconEntry("  New\n York ", phonemes=" [nu  jɔɹk] "), LexiconEntry("New York", phonemes="nu jɔɹk")),
        (LexiconEntry("a", say=" b  c ", language=""), LexiconEntry("a", say="b c")),
        (LexiconEntry("a", say="b", language="EN"), LexiconEntry("a", say="b")),
        (LexiconEntry("a", say="b", language="fr"), LexiconEntry("a", say="b", language="fr-FR")),
        (LexiconEntry("a", say="b", language="en-gb"), LexiconEntry("a", say="b", language="en-GB")),
        (LexiconEntry("a", say="b", part_of_speech="Noun", case=""), LexiconEntry("a", say="b", part_of_speech="noun")),
        (LexiconEntry("cafe\u0301", say="b"), LexiconEntry("café", say="b")),
        (LexiconEntry(pattern=r"(\d+)k", say=r"\1 thousand "), LexiconEntry(pattern=r"(\d+)k", say=r"\1 thousand ")),
        (LexiconEntry(pattern=r"\[\d+\]", say=""), LexiconEntry(pattern=r"\[\d+\]")),
        (LexiconEntry(pattern="(a{99}[{9}]){99}", say="b"), LexiconEntry(pattern="(a{99}[{9}]){99}", say="b")),
    ],
)
def test_an_entry_is_saved_in_one_form(symbols, entry, saved):
    assert checked(entry, symbols) == saved


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (LexiconEntry(), "word or a pattern"),
        (LexiconEntry("a", pattern="b", say="c"), "not both"),
        (LexiconEntry("a"), "needs phonemes or words"),
        (LexiconEntry("a", phonemes="b", say="c"), "not both"),
        (LexiconEntry("a", phonemes="zˈ5ж"), "“5”, “ж” in “zˈ5ж”"),
        (LexiconEntry("a", phonemes="zɔʀ"), "“ʀ”"),
        (LexiconEntry("a", phonemes="// /"), "needs phonemes"),
        (LexiconEntry("a", phonemes="…!"), "has no sound"),
        (LexiconEntry("a", say="…"), "nothing to say"),
        (LexiconEntry("...", say="a"), "isn’t a word"),
        (LexiconEntry("a\0", say="b"), "control characters"),
        (LexiconEntry("a", say=f"b{PLACEHOLDER}"), "control characters"),
        (LexiconEntry("a\ud800", say="b"), "control characters"),
        (LexiconEntry("a" * 101, say="b"), "longer than 100"),
        (LexiconEntry("a", phonemes="b" * 201), "longer than 200"),
        (LexiconEntry("a", say="b", part_of_speech="pronoun"), "part of speech"),
        (LexiconEntry("a", say="b", part_of_speech="noun", language="es"), "Only English words"),
        (LexiconEntry("漢字", say="b", part_of_speech="noun"), "Only English words"),
        (LexiconEntry(pattern="a", say="b", part_of_speech="noun"), "Only English words"),
        (LexiconEntry("a", say="b", case="lower"), "isn’t a case"),
        (LexiconEntry("a", say="b", language="xx"), "Unsupported language"),
        (LexiconEntry(pattern="(", say="a"), "regular expression"),
        (LexiconEntry(pattern="a*", say="b"), "matches nothing"),
        (LexiconEntry(pattern="(a)", say=r"\2"), "isn’t a valid replacement"),
        (LexiconEntry(pattern="(a)", say=r"\g<b>"), "isn’t a valid replacement"),
        (LexiconEntry(pattern="((a{1000}){1000}){1000}", say="b"), "repeats too often"),
        (LexiconEntry(pattern=r"([a-z{2}]|\({3,}){99999}", say="b"), "repeats too often"),
        (LexiconEntry(pattern="a", phonemes="b"), "can’t have phonemes"),
        (LexiconEntry(pattern="a" * 501, say="b"), "longer than 500"),
    ],
)
def test_an_unusable_entry_is_refused_with_one_sentence(symbols, entry, problem):
    with pytest.raises(InvalidRequest, match=problem.replace("…", ".")) as raised:
        checked(entry, symbols)
    assert raised.value.message.endswith(".")
    assert "\n" not in raised.value.message
