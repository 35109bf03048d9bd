import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.g2p.characters import (
    GREEK_LETTERS,
    KEPT,
    blank_drawn_lines,
    emoji_name,
    script_name,
    shortened,
    simple_form,
    simplify,
    transliterated,
)
from engine.text.g2p.draft import Draft
from engine.text.g2p.markup import (
    EMOTICON,
    ITEM,
    WEB_RULES,
    WRAPPED_CHARACTERS,
    join_lines,
    spell_address,
    strip_markup,
)
from engine.text.g2p.symbols import RULES
from engine.text.languages import AMERICAN
from tests.engine.text.g2p.plain_words import rewritten, same_as, sounds


def simplified(text: str) -> Draft:
    draft = Draft(text, AMERICAN)
    simplify(draft)
    return draft


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("naïve café, Łódź, straße, Þór", "naive cafe, Lodz, strasse, Thor"),
        ("cafe\u0301", "cafe"),
        ("“a” ‘b’ «c» „d“", "“a” 'b' “c” “d“"),
        ("a\u00a0b\tc  d\u2009e", "a b c d e"),
        ("a\r\nb\u2028c", "a\nb\nc"),
        ("ﬁne ① ㎏ Ⅳ 𝐇𝐢", "fine 1 kg IV Hi"),
        ("٣٤", "34"),
        ("α and β", " alpha  and  beta "),
        ("5 μm 5 kΩ", "5 μm 5 kΩ"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("a\x00b\x07c", "abc"),
        ("、。！", ", . ! "),
    ],
)
def test_plain_forms_without_notice(written, plain):
    draft = simplified(written)
    assert (
        " ".join(draft.text.split(" ")).strip() == " ".join(plain.split(" ")).strip().replace("  ", " ")
        or draft.text.split() == plain.split()
    )
    assert draft.notices == []


def test_cyrillic_and_greek_words_are_transliterated_with_a_notice():
    draft = simplified("Привет Ελλάδα")
    assert draft.text == "Privet Ellada"
    assert len(draft.notices) == 1
    assert (draft.notices[0].start, draft.notices[0].end) == (0, 13)


def test_other_scripts_are_left_out_with_one_notice_per_run():
    draft = simplified("say 你好 世界 now")
    assert draft.text.split() == ["say", "now"]
    assert [(notice.start, notice.end) for notice in draft.notices] == [(4, 9)]


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("👍", "thumbs up"),
        ("😀😀😀", "grinning face"),
        ("❤️", "heart"),
        ("🇺🇸", "flag of U S"),
        ("👍🏽", "thumbs up"),
        ("1️⃣", "1"),
        ("B♭, C♯", "B flat , C sharp"),
    ],
)
def test_emoji_are_spoken_by_name(written, spoken):
    draft = simplified(f"a {written} b")
    assert draft.text.split() == ["a", *spoken.split(), "b"]
    assert draft.notices == []


def test_of_many_emoji_the_first_are_spoken():
    draft = simplified("🍎🍐🍊🍋🍌")
    assert draft.text.split() == ["red", "apple,", "pear,", "tangerine"]
    assert len(draft.notices) == 1


def test_lone_surrogates_are_left_out_with_a_notice():
    draft = simplified("a\ud800b")
    assert draft.text == "a b"
    assert draft.notices[0].message.startswith("A damaged character")


def test_kept_symbols_stay():
    assert [simplified(symbol).text for symbol in KEPT] == list(KEPT)


@pytest.mark.parametrize("drawn", ["✦", "❦ ❦ ❦", "§", "* * *", "~~~", "#", "-- * --", "⁂", "★ ☆", "=====", "♪", "~*~"])
def test_a_drawn_line_is_blank(drawn):
    draft = Draft(f"above\n  {drawn} \nbelow", AMERICAN)
    blank_drawn_lines(draft)
    assert draft.text == "above\n\nbelow"
    assert draft.notices == []


@pytest.mark.parametrize("line", ["&", "😀", "✓", "a *", "5", "你", "½"])
def test_a_line_that_says_something_stays(line):
    draft = Draft(f"above\n{line}\nbelow", AMERICAN)
    blank_drawn_lines(draft)
    assert draft.text == f"above\n{line}\nbelow"


def test_ornaments_in_a_line_are_silent():
    draft = simplified("He left. ❦ She came ✤")
    assert draft.text.split() == ["He", "left.", "She", "came"]
    assert draft.notices == []


def test_simple_forms():
    assert [simple_form(character) for character in "éＡɓ漢"] == ["e", "A", "b", None]


def test_names_of_emoji_are_plain_words():
    assert emoji_name("✔") == "check mark"
    assert emoji_name("\U0001fad8") in ("beans", "")


def test_quotations_in_messages_are_short():
    assert shortened("a" * 30) == "a" * 19 + "…"
    assert shortened("short") == "short"


@pytest.mark.parametrize(
    ("written", "latin"),
    [("Москва", "Moskva"), ("щётка", "shchyotka"), ("Αθήνα", "Athina"), ("съёмка", "syomka"), ("а-б", "a-b")],
)
def test_transliteration(written, latin):
    assert transliterated(written) == latin


