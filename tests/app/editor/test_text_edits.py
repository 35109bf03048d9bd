"""Edits follow their text, and survive a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.editor.text_edits import MAX_TEXTS, TextEdits
from engine.speech import NO_DEFINITIONS, Definitions, PhonemeEdit, Pronunciation, Utterance, UtteranceEdit

TEXT = "One two. Three four."
FIRST = Utterance(0, "One two.", "wˈʌn tˈu.", 0, 8)
SECOND = Utterance(1, "Three four.", "θɹˈi fˈɔɹ.", 9, 20)


def edit_of(utterance: Utterance, frames: int = 9) -> UtteranceEdit:
    return UtteranceEdit(utterance.start, utterance.phonemes, changes=(PhonemeEdit(2, frames=frames),))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "edits.json"


@pytest.fixture
def edits(file: Path) -> TextEdits:
    edits = TextEdits(file)
    edits.put(TEXT, SECOND, edit_of(SECOND))
    edits.put(TEXT, FIRST, edit_of(FIRST))
    edits.follow_text_changes(TEXT)
    return edits


def test_edits_are_in_the_order_of_the_text(edits: TextEdits) -> None:
    assert edits.of(TEXT) == (edit_of(FIRST), edit_of(SECOND))
    assert edits.at(TEXT, SECOND) == edit_of(SECOND)
    assert edits.of("A new text.") == ()


def test_an_edit_without_changes_is_removed(edits: TextEdits) -> None:
    edits.put(TEXT, FIRST, UtteranceEdit(0, FIRST.phonemes))
    assert edits.of(TEXT) == (edit_of(SECOND),)
    assert edits.at(TEXT, FIRST) == UtteranceEdit(0, FIRST.phonemes)


def test_edits_are_saved(edits: TextEdits, file: Path) -> None:
    assert TextEdits(file).of(TEXT) == edits.of(TEXT)


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', '{"a": [{"edit": {"start": "x"}, "sentence": ""}]}', "{"])
def test_a_damaged_file_is_set_aside(file: Path, content: str) -> None:
    file.parent.mkdir()
    file.write_text(content)
    assert TextEdits(file).of(TEXT) == ()
    assert file.with_suffix(".damaged").read_text() == content
    assert not file.exists()


def test_text_typed_before_moves_edits(edits: TextEdits, file: Path) -> None:
    text = "Now: " + TEXT
    edits.move(text, 0, 0, 5)
    assert [each.start for each in edits.of(text)] == [5, 14]
    assert edits.of(TEXT) == ()
    assert TextEdits(file).of(text) == edits.of(text)


def test_a_change_of_a_sentence_drops_its_edit(edits: TextEdits) -> None:
    text = TEXT.replace("two", "to")
    edits.move(text, 5, 1, 0)
    assert [each.start for each in edits.of(text)] == [8]


def test_typing_on_keeps_all_edits(edits: TextEdits) -> None:
    text = TEXT
    for letter in " Five.":
        text += letter
        edits.move(text, len(text) - 1, 0, 1)
    assert len(edits.of(text)) == 2


def test_only_recent_texts_are_stored(edits: TextEdits) -> None:
    for number in range(MAX_TEXTS):
        edits.put(f"{number} {TEXT}", FIRST, edit_of(FIRST))
    assert edits.of(TEXT) == ()
    assert len(edits.of(f"0 {TEXT}")) == 1


ZORG = Definitions((Pronunciation("Three", say="four"),), (Pronunciation("One", say="two"),), (("duet", "a(1)+b(2)"),))


def test_definitions_stay_with_their_text_while_it_changes_and_after_a_restart(file: Path) -> None:
    edits = TextEdits(file)
    edits.adopt(TEXT, (), ZORG)
    edits.follow_text_changes(TEXT)
    edits.move(f"{TEXT} Five.", len(TEXT), 0, 6)
    assert edits.definitions_of(TEXT) == NO_DEFINITIONS
    assert TextEdits(file).definitions_of(f"{TEXT} Five.") == ZORG


def test_adopted_edits_follow_their_sentences_once_these_are_known(file: Path) -> None:
    edits = TextEdits(file)
    edits.adopt(TEXT, (edit_of(SECOND), edit_of(FIRST)), ZORG)
    assert edits.of(TEXT) == (edit_of(FIRST), edit_of(SECOND))
    edits.tell_sentences(TEXT, (FIRST, SECOND))
    edits.follow_text_changes(TEXT)
    longer = f"{TEXT} Five."
    edits.move(longer, len(TEXT), 0, 6)
    assert edits.of(longer) == (edit_of(FIRST), edit_of(SECOND))
    changed = longer.replace("Three", "These")
    edits.move(changed, 12, 2, 2)
    assert edits.of(changed) == (edit_of(FIRST),)
    edits.put(changed, FIRST, UtteranceEdit(0, FIRST.phonemes))
    assert edits.definitions_of(changed) == ZORG


def test_a_text_without_edits_or_definitions_is_forgotten(file: Path) -> None:
    edits = TextEdits(file)
    edits.adopt(TEXT, (), ZORG)
    edits.adopt(TEXT, (), NO_DEFINITIONS)
    assert file.read_text() == "{}"
