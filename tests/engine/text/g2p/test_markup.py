import pytest

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
from engine.text.languages import AMERICAN
from tests.engine.text.g2p.plain_words import rewritten


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
def test_marks_go_without_notice(written: str, text: str) -> None:
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
def test_words_that_go_are_told(written: str, text: str, reason: str) -> None:
    draft = stripped(written)
    assert draft.text == text
    assert reason in draft.notices[0].message


def test_the_text_of_a_link_keeps_its_place() -> None:
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
def test_line_breaks(written: str, joined: str) -> None:
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
def test_addresses(written: str, words: str) -> None:
    assert rewritten(written, *WEB_RULES) == words


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
    assert rewritten(written, EMOTICON) == words
