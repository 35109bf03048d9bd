"""Signs as words, and punctuation reduced to a few forms."""

import pytest

from engine.g2p.draft import Draft
from engine.g2p.symbols import RULES
from engine.languages import AMERICAN


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (".txt files and C#, .NET", "dot txt files and C sharp, dot NET"),
        ("AT&T, M&Ms, Q&A", "A.T and T, M and Ms, Q and A"),
        ("R&D", "R and D"),
        ("a + b = c", "a plus b equals c"),
        ("C++ and C#", "C plus plus and C sharp"),
        ("a -> b ==> c --->d", "a to b to c to d"),
        ("x <= y", "x is at most y"),
        ("x<y", "x less than y"),
        ("~ten", "about ten"),
        ("About ~ten", "About ten"),
        ("=====", ""),
        ("μ", "mu"),
        ("μμμμ", "mu"),
        ('"Hi," she said. "No"', "“Hi,” she said. “No”"),
        ("'quoted' dogs' tails 'em", "quoted dogs' tails 'em"),
        ("wait...  what?!  no!!!", "wait… what? no!"),
        ("a -- b - c—d – e", "a — b — c—d — e"),
        ("well-known", "well-known"),
        ("~Chapter One~", "Chapter One"),
        ("the boy(s), box(es)", "the boys, boxes"),
        ("[Laughter] He sat.", "Laughter. He sat."),
        ("He sat. (Long applause) “Now,”", "He sat. Long applause. “Now,”"),
        ("He (Tom) sat. (He stood.) Then", "He (Tom) sat. (He stood.) Then"),
        ("(see above) Then", "(see above) Then"),
        ("a oOo b, Ooo!", "a b, Ooo!"),
        ("-leading trailing-", "leading trailing"),
        ("[a] {b}", "(a) (b)"),
        ("a | b", "a, b"),
        ("a_b*c^d", "a b c d"),
        ("and/or", "and or"),
        ("a ,b ;; c", "a, b; c"),
        ("()", ""),
        ("| a | b |\n| c |.", "a, b,\nc."),
    ],
)
def test_signs(written: str, words: str) -> None:
    draft = Draft(written, AMERICAN)
    draft.apply(*RULES)
    assert draft.text.strip() == words


@pytest.mark.parametrize("sign", ["-", "=", "<-", "."])
def test_long_rows_of_signs_take_linear_time(sign: str) -> None:
    """Else this would take an hour or more."""
    draft = Draft(f"{sign * 400_000} end", AMERICAN)
    draft.apply(*RULES)
    assert draft.text.endswith("end")
