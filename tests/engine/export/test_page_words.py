"""Tests of finding and marking words in pages, with random texts and markup."""

import re
from html import unescape
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from engine.export.page_words import Letters, append_page, is_page, marked, places_of_letters, with_style_sheet

WORDS = st.lists(st.sampled_from(["sea", "land", "the", "a", "Über", "don’t", "42", "x"]), min_size=1, max_size=12)
INSIDE = st.sampled_from(
    ["", "", "", "<i>", "</i>", "<b class='x'>", "</b>", "&#173;", "<!--no-->", "<br/>", "<img alt='a'/>"]
)
"""Markup between two characters; ends without a beginning are dropped."""


def page_of(*paragraphs: str) -> str:
    body = "".join(f"<p>{each}</p>" for each in paragraphs)
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>sea</title></head><body>{body}</body></html>'


def placed(text: str, *pages: str) -> list[str | None]:
    """Return for each letter of a text the source of the letter found in the pages, or None."""
    letters, found, starts, at = Letters(), Letters(), [], 0
    letters.append(text, 0)
    for page in pages:
        starts.append(at)
        append_page(found, page, at)
        at += len(page)
    sources = "".join(pages)
    return [
        None if each < 0 else sources[found.starts[each] : found.ends[each]]
        for each in places_of_letters(letters, found, starts)
    ]


def words_placed(text: str, *pages: str) -> str:
    """Return the letters that were found, as they are written in the pages; - for the others."""
    return "".join(each or "-" for each in placed(text, *pages))


def test_a_text_is_found_between_what_is_left_out() -> None:
    page = page_of("Contents 1 2 3", "The old man went home.12 He slept", "A note on this.", "and woke up again.")
    text = "The old man went home. He slept\n\nand woke up again."
    assert words_placed(text, page) == "TheoldmanwenthomeHesleptandwokeupagain"


def test_inserted_text_is_found_nowhere() -> None:
    page = page_of("The old man went home.", "He slept and woke up again.")
    assert words_placed("The old man went home. Quite new words. He slept and woke up again.", page) == (
        "Theoldmanwenthome-------------Hesleptandwokeupagain"
    )


def test_words_that_fit_two_places_go_with_their_paragraph() -> None:
    page = page_of("Then they all went home.", "The end.", "The sea was calm that day.")
    text = "Then they all went home.\n\nThe sea was calm that day."
    letters, found = Letters(), Letters()
    letters.append(text, 0)
    append_page(found, page, 0)
    at = [found.starts[each] for each in places_of_letters(letters, found, [0])]
    assert at[len("Thentheyallwenthome")] == page.index("The sea")


def test_words_that_fit_two_places_in_one_sentence_are_left_out() -> None:
    page = page_of("Then they all saw the ship, the ship that sailed away.")
    assert words_placed("Then they all saw the ship that sailed away.", page) == "Thentheyallsaw-------thatsailedaway"


def test_a_few_equal_words_on_an_unspoken_page_are_a_coincidence() -> None:
    contents = page_of("One of these is The Very Beginning and some more follow after it")
    assert words_placed("The Very Beginning", contents) == "-" * 16
    assert words_placed("The Very Beginning", page_of("The Very Beginning")) == "TheVeryBeginning"


@given(st.lists(WORDS, min_size=1, max_size=8), st.sets(st.integers(0, 7)), st.sets(st.integers(0, 7)))
def test_only_equal_letters_are_found_and_in_order(
    paragraphs: list[list[str]], left_out: set[int], unwritten: set[int]
) -> None:
    text = "\n\n".join(" ".join(words) for number, words in enumerate(paragraphs) if number not in left_out)
    page = page_of(*(" ".join(words) for number, words in enumerate(paragraphs) if number not in unwritten))
    letters, found = Letters(), Letters()
    letters.append(text, 0)
    append_page(found, page, 0)
    places = places_of_letters(letters, found, [0])
    assert len(places) == len(letters.letters)
    certain = [place for place in places if place >= 0]
    assert all(before < after for before, after in pairwise(certain))
    for letter, place in zip(letters.letters, places, strict=True):
        assert place < 0 or found.letters[place] == letter
    if not (left_out | unwritten) & set(range(len(paragraphs))):
        assert certain == list(range(len(letters.letters)))


@given(WORDS, st.data())
def test_marking_changes_no_text(words: list[str], data: st.DataObject) -> None:
    body, opened = "", []
    for character in " ".join(words):
        between = data.draw(INSIDE)
        if between.startswith("</"):
            between = f"</{opened.pop()}>" if opened else ""
        elif between[1:2] in ("i", "b") and between[2:3] in (">", " "):
            opened.append(between[1])
        body += between + character
    body += "".join(f"</{name}>" for name in reversed(opened))
    page = page_of(body)
    assert is_page(page)
    found = Letters()
    append_page(found, page, 0)
    tokens = found.words()
    spans = [
        (found.starts[first], found.ends[first + len(token) - 1])
        for first, token in zip(found.tokens, tokens, strict=True)
    ]
    changed, ids = marked(page, spans)
    assert "".join(etree.fromstring(changed).itertext()) == "".join(etree.fromstring(page).itertext())
    for number, name in ids.items():
        (element,) = etree.fromstring(changed).xpath("//*[@id=$id]", id=name)
        written = Letters()
        written.append("".join(each for each in element.itertext(etree.Element)), 0)
        assert "".join(written.letters) == tokens[number]
    if "<" not in body:
        assert len(ids) == len(spans)


@pytest.mark.parametrize(
    "source", ["", "text", "<html><p></html>", "<html>&nbsp;</html>", "<svg xmlns='http://www.w3.org/2000/svg'/>"]
)
def test_a_malformed_file_is_no_page(source: str) -> None:
    assert not is_page(source)


def test_the_prefix_of_a_page_stays() -> None:
    page = '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head></h:head><h:body><h:p>Hi</h:p></h:body></h:html>'
    start = page.index("Hi")
    changed, ids = marked(page, [(start, start + 2)])
    assert f'<h:p><h:span id="{ids[0]}">Hi</h:span></h:p>' in changed
    assert '<h:link rel="stylesheet" type="text/css" href="a.css"/></h:head>' in with_style_sheet(page, "a.css")


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("<time>May 1921</time>", '<span id="w0"><time>May 1921</time></span>'),
        ("<time title='a > b'>1921</time>", "<span id=\"w0\"><time title='a > b'>1921</time></span>"),
        ('<time datetime="1921">1921</time>', '<time datetime="1921"><span id="w0">1921</span></time>'),
        (
            '<time lang="en" datetime = "1921">1921</time>',
            '<time lang="en" datetime = "1921"><span id="w0">1921</span></time>',
        ),
    ],
)
def test_a_time_of_text_alone_stays_so(time: str, expected: str) -> None:
    page = page_of(f"in {time}, then")
    changed, _ = marked(page, [found.span() for found in re.finditer("May|1921(?=<)", page)])
    assert f"in {expected}, then" in changed


def test_text_that_would_change_is_refused() -> None:
    page = page_of("one &amp; two")
    assert unescape(page) != page
    start = page.index("&amp;")
    with pytest.raises(ValueError, match="change"):
        marked(page, [(start + 1, start + 3)])