@pytest.mark.parametrize(
    ("letter", "name"),
    [("я", "Cyrillic"), ("λ", "Greek"), ("漢", "Chinese"), ("한", "Korean"), ("م", "Arabic"), ("1", "")],
)
def test_names_of_scripts(letter, name):
    assert script_name(letter) == name


def test_greek_letters_have_names():
    assert GREEK_LETTERS["α"] == "alpha"
    assert GREEK_LETTERS["ς"] == GREEK_LETTERS["σ"] == "sigma"
    assert GREEK_LETTERS["ω"] == "omega"


def stripped(text: str) -> Draft:
    draft = Draft(text, AMERICAN)
    strip_markup(draft)
    return draft


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("**bold** and *italic* and _under_", "bold and italic and under"),
        ("~~gone~~ `code` ``more``", "gone code more"),
        ("# Title", f"{ITEM}Title"),
        ("- one\n* two", f"{ITEM}one\n{ITEM}two"),
        ("1. one\n2) two", f"{ITEM}1, one\n{ITEM}2, two"),
        ("> quote", f"{ITEM}quote"),
        ("a\n---\nb", "a\n\nb"),
        ("|a|b|\n|--|--|\n|c|d|", "|a|b|\n\n|c|d|"),
        ("&lt;3 &amp; &nope;", "<3 & &nope;"),
        ("3 < 4 > 2", "3 < 4 > 2"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_name", "snake_case_name"),
    ],
)
def test_marks_go_without_notice(written, text):
    draft = stripped(written)
    assert draft.text == text
    assert draft.notices == []


@pytest.mark.parametrize(
    ("written", "text", "reason"),
    [
        ("see [this](http://x.y)", "see this", "address behind a link"),
        ("![a cat](cat.png)", "a cat", "address behind a link"),
        ("<b>x</b>", " x ", "tag of HTML"),
        ("```python\nx\n```", "\nx\n", "code block"),
        ("- [x] done", f"{ITEM}done", "mark of a list"),
    ],
)
def test_removed_words_are_reported(written, text, reason):
    draft = stripped(written)
    assert draft.text == text
    assert reason in draft.notices[0].message


def test_the_text_of_a_link_keeps_its_place():
    draft = stripped("see [this](http://x.y)")
    assert draft.sourced.source_span(4, 7).start == 5


LONG = "x" * WRAPPED_CHARACTERS


@pytest.mark.parametrize(
    ("written", "joined"),
    [
        ("One.\n\nTwo.", "One.\nTwo."),
        ("Heading\n\nText", "Heading.\nText"),
        ("One.\nTwo.", "One. Two."),
        ("He said,\nand left", "He said, and left"),
        (f"{LONG}\nand on", f"{LONG} and on"),
        (f"{LONG}\nSmith", f"{LONG} Smith"),
        (f"{LONG}\n{ITEM}item", f"{LONG}, item"),
        ("milk\nbread", "milk, bread"),
        ("Milk\nBread", "Milk. Bread"),
        ("well-\nknown", "well-known"),
        ("“Yes.”\nNo", "“Yes.” No"),
        ("\n\nstart", "start"),
        ("end\n\n", "end"),
        (f"{ITEM}only", "only"),
    ],
)
def test_line_breaks(written, joined):
    draft = Draft(written, AMERICAN)
    join_lines(draft)
    assert draft.text == joined


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
def test_addresses(written, words):
    assert rewritten(written, *WEB_RULES) == words


def test_signs_without_a_name_are_silent():
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
def test_emoticons_are_silent(written, words):
    assert rewritten(written, EMOTICON) == words


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
def test_signs(written, words):
    assert rewritten(written, *RULES).strip() == words


@pytest.mark.parametrize("sign", ["-", "=", "<-", "."])
def test_long_rows_of_signs_take_linear_time(sign):
    """Quadratic time would be minutes or more."""
    assert rewritten(f"{sign * 100_000} end", *RULES).endswith("end")


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
def test_signs_between_words_make_one_pause(american, written, plain):
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
def test_one_sign_of_each_kind_stays_as_it_is(text):
    assert spoken(text) == text


@pytest.mark.parametrize("text", ["foo.bar", "self.name"])
def test_a_name_with_a_dot_keeps_its_dot(text):
    assert spoken(text) == text.replace(".", " dot ")


@given(st.lists(st.tuples(st.sampled_from(["Yes", "No", "Zorg", "Dogs'"]), st.text(f"{SIGNS} \n_*|~", max_size=6))))
def test_no_sign_is_spoken_by_its_name(american, parts):
    said = sounds(american, "".join(word + signs for word, signs in [("So", " "), *parts, ("End", "")]))
    assert not [name for name in NAMES.split() if sounds(american, name) in said]


@pytest.mark.parametrize("run", ["!—", "“(", "—", ". ", ".a", "?”"])
def test_long_runs_of_signs_take_linear_time(run):
    """Quadratic time would be minutes or more."""
    assert spoken(f"a{run * 50_000} end").endswith("end")


@pytest.mark.parametrize("text", ["So Yes.~End", "So Yes!~End"])
def test_a_sign_read_as_a_word_does_not_join_words_around_stops(american, text):
    assert sounds(american, "dot") not in sounds(american, text)
