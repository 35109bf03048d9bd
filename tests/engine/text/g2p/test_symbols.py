import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.g2p import Phonemizer
from engine.text.g2p.symbols import RULES
from tests.engine.text.g2p.plain_words import rewritten, same_as, sounds


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
    assert rewritten(written, *RULES).strip() == words


@pytest.mark.parametrize("sign", ["-", "=", "<-", "."])
def test_long_rows_of_signs_take_linear_time(sign: str) -> None:
    """Else this would take an hour or more."""
    assert rewritten(f"{sign * 400_000} end", *RULES).endswith("end")


SIGNS = ".,;:!?…—–-()[]{}“”\"'"
NAMES = "exclamation colon semicolon dash slash underscore comma parenthesis bracket quote hyphen period dot question"


def spoken(text: str) -> str:
    return rewritten(text, *RULES)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Oh!—no.", "Oh! No."),
        ("“Ah!”—she turned.", "“Ah!” She turned."),
        ("‘Ah!’—she turned.", "Ah! She turned."),
        ("He stayed (at last!)—and slept.", "He stayed, at last! And slept."),
        ("As follows:—Be brave.", "As follows: Be brave."),
        ("Yes.—no.", "Yes. No."),
        ("What?—who?", "What? Who?"),
        ("Stop!Go!", "Stop! Go!"),
        ("I saw him,—and he saw me.", "I saw him, and he saw me."),
        ("The Inn:—Peter Coffin.", "The Inn: Peter Coffin."),
        ("Sir;—I am yours.", "Sir; I am yours."),
        ("Never!--never!", "Never! Never!"),
        ("Really?!?", "Really?"),
        ("Really !", "Really!"),
        ("“Well,”—he said.", "“Well,” he said."),
        ("“Well”—he said.", "“Well” — he said."),
        ("He said,—“No!”", "He said, “No!”"),
        ("He came.Then he left.", "He came. Then he left."),
        ("He came,saw;won.", "He came, saw; won."),
        ("(Ah!)(Oh?)", "Ah! Oh?"),
        ("Is it?—“Yes!”—“No!”", "Is it? “Yes!” “No!”"),
        ("It ended.”—The boy left.", "It ended. The boy left."),
        ("John Brown, Esqr., and I", "John Brown, Esqr, and I"),
        ("He said “no”and left.", "He said “no” and left."),
        ("dogs'—and cats", "dogs — and cats"),
        ("J.K.Rowling came.", "J K Rowling came."),
    ],
)
def test_signs_between_words_make_one_pause(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)


@pytest.mark.parametrize(
    "text",
    [
        "a — b, word—word; no…yes: “Hi,” she said. “No.”",
        "(He left.) “Yes!” A well-known man (so he said), and more…",
        "He said: “I don't.” Then, “we (the two) — or three — left”",
        "the U.S. Army",
    ],
)
def test_one_sign_of_each_kind_stays_as_it_is(text: str) -> None:
    assert spoken(text) == text


@pytest.mark.parametrize("text", ["foo.bar", "self.name"])
def test_a_name_with_a_dot_keeps_its_dot(text: str) -> None:
    assert spoken(text) == text.replace(".", " dot ")


@given(st.lists(st.tuples(st.sampled_from(["Yes", "No", "Zorg", "Dogs'"]), st.text(f"{SIGNS} \n_*|~", max_size=6))))
def test_no_sign_is_spoken_by_its_name(american: Phonemizer, parts: list[tuple[str, str]]) -> None:
    said = sounds(american, "".join(word + signs for word, signs in [("So", " "), *parts, ("End", "")]))
    assert not [name for name in NAMES.split() if sounds(american, name) in said]


@pytest.mark.parametrize("run", ["!—", "“(", "—", ". ", ".a", "?”"])
def test_long_runs_of_signs_take_linear_time(run: str) -> None:
    """Else this would take an hour or more."""
    assert spoken(f"a{run * 200_000} end").endswith("end")


@pytest.mark.parametrize("text", ["So Yes.~End", "So Yes!~End"])
def test_a_sign_that_is_read_as_a_word_does_not_join_those_around_a_stop(american: Phonemizer, text: str) -> None:
    assert sounds(american, "dot") not in sounds(american, text)
