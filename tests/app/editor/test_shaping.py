"""Changes of an edit."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.editor import shaping
from engine.runtime.presets import with_changes
from engine.speech import PhonemeEdit, Respelling, UtteranceEdit

PLANNED = "həlˈO wˈɜld."
EDIT = UtteranceEdit(0, PLANNED)


def spoken(edit: UtteranceEdit) -> str:
    """Return the phonemes of an edit."""
    phonemes = edit.phonemes
    for each in reversed(edit.respellings):
        phonemes = phonemes[: each.first_phoneme] + each.phonemes + phonemes[each.end_phoneme :]
    return phonemes


@given(st.data())
def test_respellings_in_any_order_give_the_phonemes_that_were_asked_for(data: st.DataObject) -> None:
    edit, expected = EDIT, PLANNED
    for _ in range(data.draw(st.integers(1, 5))):
        first = data.draw(st.integers(0, max(0, len(expected) - 1)))
        end = data.draw(st.integers(min(first + 1, len(expected)), len(expected)))
        symbols = data.draw(st.text("abcˈ ", min_size=1, max_size=4))
        edit, expected = shaping.respelled(edit, first, end, symbols), expected[:first] + symbols + expected[end:]
        assert spoken(edit) == expected
        places = [(each.first_phoneme, each.end_phoneme) for each in edit.respellings]
        assert all(before[1] <= after[0] for before, after in pairwise(places))
    assert shaping.unspelled(edit, 0, len(expected)) == EDIT


def test_changes_behind_a_respelling_move() -> None:
    edit = with_changes(EDIT, [PhonemeEdit(2, frames=3), PhonemeEdit(8, frames=5)])
    edit = shaping.respelled(edit, 0, 5, "hˈI")
    assert edit.respellings == (Respelling(0, 5, "hˈI"),)
    assert edit.changes == (PhonemeEdit(6, frames=5),)


def test_the_planned_phonemes_are_no_respelling() -> None:
    assert shaping.respelled(shaping.respelled(EDIT, 0, 5, "a"), 0, 1, "həlˈO") == EDIT


def test_a_reset_leaves_other_phonemes_alone() -> None:
    edit = shaping.with_frames(EDIT, {1: 10, 2: 11}, 40.0)
    assert shaping.without(edit, [1]) == replace(EDIT, changes=(PhonemeEdit(2, frames=11),))
