"""Rows of the table, sorting and filtering, and previews."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.lexicon.entries import MAX_PLACES, EntryColumn, Listing, OpenText, previews, text_of, value_of, with_value
from engine.errors import InvalidRequest
from engine.text.g2p.user_lexicon.entries import LexiconEntry

ZORG = LexiconEntry("Zorg", phonemes="zɔɹɡ", language="es")
KUBECTL = LexiconEntry("kubectl", say="cube control")
THOUSAND = LexiconEntry(pattern=r"(\d+)k\b", say=r"\1 thousand", case="exact")
ENTRIES = st.one_of(
    st.builds(
        LexiconEntry, st.sampled_from("abAB"), say=st.text("xy", min_size=1), language=st.sampled_from(["en", "es"])
    ),
    st.builds(LexiconEntry, st.just("c"), phonemes=st.text("zɔ", min_size=1)),
    st.builds(LexiconEntry, st.just(""), st.sampled_from(["a", "b+"]), say=st.text("xy")),
)


@pytest.mark.parametrize(
    ("entry", "texts"),
    [
        (ZORG, ["Zorg", "/zɔɹɡ/", "Whole Word", "Spanish", "Any", "Any"]),
        (KUBECTL, ["kubectl", "cube control", "Whole Word", "English", "Any", "Any"]),
        (THOUSAND, [r"(\d+)k\b", r"\1 thousand", "Regular Expression", "English", "Any", "Exact"]),
    ],
)
def test_an_entry_is_a_row_of_texts(entry: LexiconEntry, texts: list[str]) -> None:
    assert [text_of(entry, column) for column in EntryColumn] == texts


@given(ENTRIES)
def test_a_cell_that_is_left_as_it_is_changes_nothing(entry: LexiconEntry) -> None:
    for column in EntryColumn:
        assert with_value(entry, column, value_of(entry, column)) == entry


def test_slashes_distinguish_phonemes_from_words() -> None:
    assert with_value(KUBECTL, EntryColumn.PRONUNCIATION, " /kjub/ ") == LexiconEntry("kubectl", phonemes="kjub")
    assert with_value(ZORG, EntryColumn.PRONUNCIATION, "zorgue") == LexiconEntry("Zorg", say="zorgue", language="es")
    assert with_value(THOUSAND, EntryColumn.PRONUNCIATION, "/a/").say == "/a/"


def test_a_word_becomes_a_pattern_and_back() -> None:
    pattern = with_value(KUBECTL, EntryColumn.KIND, "pattern")
    assert (pattern.word, pattern.pattern) == ("", "kubectl")
    assert with_value(pattern, EntryColumn.KIND, "word") == KUBECTL


def test_entries_are_found_by_all_words_in_any_column() -> None:
    entries = [ZORG, KUBECTL, THOUSAND]
    assert Listing("CUBE kub").of(entries) == (KUBECTL,)
    assert Listing("ɔɹ").of(entries) == (ZORG,)
    assert Listing(language="es").of(entries) == (ZORG,)
    assert Listing("thousand", "es").of(entries) == ()


@given(st.lists(ENTRIES, max_size=30), st.sampled_from(EntryColumn), st.booleans())
def test_sorting_is_that_of_the_shown_texts(entries: list[LexiconEntry], column: EntryColumn, descending: bool) -> None:
    shown = Listing(column=column, descending=descending).of(entries)
    assert sorted(shown, key=repr) == sorted(entries, key=repr)
    texts = [text_of(entry, column).casefold() for entry in shown]
    assert texts == sorted(texts, reverse=descending)


def test_more_entries_than_are_sorted_at_once_are_in_order() -> None:
    entries = [LexiconEntry(str(number), say="x") for number in range(12_000)]
    titles = [entry.title for entry in Listing(column=EntryColumn.TITLE).of(entries)]
    assert titles == sorted(titles)


def test_a_preview_counts_all_places_and_shows_their_context() -> None:
    texts = [OpenText("Zorg met\nzorg.", 0, "One"), OpenText("No one.", 1, "Two"), OpenText("My Zorg!", 2, "Three")]
    *_, preview = previews(LexiconEntry("Zorg", say="x"), texts)
    assert preview.whole
    assert preview.count == 3
    assert [(each.chapter, each.start, each.end, each.title) for each in preview.places] == [
        (0, 0, 4, "One"),
        (0, 9, 13, "One"),
        (2, 3, 7, "Three"),
    ]
    assert (preview.places[1].before, preview.places[1].words, preview.places[1].after) == ("Zorg met ", "zorg", ".")


def test_a_preview_lists_the_first_places_only() -> None:
    *_, preview = previews(LexiconEntry("a", say="x"), [OpenText("a " * (MAX_PLACES + 5))])
    assert (preview.count, len(preview.places)) == (MAX_PLACES + 5, MAX_PLACES)


def test_a_preview_of_an_endless_pattern_ends_with_a_sentence() -> None:
    found = previews(LexiconEntry(pattern="(a|aa)+$", say="x"), [OpenText("a" * 5000 + "!")])
    with pytest.raises(InvalidRequest, match="takes too long"):
        next(found)
