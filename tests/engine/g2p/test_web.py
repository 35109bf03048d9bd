"""Addresses, hashtags, handles, paths."""

import pytest

from engine.g2p.draft import Draft
from engine.g2p.web import EMOTICON, RULES, spell_address
from engine.languages import AMERICAN


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("https://www.example.com/path?x=1.", "w w w dot example dot com slash path question mark x equals 1."),
        ("(example.com)", "(example dot com)"),
        ("john.doe@example.co.uk,", "john dot doe at example dot co dot uk,"),
        ("#MachineLearning2", "hashtag Machine Learning 2"),
        ("@user_name", "at user underscore name"),
        ("/usr/local/bin", "slash usr slash local slash bin"),
        ("~/a/b.txt", "tilde slash a slash b dot txt"),
        ("readme.txt", "readme dot txt"),
        ("and/or", "and/or"),
        ("end.The", "end.The"),
        ("http:///", "http:///"),
        ("3 @ 5", "3 @ 5"),
    ],
)
def test_addresses(written: str, words: str) -> None:
    draft = Draft(written, AMERICAN)
    draft.apply(*RULES)
    assert draft.text == words


def test_signs_without_a_name_are_silent() -> None:
    assert spell_address("a*b!c") == "a b c"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Great :D, thanks ;-)", "Great , thanks "),
        ("Good xD", "Good "),
        ("a:D and :Dx", "a:D and :Dx"),
        ("xD: an unknown", "xD: an unknown"),
        ("xÐ", "xÐ"),
    ],
)
def test_emoticons_are_silent(written: str, words: str) -> None:
    draft = Draft(written, AMERICAN)
    draft.apply(EMOTICON)
    assert draft.text == words
