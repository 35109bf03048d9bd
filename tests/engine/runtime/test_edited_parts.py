"""Parts of a text with edits: they sound as in the whole text, wherever playback starts and ends."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import NothingToSpeak
from engine.runtime.synthesizer import Synthesizer
from engine.speech import AudioChunk, CurveEdit, PhonemeEdit, Plan, SpeechRequest, Utterance, UtteranceEdit, WrittenWord
from tests.starter_voices import FEMALE

SENTENCES = " ".join(f"Sentence number {number} comes here, and it says little." for number in range(1, 30))
TEXT = f"Yes. No. The quick brown fox jumps over the lazy dog! {SENTENCES} [pause 1s] The end is near."
REQUEST = SpeechRequest(TEXT, FEMALE)


@pytest.fixture(scope="module")
def synthesizer() -> Iterator[Synthesizer]:
    made = Synthesizer("starter", "cpu")
    yield made
    made.close()


@pytest.fixture(scope="module")
def whole(synthesizer: Synthesizer) -> Plan:
    return planned(synthesizer, REQUEST)


def planned(synthesizer: Synthesizer, request: SpeechRequest) -> Plan:
    *_, plan = synthesizer.plans(request)
    return plan


def edit_of(utterance: Utterance) -> UtteranceEdit:
    changes = (PhonemeEdit(1, frames=9), PhonemeEdit(len(utterance.phonemes) - 4, pitch=CurveEdit(1.3)))
    return UtteranceEdit(utterance.start, utterance.phonemes, changes=changes)


def spoken(synthesizer: Synthesizer, request: SpeechRequest) -> list[AudioChunk]:
    return list(synthesizer.synthesize(request))


def words(plan: Plan) -> list[WrittenWord]:
    return [word for utterance in plan.utterances for word in utterance.words]


FADE = 1000
"""Samples at both ends that may be faded."""


def test_a_sentence_inside_an_edited_utterance_sounds_as_in_the_whole_text(synthesizer, whole):
    first = whole.utterances[0]
    request = replace(REQUEST, end=first.end, edits=(edit_of(first),))
    (chunk,) = spoken(synthesizer, request)
    start = TEXT.index("The quick")
    assert first.start < start < first.end
    (part,) = spoken(synthesizer, replace(request, start=start))
    assert part.utterance.edit == chunk.utterance.edit
    assert (part.utterance.start, part.utterance.end) == (start, first.end)
    assert TEXT[part.words[0].start : part.words[0].end] == "The"
    assert len(part.words) == len([each for each in chunk.words if each.start >= start])
    earlier = chunk.words[-1].start_sample - part.words[-1].start_sample
    inner = slice(FADE, len(part.samples) - FADE)
    np.testing.assert_array_equal(part.samples[inner], chunk.samples[earlier:][inner])
    assert earlier == pytest.approx(chunk.words[2].start_sample, abs=0.1 * chunk.sample_rate_hz)


def test_a_part_ends_with_its_last_word(synthesizer, whole):
    first = whole.utterances[0]
    request = replace(REQUEST, end=first.end, edits=(edit_of(first),))
    (chunk,) = spoken(synthesizer, request)
    (part,) = spoken(synthesizer, replace(request, end=TEXT.index(" The quick")))
    assert [TEXT[each.start : each.end] for each in part.words] == ["Yes", "No"]
    assert part.seconds < 0.6 * chunk.seconds
    assert part.words[0].end_sample <= part.words[1].start_sample < part.words[1].end_sample <= len(part.samples)


def test_edits_behind_the_start_are_used_wherever_it_is(synthesizer, whole):
    """From the start of a later sentence, a text without edits is divided differently."""
    last = whole.utterances[-2]
    edit = edit_of(last)
    for start in (TEXT.index("No."), whole.utterances[2].start, whole.utterances[2].start + 40, last.start):
        plan = planned(synthesizer, replace(REQUEST, start=start, edits=(edit,)))
        assert [each.start for each in plan.utterances if each.edit == edit] == [last.start]
        assert not plan.notices


def test_a_part_without_edits_nearby_is_planned_alone(synthesizer, whole):
    edit = edit_of(whole.utterances[-1])
    alone = replace(REQUEST, start=TEXT.index("No."), end=60)
    assert planned(synthesizer, replace(alone, edits=(edit,))) == planned(synthesizer, alone)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_the_edited_words_of_a_part_are_those_of_the_whole_text(synthesizer, whole, data):
    """A part begins and ends anywhere between two words."""
    places = [word.start for word in words(whole)]
    start, end = sorted(data.draw(st.lists(st.sampled_from([*places, len(TEXT)]), min_size=2, max_size=2, unique=True)))
    chosen = data.draw(st.lists(st.sampled_from(whole.utterances), min_size=1, max_size=3, unique_by=lambda u: u.start))
    edits = {edit.start: edit for edit in map(edit_of, chosen)}
    plans = list(synthesizer.plans(replace(REQUEST, start=start, end=end, edits=tuple(edits.values()))))
    plan = plans[-1]
    assert plan.whole
    assert not plan.notices
    assert [each.index for each in plan.utterances] == list(range(len(plan.utterances)))
    assert plan.utterances[-1].pause_seconds == 0.0
    spans = [(word.start, word.end) for word in words(plan)]
    assert spans == [(word.start, word.end) for word in words(whole) if start < word.end and word.start < end]
    for utterance in chosen:
        mine = [word for word in utterance.words if start < word.end and word.start < end]
        used = [each for each in plan.utterances if each.edit == edits[utterance.start]]
        assert [word for each in used for word in each.words] == mine
        assert all(each.phonemes == utterance.phonemes for each in used)
    for earlier in plans[:-1]:
        assert not earlier.whole
        assert plan.utterances[: len(earlier.utterances)] == earlier.utterances
    for each in plan.utterances:
        first, last = each.heard or (0, len(each.phonemes))
        assert 0 <= first < last <= len(each.phonemes)
        assert all(first <= word.first_phoneme <= word.end_phoneme <= last for word in each.words)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_edits_divide_the_whole_text_as_it_is_without_them(synthesizer, whole, data):
    chosen = data.draw(st.lists(st.sampled_from(whole.utterances), max_size=4, unique_by=lambda each: each.start))
    plan = planned(synthesizer, replace(REQUEST, edits=tuple(map(edit_of, chosen))))
    assert tuple(replace(each, edit=None) for each in plan.utterances) == whole.utterances
    assert sum(each.edit is not None for each in plan.utterances) == len(chosen)


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_edits_are_used_at_any_speed(synthesizer, whole, speed):
    edits = tuple(map(edit_of, whole.utterances))
    plan = planned(synthesizer, replace(REQUEST, speed=speed, edits=edits))
    assert [each.edit for each in plan.utterances] == list(edits)


def test_a_part_without_words_is_an_error(synthesizer, whole):
    place = TEXT.index("[pause")
    request = replace(REQUEST, start=place, end=place + 9, edits=(edit_of(whole.utterances[0]),))
    with pytest.raises(NothingToSpeak):
        spoken(synthesizer, request)
