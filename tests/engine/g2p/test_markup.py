"""Markdown and HTML leave only their text."""

import pytest

from engine.g2p.draft import Draft
from engine.g2p.lines import ITEM
from engine.g2p.markup import strip_markup
from engine.languages import AMERICAN


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
