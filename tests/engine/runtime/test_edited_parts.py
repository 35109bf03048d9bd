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
    alone = replace(REQUEST, start=5, end=60)
    assert planned(synthesizer, replace(alone, edits=(edit,))) == planned(synthesizer, alone)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)), st.data())
def test_a_part_has_the_words_between_its_ends(synthesizer, whole, one, other, data):
    start, end = sorted((one, other))
    edited = data.draw(st.sampled_from(whole.utterances))
    request = replace(REQUEST, edits=(edit_of(edited),))
    part = replace(request, start=start, end=end)
    expected = [word for word in words(planned(synthesizer, request)) if start < word.end and word.start < end]
    if not edited.start < end or not expected:  # then it is planned alone
        return
    plans = list(synthesizer.plans(part))
    assert words(plans[-1]) == expected
    assert plans[-1].whole
    assert [each.index for each in plans[-1].utterances] == list(range(len(plans[-1].utterances)))
    assert plans[-1].utterances[-1].pause_seconds in (0.0, whole.utterances[-1].pause_seconds)
    for earlier in plans[:-1]:
        assert not earlier.whole
        assert plans[-1].utterances[: len(earlier.utterances)] == earlier.utterances
    for each in plans[-1].utterances:
        first, last = each.heard or (0, len(each.phonemes))
        assert 0 <= first < last <= len(each.phonemes)
        assert all(first <= word.first_phoneme <= word.end_phoneme <= last for word in each.words)


def test_a_part_without_words_is_an_error(synthesizer, whole):
    place = TEXT.index("[pause")
    request = replace(REQUEST, start=place, end=place + 9, edits=(edit_of(whole.utterances[0]),))
    with pytest.raises(NothingToSpeak):
        spoken(synthesizer, request)
