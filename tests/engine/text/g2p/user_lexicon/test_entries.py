import pytest

from engine.errors import InvalidRequest
from engine.text.g2p.directions import PLACEHOLDER
from engine.text.g2p.user_lexicon.entries import Entry, checked


@pytest.mark.parametrize(
    ("entry", "saved"),
    [
        (Entry("Zorg", phonemes="/zɔrg/"), Entry("Zorg", phonemes="zɔrg")),
        (Entry("  New\n York ", phonemes=" [nu  jɔɹk] "), Entry("New York", phonemes="nu jɔɹk")),
        (Entry("a", say=" b  c ", language=""), Entry("a", say="b c")),
        (Entry("a", say="b", language="EN"), Entry("a", say="b")),
        (Entry("a", say="b", language="fr"), Entry("a", say="b", language="fr-FR")),
        (Entry("a", say="b", language="en-gb"), Entry("a", say="b", language="en-GB")),
        (Entry("a", say="b", part_of_speech="Noun", case=""), Entry("a", say="b", part_of_speech="noun")),
        (Entry("cafe\u0301", say="b"), Entry("café", say="b")),
        (Entry(pattern=r"(\d+)k", say=r"\1 thousand "), Entry(pattern=r"(\d+)k", say=r"\1 thousand ")),
        (Entry(pattern=r"\[\d+\]", say=""), Entry(pattern=r"\[\d+\]")),
        (Entry(pattern="(a{99}[{9}]){99}", say="b"), Entry(pattern="(a{99}[{9}]){99}", say="b")),
    ],
)
def test_an_entry_is_saved_in_one_form(symbols, entry, saved):
    assert checked(entry, symbols) == saved


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (Entry(), "word or a pattern"),
        (Entry("a", pattern="b", say="c"), "not both"),
        (Entry("a"), "needs phonemes or words"),
        (Entry("a", phonemes="b", say="c"), "not both"),
        (Entry("a", phonemes="zˈ5ж"), "“5”, “ж” in “zˈ5ж”"),
        (Entry("a", phonemes="zɔʀ"), "“ʀ”"),
        (Entry("a", phonemes="// /"), "needs phonemes"),
        (Entry("a", phonemes="…!"), "has no sound"),
        (Entry("a", say="…"), "nothing to say"),
        (Entry("...", say="a"), "isn’t a word"),
        (Entry("a\0", say="b"), "control characters"),
        (Entry("a", say=f"b{PLACEHOLDER}"), "control characters"),
        (Entry("a\ud800", say="b"), "control characters"),
        (Entry("a" * 101, say="b"), "longer than 100"),
        (Entry("a", phonemes="b" * 201), "longer than 200"),
        (Entry("a", say="b", part_of_speech="pronoun"), "part of speech"),
        (Entry("a", say="b", part_of_speech="noun", language="es"), "Only English words"),
        (Entry("漢字", say="b", part_of_speech="noun"), "Only English words"),
        (Entry(pattern="a", say="b", part_of_speech="noun"), "Only English words"),
        (Entry("a", say="b", case="lower"), "isn’t a case"),
        (Entry("a", say="b", language="xx"), "Unsupported language"),
        (Entry(pattern="(", say="a"), "regular expression"),
        (Entry(pattern="a*", say="b"), "matches nothing"),
        (Entry(pattern="(a)", say=r"\2"), "isn’t a valid replacement"),
        (Entry(pattern="(a)", say=r"\g<b>"), "isn’t a valid replacement"),
        (Entry(pattern="((a{1000}){1000}){1000}", say="b"), "repeats too often"),
        (Entry(pattern=r"([a-z{2}]|\({3,}){99999}", say="b"), "repeats too often"),
        (Entry(pattern="a", phonemes="b"), "can’t have phonemes"),
        (Entry(pattern="a" * 501, say="b"), "longer than 500"),
    ],
)
def test_an_unusable_entry_is_refused_with_one_sentence(symbols, entry, problem):
    with pytest.raises(InvalidRequest, match=problem.replace("…", ".")) as raised:
        checked(entry, symbols)
    assert raised.value.message.endswith(".")
    assert "\n" not in raised.value.message
