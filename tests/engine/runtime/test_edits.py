"""Edits of pronunciation, durations, pitch, energy, gain and pauses, spoken by the bundled model."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audio.speech_cache import SpeechCache
from engine.errors import InvalidRequest
from engine.network.ops.harmonic_source import VOICED_ABOVE_HZ
from engine.runtime.edits import MAX_PITCH_HZ, MAX_UTTERANCE_SECONDS, MIN_PITCH_HZ
from engine.runtime.synthesizer import Synthesizer
from engine.speech import (
    AudioChunk,
    Contours,
    CurveEdit,
    Event,
    Notice,
    PhonemeEdit,
    Plan,
    PlanEvent,
    Respelling,
    SpeechRequest,
    StageEvent,
    Utterance,
    UtteranceEdit,
)
from engine.stages import STAGE_NAMES
from tests.starter_voices import FEMALE

TEXT = "The quick brown fox jumps over the lazy dog. It sleeps in the sun."
REQUEST = SpeechRequest(TEXT, FEMALE)
FROM_PITCH = ("source", "decoder", "istft")
FROM_DURATIONS = ("f0n", *FROM_PITCH)


@pytest.fixture(scope="module")
def synthesizer() -> Iterator[Synthesizer]:
    made = Synthesizer("starter", "cpu")
    yield made
    made.close()


@pytest.fixture(scope="module")
def utterance(synthesizer: Synthesizer) -> Utterance:
    *_, plan = synthesizer.plans(REQUEST)
    return plan.utterances[0]


def edited(utterance: Utterance, *changes: PhonemeEdit, **others: Any) -> SpeechRequest:
    """The request with an edit of the utterance."""
    return replace(REQUEST, edits=(UtteranceEdit(utterance.start, utterance.phonemes, changes=changes, **others),))


def contours(synthesizer: Synthesizer, request: SpeechRequest) -> Contours:
    return next(found for _, found in synthesizer.contours(request))


def spoken(synthesizer: Synthesizer, request: SpeechRequest) -> tuple[list[AudioChunk], list[str], tuple[Notice, ...]]:
    """The chunks, the stages that ran for the first utterance, and the notices."""
    events: list[Event] = []
    chunks = list(synthesizer.synthesize(request, events.append))
    plans = [event.plan for event in events if isinstance(event, PlanEvent)]
    stages = [event.stage for event in events if isinstance(event, StageEvent) and event.utterance_index == 0]
    return chunks, stages, plans[-1].notices


def samples(synthesizer: Synthesizer, request: SpeechRequest) -> np.ndarray:
    return np.concatenate([chunk.samples for chunk in spoken(synthesizer, request)[0]])


def plan_of(synthesizer: Synthesizer, request: SpeechRequest) -> Plan:
    *_, plan = synthesizer.plans(request)
    return plan


def test_durations_are_the_ones_that_were_set(synthesizer, utterance):
    own = contours(synthesizer, REQUEST)
    found = contours(synthesizer, edited(utterance, PhonemeEdit(4, frames=17), PhonemeEdit(7, stretch=3.0)))
    expected = own.frames.copy()
    expected[4], expected[7] = 17, round(3.0 * float(own.frames[7]))
    np.testing.assert_array_equal(found.frames, expected)
    np.testing.assert_array_equal(found.model_frames, own.frames)


@settings(max_examples=25)
@given(st.dictionaries(st.integers(0, 40), st.integers(1, 40) | st.floats(0.1, 10)), st.floats(-50, 50))
def test_any_durations_and_pitch_are_those_that_were_set(synthesizer, utterance, wanted, shift):
    own = contours(synthesizer, REQUEST)
    set_to = {index: each if isinstance(each, int) else None for index, each in wanted.items()}
    changes = [
        PhonemeEdit(index, frames, 1.0 if frames else wanted[index], CurveEdit(shift=shift))
        for index, frames in set_to.items()
    ]
    found = contours(synthesizer, edited(utterance, *changes))
    end = wanted_end = 0.0  # of a run of stretched phonemes, in frames from its start
    for index, (before, frames) in enumerate(zip(own.frames, found.frames, strict=True)):
        each = wanted.get(index, 1.0)
        if isinstance(each, int) or each == 1:
            assert frames == (each if isinstance(each, int) else before)
            end = wanted_end = 0.0
            continue
        end, wanted_end = end + frames, wanted_end + float(before) * each
        assert frames >= 1
        assert end >= wanted_end - 0.501
        assert end <= wanted_end + 0.501 or frames == 1
    np.testing.assert_array_equal(found.model_frames, own.frames)
    token = np.repeat(np.arange(len(found.frames)), 2 * found.frames)
    inside = slice(2 * found.lead_frames, 2 * found.lead_frames + len(token))
    shifted = np.isin(token, list(wanted) if shift else []) & (found.model_pitch[inside] > VOICED_ABOVE_HZ)
    limited = np.clip(found.model_pitch[inside] + np.float32(shift), MIN_PITCH_HZ, MAX_PITCH_HZ)
    np.testing.assert_allclose(found.pitch[inside], np.where(shifted, limited, found.model_pitch[inside]), rtol=1e-6)
    np.testing.assert_array_equal(found.energy, found.model_energy)


def test_a_drawn_pitch_is_followed_where_the_model_is_voiced(synthesizer, utterance):
    own = contours(synthesizer, REQUEST)
    index = next(i for i, symbol in enumerate(utterance.phonemes) if symbol == "W")  # of “brown”
    found = contours(synthesizer, edited(utterance, PhonemeEdit(index, pitch=CurveEdit(drawn=(180.0, 260.0)))))
    changed = found.pitch != own.pitch
    assert changed.any()
    assert (own.pitch[changed] > 0).all()
    assert np.diff(found.pitch[changed]).min() > 0
    assert (found.pitch[changed].min(), found.pitch[changed].max()) == pytest.approx((180, 260), rel=0.1)
    np.testing.assert_array_equal(found.frames, own.frames)
    np.testing.assert_array_equal(found.energy, own.energy)


def test_pitch_and_energy_are_scaled_and_shifted(synthesizer, utterance):
    own = contours(synthesizer, REQUEST)
    changes = [
        PhonemeEdit(index, pitch=CurveEdit(1.2, 5.0), energy=CurveEdit(2.0, -0.5))
        for index in range(len(utterance.phonemes))
    ]
    found = contours(synthesizer, edited(utterance, *changes))
    changed = found.pitch != own.pitch
    limited = np.clip(own.pitch[changed] * 1.2 + 5, MIN_PITCH_HZ, MAX_PITCH_HZ)
    np.testing.assert_allclose(found.pitch[changed], limited, rtol=1e-5)
    inner = found.energy != own.energy
    assert inner.mean() > 0.8  # all but the silence around the sentence
    np.testing.assert_allclose(found.energy[inner], own.energy[inner] * 2 - 0.5, rtol=1e-4, atol=1e-4)


def test_only_stages_run_that_come_after_the_change(synthesizer, utterance):
    first = edited(utterance, PhonemeEdit(4, frames=12))
    assert set(spoken(synthesizer, first)[1]) <= set(STAGE_NAMES)
    assert spoken(synthesizer, first)[1] == []
    assert tuple(spoken(synthesizer, edited(utterance, PhonemeEdit(4, frames=13)))[1]) == FROM_DURATIONS
    pitch = PhonemeEdit(4, frames=12, pitch=CurveEdit(1.1))
    assert tuple(spoken(synthesizer, edited(utterance, pitch))[1]) == FROM_PITCH
    assert spoken(synthesizer, edited(utterance, pitch, gain_db=-6.0, pause_seconds=0.5))[1] == []
    spelled = edited(utterance, respellings=(Respelling(0, 2, "ði"),))
    assert "bert" in spoken(synthesizer, spelled)[1]


def test_the_same_edits_give_the_same_samples_and_none_those_of_before(synthesizer, utterance, tmp_path):
    plain = samples(synthesizer, REQUEST)
    request = edited(utterance, PhonemeEdit(4, frames=12), PhonemeEdit(9, pitch=CurveEdit(1.3)), gain_db=-3.0)
    other = samples(synthesizer, request)
    assert len(other) != len(plain)
    cached = Synthesizer("starter", "cpu", kept=SpeechCache(tmp_path))
    for _ in range(2):
        np.testing.assert_array_equal(samples(cached, request), other)
        np.testing.assert_array_equal(samples(cached, REQUEST), plain)
    cached.close()
    np.testing.assert_array_equal(samples(synthesizer, edited(utterance)), plain)


def test_gain_and_pause_change_only_the_level_and_the_silence(synthesizer, utterance):
    (plain, *_), _, _ = spoken(synthesizer, REQUEST)
    (quiet, *_), _, _ = spoken(synthesizer, edited(utterance, gain_db=-6.0, pause_seconds=1.5))
    speech = np.flatnonzero(plain.samples)[-1] + 1
    np.testing.assert_allclose(quiet.samples[:speech], plain.samples[:speech] * 10 ** (-6 / 20), atol=2e-6)
    silence = len(quiet.samples) - len(np.trim_zeros(quiet.samples, "b"))
    assert silence / quiet.sample_rate_hz == pytest.approx(1.5, abs=0.1)


def test_a_respelled_word_keeps_its_place(synthesizer, utterance):
    word = next(each for each in utterance.words if TEXT[each.start : each.end] == "fox")
    plan = plan_of(
        synthesizer, edited(utterance, respellings=(Respelling(word.first_phoneme, word.end_phoneme, "dˈAʤəɹ"),))
    )
    spelled = plan.utterances[0]
    spoken_as = {
        TEXT[each.start : each.end]: spelled.phonemes[each.first_phoneme : each.end_phoneme] for each in spelled.words
    }
    before = {
        TEXT[each.start : each.end]: utterance.phonemes[each.first_phoneme : each.end_phoneme]
        for each in utterance.words
    }
    assert spoken_as == {**before, "fox": "dˈAʤəɹ"}
    assert plan.utterances[1] == plan_of(synthesizer, REQUEST).utterances[1]


@pytest.mark.parametrize(
    "edit",
    [
        {"start": 3},
        {"phonemes": "other"},
        {"respellings": (Respelling(0, 1, "漢"),)},
        {"respellings": (Respelling(5, 2, "ə"),)},
        {"respellings": (Respelling(0, 10_000, "ə"),)},
        {"respellings": (Respelling(0, 1, "ə" * 600),)},
        {"changes": (PhonemeEdit(-1, frames=3),)},
        {"changes": (PhonemeEdit(10_000, frames=3),)},
        {"changes": (PhonemeEdit(0, frames=-3),)},
        {"changes": (PhonemeEdit(0, frames=10**9),)},
        {"changes": (PhonemeEdit(0, stretch=math.nan),)},
        {"changes": (PhonemeEdit(0, pitch=CurveEdit(drawn=(20.0, 200.0))),)},
        {"changes": (PhonemeEdit(0, pitch=CurveEdit(drawn=(200.0, math.nan))),)},
        {"changes": (PhonemeEdit(0, pitch=CurveEdit(drawn=(200.0,) * 100_000)),)},
        {"changes": (PhonemeEdit(0, energy=CurveEdit(scale=math.inf)),)},
        {"gain_db": math.nan},
        {"gain_db": 300.0},
        {"pause_seconds": -1.0},
    ],
)
def test_an_unusable_edit_is_reported_and_the_rest_is_used(synthesizer, utterance, edit):
    whole = UtteranceEdit(utterance.start, utterance.phonemes)
    plan = plan_of(synthesizer, replace(REQUEST, edits=(replace(whole, **edit),)))
    assert len(plan.notices) == 1
    assert plan.utterances[1] == plan_of(synthesizer, REQUEST).utterances[1]
    good = PhonemeEdit(4, frames=12)
    changes = (good, *edit.get("changes", ()))
    plan = plan_of(synthesizer, replace(REQUEST, edits=(replace(whole, **{**edit, "changes": changes}),)))
    used = plan.utterances[0].edit
    if not {"start", "phonemes", "respellings"} & set(edit):
        assert used is not None
        assert good in used.changes


def test_a_refused_respelling_does_not_count_toward_the_limit(synthesizer, utterance):
    respellings = (Respelling(0, 1, "ə" * 600), Respelling(3, 4, "k"))
    edit = UtteranceEdit(utterance.start, utterance.phonemes, respellings)
    plan = plan_of(synthesizer, replace(REQUEST, edits=(edit,)))
    assert len(plan.notices) == 1
    assert plan.utterances[0].edit.respellings == respellings[1:]


def test_a_sentence_without_end_is_refused(synthesizer, utterance):
    changes = [PhonemeEdit(index, frames=200) for index in range(len(utterance.phonemes))]
    assert 5 * len(changes) > MAX_UTTERANCE_SECONDS
    with pytest.raises(InvalidRequest, match="seconds long"):
        samples(synthesizer, edited(utterance, *changes))


numbers = st.floats(allow_nan=True, allow_infinity=True) | st.integers(-(10**12), 10**12)
curves = st.builds(CurveEdit, numbers, numbers, st.lists(numbers, max_size=4).map(tuple))
changes = st.builds(PhonemeEdit, st.integers(-5, 70), st.none() | st.integers(-5, 300), numbers, curves, curves)
respellings = st.builds(Respelling, st.integers(-5, 70), st.integers(-5, 70), st.text("əkˈ漢 ", max_size=9))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(respellings, max_size=3).map(tuple),
    st.lists(changes, max_size=4).map(tuple),
    numbers,
    st.none() | numbers,
)
def test_any_requested_edit_is_planned(synthesizer, utterance, respelled, changed, gain, pause):
    edit = UtteranceEdit(utterance.start, utterance.phonemes, respelled, changed, gain, pause)
    plan = plan_of(synthesizer, replace(REQUEST, edits=(edit,)))
    spelled = plan.utterances[0]
    assert [(each.start, each.end) for each in spelled.words] == [(each.start, each.end) for each in utterance.words]
    places = [place for each in spelled.words for place in (each.first_phoneme, each.end_phoneme)]
    assert places == sorted(places)
    assert places[-1] <= len(spelled.phonemes)
    assert spelled.edit is not None
    assert all(0 <= each.index < len(spelled.phonemes) for each in spelled.edit.changes)


def test_edits_that_are_undone_give_the_first_samples(synthesizer, utterance):
    first = samples(synthesizer, REQUEST)
    random = np.random.default_rng(7)
    for _ in range(20):  # each way there is to change something, in any order
        index, value = int(random.integers(len(utterance.phonemes))), float(random.uniform(0.7, 1.4))
        change = [
            PhonemeEdit(index, stretch=value),
            PhonemeEdit(index, pitch=CurveEdit(value)),
            PhonemeEdit(index, energy=CurveEdit(value)),
        ][int(random.integers(3))]
        samples(synthesizer, edited(utterance, change, gain_db=float(random.uniform(-6, 0))))
    np.testing.assert_array_equal(samples(synthesizer, edited(utterance)), first)


def test_an_utterance_alone_sounds_as_in_its_text(synthesizer: Synthesizer, utterance: Utterance) -> None:
    events: list[Event] = []
    request = edited(utterance, PhonemeEdit(4, frames=12), PhonemeEdit(8, pitch=CurveEdit(1.3)), gain_db=-3.0)
    (chunk,) = synthesizer.synthesize(replace(request, end=utterance.end))
    changed, found, alone = synthesizer.edited(
        replace(utterance, pause_seconds=0.0), REQUEST, request.edits[0], events.append
    )
    np.testing.assert_array_equal(alone.samples, chunk.samples)
    assert changed.edit == request.edits[0]
    assert alone.words == chunk.words
    assert found.frames[4] == 12
    assert 2 * (found.lead_frames + found.frames.sum()) <= len(found.pitch)
    assert [event.stage for event in events if isinstance(event, StageEvent)] == []  # all were cached


def test_an_utterance_alone_without_changes_is_the_models(synthesizer: Synthesizer, utterance: Utterance) -> None:
    (chunk,) = synthesizer.synthesize(replace(REQUEST, end=utterance.end))
    unchanged = UtteranceEdit(utterance.start, utterance.phonemes)
    np.testing.assert_array_equal(
        synthesizer.edited(replace(utterance, pause_seconds=0.0), REQUEST, unchanged)[2].samples, chunk.samples
    )


def test_an_unusable_edit_of_an_utterance_is_an_error(synthesizer: Synthesizer, utterance: Utterance) -> None:
    edit = UtteranceEdit(utterance.start, utterance.phonemes, respellings=(Respelling(0, 1, "7"),))
    with pytest.raises(InvalidRequest, match="no symbol"):
        synthesizer.edited(utterance, REQUEST, edit)
    assert "ə" in synthesizer.symbols
