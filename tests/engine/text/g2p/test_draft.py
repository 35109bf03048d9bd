import re

from hypothesis import given
from hypothesis import strategies as st

from engine.text.g2p.draft import Draft, SourcedText, Span, any_of, rule
from engine.text.languages import BRITISH


def test_rules_apply_in_turn_and_know_the_language() -> None:
    draft = Draft("a1", BRITISH)
    draft.apply(
        rule(r"[ ]? \d", lambda match, language: " one" if language.british else None),
        rule("one", lambda match, language: "two"),
    )
    assert draft.text == "a two"


def test_notices_point_into_the_source_after_rewriting() -> None:
    draft = Draft("$5 ☃ end", BRITISH)
    draft.rewrite(re.compile(r"\$5"), lambda match: "five dollars")
    draft.leave_out(re.compile("☃"), lambda match: f"“{match[0]}”")
    assert draft.text == "five dollars   end"
    (notice,) = draft.notices
    assert (notice.start, notice.end) == (3, 4)
    assert notice.message == "“☃” cannot be spoken in British English; it is left out."


def test_removing_signs_needs_no_notice_but_removing_words_does() -> None:
    draft = Draft("<> <b> x", BRITISH)
    draft.remove(re.compile(r"<\w*>"), "", "A tag")
    assert draft.text == "  x"
    (notice,) = draft.notices
    assert (notice.start, notice.end, notice.message) == (3, 6, "A tag is not read aloud.")


def test_the_longest_alternative_comes_first() -> None:
    assert any_of(["m", "mm", "m²"]) == "mm|m²|m"


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
