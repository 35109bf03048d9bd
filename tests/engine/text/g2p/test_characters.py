import pytest

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
from engine.text.languages import AMERICAN


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
def test_plain_forms_without_notice(written: str, plain: str) -> None:
    draft = simplified(written)
    assert (
        " ".join(draft.text.split(" ")).strip() == " ".join(plain.split(" ")).strip().replace("  ", " ")
        or draft.text.split() == plain.split()
    )
    assert draft.notices == []


def test_cyrillic_and_greek_words_are_transliterated_with_a_notice() -> None:
    draft = simplified("Привет Ελλάδα")
    assert draft.text == "Privet Ellada"
    assert len(draft.notices) == 1
    assert (draft.notices[0].start, draft.notices[0].end) == (0, 13)


def test_other_scripts_are_left_out_with_one_notice_per_run() -> None:
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
    ],
)
def test_emoji_are_spoken_by_name(written: str, spoken: str) -> None:
    draft = simplified(f"a {written} b")
    assert draft.text.split() == ["a", *spoken.split(), "b"]
    assert draft.notices == []


def test_of_many_emoji_the_first_are_spoken() -> None:
    draft = simplified("🍎🍐🍊🍋🍌")
    assert draft.text.split() == ["red", "apple,", "pear,", "tangerine"]
    assert len(draft.notices) == 1


def test_lone_surrogates_are_left_out_with_a_notice() -> None:
    draft = simplified("a\ud800b")
    assert draft.text == "a b"
    assert draft.notices[0].message.startswith("A damaged character")


def test_kept_symbols_stay() -> None:
    assert [simplified(symbol).text for symbol in KEPT] == list(KEPT)


@pytest.mark.parametrize("drawn", ["✦", "❦ ❦ ❦", "§", "* * *", "~~~", "#", "-- * --", "⁂", "★ ☆", "=====", "♪", "~*~"])
def test_a_drawn_line_is_blank(drawn: str) -> None:
    draft = Draft(f"above\n  {drawn} \nbelow", AMERICAN)
    blank_drawn_lines(draft)
    assert draft.text == "above\n\nbelow"
    assert draft.notices == []


@pytest.mark.parametrize("line", ["&", "😀", "✓", "a *", "5", "你", "½"])
def test_a_line_that_says_something_stays(line: str) -> None:
    draft = Draft(f"above\n{line}\nbelow", AMERICAN)
    blank_drawn_lines(draft)
    assert draft.text == f"above\n{line}\nbelow"


def test_ornaments_in_a_line_are_silent() -> None:
    draft = simplified("He left. ❦ She came ✤")
    assert draft.text.split() == ["He", "left.", "She", "came"]
    assert draft.notices == []


def test_simple_forms() -> None:
    assert [simple_form(character) for character in "éＡɓ漢"] == ["e", "A", "b", None]


def test_names_of_emoji_are_plain_words() -> None:
    assert emoji_name("✔") == "check mark"
    assert emoji_name("\U0001fad8") in ("beans", "")


def test_quotations_in_messages_are_short() -> None:
    assert shortened("a" * 30) == "a" * 19 + "…"
    assert shortened("short") == "short"


@pytest.mark.parametrize(
    ("written", "latin"),
    [("Москва", "Moskva"), ("щётка", "shchyotka"), ("Αθήνα", "Athina"), ("съёмка", "syomka"), ("а-б", "a-b")],
)
def test_transliteration(written: str, latin: str) -> None:
    assert transliterated(written) == latin


@pytest.mark.parametrize(
    ("letter", "name"),
    [("я", "Cyrillic"), ("λ", "Greek"), ("漢", "Chinese"), ("한", "Korean"), ("م", "Arabic"), ("1", "")],
)
def test_names_of_scripts(letter: str, name: str) -> None:
    assert script_name(letter) == name


def test_greek_letters_have_names() -> None:
    assert GREEK_LETTERS["α"] == "alpha"
    assert GREEK_LETTERS["ς"] == GREEK_LETTERS["σ"] == "sigma"
    assert GREEK_LETTERS["ω"] == "omega"
