"""A draft applies rules and collects notices in offsets of the source."""

import re

from engine.g2p.draft import Draft, any_of, rule
from engine.languages import BRITISH


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
