"""A change of the lexicon while a text is open: its outdated sentences are generated again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.speech.controller import SpeechController
from app.speech.pronunciations import OutdatedPronunciations, parts_of, sounding
from engine.speech import SpeechRequest, UtteranceEdit
from tests.app.fakes import RATE_HZ, FakeEngine, FakeOutput, list_voices, utterances_of
from tests.patience import PATIENCE_MS

TEXT = "One. Two. Three. Four."
REQUEST = SpeechRequest(TEXT, "af_heart")


class Desk(SpeechController):
    """A controller whose speech is compared with the lexicon of a fake engine."""

    def __init__(self, qtbot: QtBot) -> None:
        self.fake, self.output, self.qtbot = FakeEngine(), FakeOutput(), qtbot
        super().__init__(lambda: self.fake, self.output, list_voices=list_voices)
        self.outdated = OutdatedPronunciations(self, self)

    def make(self, request: SpeechRequest = REQUEST) -> None:
        """Generate the whole speech and play it."""
        self.speak(request)
        self.wait_made()

    def wait_made(self) -> None:
        self.qtbot.waitUntil(lambda: self.track.finished and not self.activity.making)

    def hear(self, samples: int) -> None:
        self.output.stream.pull(samples)
        self.player.tick()

    def pronounce(self, **words: str) -> list[str]:
        """Change the lexicon; return the outdated sentences."""
        self.fake.lexicon = words
        with self.qtbot.waitSignal(self.outdated.found) as found:
            self.outdated.look()
        return [each.text for each in found.args[0]]

    @property
    def phonemes(self) -> list[str]:
        """The phonemes of the generated sentences."""
        return [segment.utterance.phonemes for segment in self.track.segments]


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[Desk]:
    desk = Desk(qtbot)
    yield desk
    assert desk.shut_down(PATIENCE_MS)


def test_a_word_that_is_not_in_the_text_changes_nothing(desk: Desk) -> None:
    desk.make()
    desk.hear(300)
    assert desk.pronounce(Ten="Nen") == []
    assert len(desk.fake.requests) == 1
    assert desk.track.whole


def test_sentences_ahead_are_generated_again_from_the_first_outdated_one_on(desk: Desk) -> None:
    desk.make()
    desk.hear(300)
    assert desk.pronounce(Three="Thruu") == ["Three."]
    desk.wait_made()
    assert desk.fake.requests[1:] == [replace(REQUEST, start=10)]
    assert desk.phonemes == ["One", "Two", "Thruu", "Four"]
    assert desk.player.playback is Playback.PLAYING
    assert desk.player.position < RATE_HZ


def test_the_current_sentence_restarts_and_earlier_ones_are_generated_on_demand(desk: Desk) -> None:
    desk.make()
    desk.player.seek(2300)
    assert desk.pronounce(Two="Tuu", Three="Thruu") == ["Two.", "Three."]
    desk.wait_made()
    assert desk.fake.requests[1:] == [replace(REQUEST, start=10)]
    assert desk.phonemes == ["One", "Thruu", "Four"]
    assert desk.track.segment_at(desk.player.position).utterance.text in ("One.", "Three.")
    assert len(desk.track.gaps) == 1
    desk.player.seek(desk.track.gaps[0][0] + 1)
    desk.qtbot.waitUntil(lambda: desk.phonemes == ["One", "Tuu", "Thruu", "Four"])


def test_if_nothing_is_left_the_current_sentence_begins_a_new_speech(desk: Desk) -> None:
    desk.make()
    desk.player.seek(1300)
    assert desk.pronounce(One="Uno", Two="Tuu") == ["One.", "Two."]
    desk.wait_made()
    assert desk.phonemes == ["Tuu", "Three", "Four"]
    assert desk.player.playback is Playback.PLAYING


def test_paused_speech_stays_paused(desk: Desk) -> None:
    desk.make()
    desk.player.seek(1300)
    desk.pause()
    assert desk.pronounce(Two="Tuu") == ["Two."]
    desk.wait_made()
    assert desk.phonemes == ["One", "Tuu", "Three", "Four"]
    assert desk.player.playback is Playback.PAUSED


def test_stopped_speech_is_generated_again_when_it_is_played(desk: Desk) -> None:
    desk.make()
    desk.stop()
    assert desk.pronounce(Two="Tuu") == ["Two."]
    assert desk.phonemes == ["One"]
    assert not desk.hear_from(5)
    desk.speak_from(5)
    desk.wait_made()
    assert desk.phonemes == ["One", "Tuu", "Three", "Four"]


def test_sentences_still_to_be_generated_are_planned_again(desk: Desk) -> None:
    desk.fake.hold_from = 1
    desk.fake.hold.clear()
    desk.speak(REQUEST)
    desk.qtbot.waitUntil(lambda: desk.track.length > 0)
    desk.fake.lexicon = {"Two": "Tuu"}
    desk.outdated.look()
    desk.fake.hold.set()
    desk.qtbot.waitUntil(lambda: not desk.outdated.busy)
    desk.wait_made()
    assert desk.phonemes == ["One", "Tuu", "Three", "Four"]


def test_speech_that_is_being_saved_stays_as_it_was_requested(desk: Desk, tmp_path: Path) -> None:
    desk.fake.hold.clear()
    desk.speak(REQUEST)
    desk.save(tmp_path / "a.wav", REQUEST)
    desk.qtbot.waitUntil(lambda: bool(desk.fake.requests))
    desk.fake.lexicon = {"Two": "Tuu"}
    desk.outdated.look()
    with desk.qtbot.waitSignal(desk.saved):
        desk.fake.hold.set()
    assert desk.phonemes == ["One", "Two", "Three", "Four"]
    desk.stop()
    desk.speak_from(5)
    desk.wait_made()
    assert desk.phonemes == ["Tuu", "Three", "Four"]


def test_an_edited_sentence_is_outdated_only_if_its_own_phonemes_changed(desk: Desk) -> None:
    desk.make()
    segments = desk.track.segments
    utterance = segments[1].utterance
    respelled = replace(utterance, phonemes="Dos", edit=UtteranceEdit(utterance.start, "Two"))
    segments[1] = replace(segments[1], utterance=respelled)
    assert desk.pronounce(Four="Fuur") == ["Four."]
    desk.wait_made()
    assert desk.phonemes == ["One", "Dos", "Three", "Fuur"]


@given(st.lists(st.sampled_from(["One", "A long sentence, with two parts", "x" * 1500]), min_size=1, max_size=9))
def test_every_utterance_is_in_one_part(sentences: list[str]) -> None:
    text = " ".join(f"{each}." for each in sentences)
    utterances = utterances_of(text)
    parts = parts_of(text, utterances)
    inside = [[each.text for each in utterances if start <= each.start < each.end <= end] for start, end in parts]
    assert list(chain(*inside)) == [each.text for each in utterances]


def test_punctuation_has_no_sound() -> None:
    assert sounding("“həlˈO, wˈɜɹld!”") == "həlˈOwˈɜɹld"
