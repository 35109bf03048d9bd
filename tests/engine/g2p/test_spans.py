"""Rewritten text keeps its offsets in the source."""

import re

from hypothesis import given
from hypothesis import strategies as st

from engine.g2p.spans import SourcedText, Span

SMALL_TEXT = st.text("ab 1\n", max_size=30)


def test_a_source_stands_for_itself() -> None:
    assert SourcedText.of("abc").source_span(1, 3) == Span(1, 3)


def test_a_replacement_shares_the_span_of_its_match() -> None:
    rewritten = SourcedText.of("pay $5 now").rewrite(re.compile(r"\$5"), lambda match: "five dollars")
    assert rewritten.text == "pay five dollars now"
    assert rewritten.source_span(4, 16) == Span(4, 6)
    assert rewritten.source_span(17, 20) == Span(7, 10)


def test_spaces_of_a_replacement_own_nothing_of_the_source() -> None:
    rewritten = SourcedText.of("½").rewrite(re.compile("½"), lambda match: " 1/2 ")
    assert rewritten.source_span(1, 4) == Span(0, 1)


def test_signs_of_a_replacement_own_nothing_either() -> None:
    rewritten = SourcedText.of("⅟").rewrite(re.compile("⅟"), lambda match: "1/")
    assert rewritten.source_span(0, 1) == Span(0, 1)


def test_none_leaves_a_match_alone() -> None:
    source = SourcedText.of("a1b2")
    assert source.rewrite(re.compile(r"\d"), lambda match: None) is source


def test_unwrapping_keeps_the_places_of_what_stays() -> None:
    unwrapped = SourcedText.of("a **bold** word").unwrap(re.compile(r"\*\*(?P<text>\w+)\*\*"), "text")
    assert unwrapped.text == "a bold word"
    assert unwrapped.source_span(2, 5) == Span(4, 7)
    assert unwrapped.source_span(7, 11) == Span(11, 15)


@given(SMALL_TEXT, st.text("xy ", max_size=4), st.sampled_from(["a", "[ab]+", r"\s+", "1?"]))
def test_borders_stay_ordered_and_complete(source: str, replacement: str, pattern: str) -> None:
    rewritten = SourcedText.of(source).rewrite(re.compile(pattern), lambda match: replacement)
    assert rewritten.text == re.sub(pattern, replacement, source)
    assert len(rewritten.borders) == len(rewritten.text) + 1
    assert list(rewritten.borders) == sorted(rewritten.borders)
    assert rewritten.borders[-1] == len(source)
