"""The presets as edits, and the pitch, energy and durations that they result in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.config import F0_VALUES_PER_FRAME, ModelConfig
from engine.errors import DamagedFile
from engine.runtime import presets
from engine.runtime.edits import FIRST_TOKEN, MIN_PITCH_HZ, edited_frames, edited_plan, with_curves
from engine.runtime.presets import amounts, change_at, nucleus, shares, stretched, with_preset, with_presets
from engine.runtime.synthesizer import Synthesizer
from engine.speech import AppliedPreset, CurveEdit, PhonemeEdit, Plan, Preset, SpeechRequest, Utterance, UtteranceEdit
from engine.system.paths import starter_folder
from tests.trained import needs_trained

PHRASE = "ðə kˈɑnsəɹts."
FALLING_HZ = (220.0, 120.0)
FRAMES = 6


def edit_of(preset: Preset, first: int = 0, end: int = len(PHRASE), phonemes: str = PHRASE) -> UtteranceEdit:
    return with_preset(UtteranceEdit(0, phonemes), preset, phonemes, first, end)


def curves(edit: UtteranceEdit, phonemes: str = PHRASE) -> tuple[np.ndarray, np.ndarray]:
    """The pitch and energy that an edit makes of a falling pitch and an energy of 5, by phoneme and value."""
    tokens = np.repeat(np.arange(len(phonemes)) + FIRST_TOKEN, FRAMES)
    own = np.geomspace(*FALLING_HZ, F0_VALUES_PER_FRAME * len(tokens)).astype(np.float32)[None]
    pitch, energy = with_curves(edit.changes, tokens, own, np.full_like(own, 5))
    return pitch.reshape(len(phonemes), -1), energy.reshape(len(phonemes), -1)


def test_a_rise_goes_from_the_last_stressed_vowel_to_the_end() -> None:
    own, _ = curves(UtteranceEdit(0, PHRASE))
    pitch, energy = curves(edit_of(Preset.RISE))
    first, end = nucleus(PHRASE)
    assert PHRASE[first:end] == "ˈɑnsəɹ"
    rise = pitch[first:end].ravel()
    assert (np.diff(rise) > -1e-3).all()
    assert 1200 * np.log2(rise[-1] / rise[0]) == pytest.approx(amounts()[Preset.RISE].pitch_cents[-1], abs=1)
    assert rise[0] == pytest.approx(own[first, 1], rel=1e-3)
    np.testing.assert_array_equal(pitch[:first], own[:first])
    np.testing.assert_array_equal(pitch[end:], own[end:])
    assert (energy == 5).all()


def test_a_fall_ends_lower_than_the_model() -> None:
    own, _ = curves(UtteranceEdit(0, PHRASE))
    pitch, _ = curves(edit_of(Preset.FALL))
    first, end = nucleus(PHRASE)
    change = 1200 * np.log2(pitch[first:end] / own[first:end])
    assert change.max() < 0
    assert change[-1, -1] == pytest.approx(amounts()[Preset.FALL].pitch_cents[-1], abs=1)


@pytest.mark.parametrize("last", [Preset.RISE, Preset.FALL])
@pytest.mark.parametrize("first", [Preset.RISE, Preset.FALL])
def test_the_last_of_a_rise_and_a_fall_counts(first: Preset, last: Preset) -> None:
    assert with_preset(edit_of(first), last, PHRASE, 0, len(PHRASE)) == edit_of(last)


def test_emphasis_raises_the_stressed_vowel_and_makes_its_word_longer_and_louder() -> None:
    own, own_energy = curves(UtteranceEdit(0, PHRASE))
    edit = edit_of(Preset.EMPHASIS, 3)
    pitch, energy = curves(edit)
    vowel = PHRASE.index("ɑ")
    assert (pitch[vowel] > own[vowel]).all()
    np.testing.assert_array_equal(pitch[:3], own[:3])
    assert (energy[3:-1] > own_energy[3:-1]).all()
    assert (energy[-1] == own_energy[-1]).all()  # the full stop
    frames = np.full(len(PHRASE), FRAMES)
    longer = edited_frames(edit.changes, frames)[3:-1].sum() / frames[3:-1].sum()
    assert longer == pytest.approx(amounts()[Preset.EMPHASIS].stretch, abs=0.02)


@pytest.mark.parametrize("one", [Preset.EMPHASIS, Preset.DEEMPHASIS])
def test_emphasis_and_its_opposite_cancel_out(one: Preset) -> None:
    other = {Preset.EMPHASIS: Preset.DEEMPHASIS, Preset.DEEMPHASIS: Preset.EMPHASIS}[one]
    assert edit_of(one) != UtteranceEdit(0, PHRASE)
    assert with_preset(edit_of(one), other, PHRASE, 0, len(PHRASE)) == UtteranceEdit(0, PHRASE)


@given(st.lists(st.integers(1, 8), min_size=len(PHRASE), max_size=len(PHRASE)))
def test_the_length_of_slow_speech_is_exact_to_a_frame(frames: list[int]) -> None:
    own = np.array(frames)
    slow = edited_frames(edit_of(Preset.SLOW).changes, own)
    assert abs(slow.sum() - amounts()[Preset.SLOW].stretch * own.sum()) <= 1
    assert (edited_frames(edit_of(Preset.FAST).changes, own) >= 1).all()
    assert edited_frames(edit_of(Preset.FAST).changes, own).sum() <= own.sum()


def test_stretching_scales_a_duration_that_was_set() -> None:
    edit = stretched(UtteranceEdit(0, "ab", changes=(PhonemeEdit(0, frames=10),)), [0, 1], 2.0)
    assert edit.changes == (PhonemeEdit(0, frames=20), PhonemeEdit(1, stretch=2.0))


@given(st.text("ptkˈˌaəɹn ?", max_size=12), st.sampled_from(list(Preset)), st.data())
def test_every_preset_of_every_selection_is_usable(phonemes: str, preset: Preset, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(phonemes)))
    end = data.draw(st.integers(first, len(phonemes)))
    edit = edit_of(preset, first, end, phonemes)
    assert all(first <= each.index < end for each in edit.changes)
    config = ModelConfig.load(starter_folder() / "config.json")
    utterance = Utterance(0, phonemes, phonemes, 0, len(phonemes))
    assert edited_plan(Plan((utterance,)), {0: edit}, config) == Plan((replace(utterance, edit=edit),))
    if not phonemes[first:end].strip(" ?"):
        assert edit.changes == () or preset in (Preset.SLOW, Preset.FAST)


@given(st.text("ptˈaəɹː ", min_size=1))
def test_shares_go_from_0_to_1(phonemes: str) -> None:
    borders = shares(phonemes)
    assert len(borders) == len(phonemes) + 1
    assert (borders[0], borders[-1]) in ((0, pytest.approx(1)), (0, 0))
    assert list(borders) == sorted(borders)


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("pˈɪkʧəɹ", "ˈɪkʧəɹ"), ("hˈWs", "ˈW"), ("ɹˌikənsˈɪdəɹ", "ˈɪdəɹ"), ("sˈʌndˌA", "ˈʌndˌA"), ("ˌɑɹ", "ˌɑɹ"),
        ("ɪt", "ɪ"), ("pst", "p"), ("gˈoː", "ˈo"),
    ],
)  # fmt: skip
def test_the_end_of_a_word_that_rises(word: str, part: str) -> None:
    first, end = nucleus(word)
    assert word[first:end] == part


def test_the_voice_may_fade_at_the_end_of_a_rise() -> None:
    """Only the part above the lowest pitch rises, and its end is as high as it would be without the fading."""
    edit = edit_of(Preset.RISE, 0, 3, "gˈo")
    tokens = np.repeat(np.arange(3) + FIRST_TOKEN, FRAMES)
    own = np.full(F0_VALUES_PER_FRAME * len(tokens), 150, np.float32)
    own[-5:] = 20
    (pitch,), _ = with_curves(edit.changes, tokens, own[None], own[None])
    assert (pitch[-5:] < MIN_PITCH_HZ).all()
    assert pitch[-6] == pytest.approx(150 * 2 ** (amounts()[Preset.RISE].pitch_cents[-1] / 1200), rel=1e-3)


def test_presets_of_an_utterance_become_its_edit() -> None:
    applied = AppliedPreset(Preset.EMPHASIS, 3, len(PHRASE)), AppliedPreset(Preset.RISE, 3, len(PHRASE))
    plain = Utterance(0, PHRASE, PHRASE, 0, len(PHRASE))
    utterance = replace(plain, presets=applied)
    (found,) = with_presets(Plan((utterance,))).utterances
    assert found.edit is not None
    vowel = change_at(found.edit, PHRASE.index("ɑ"))
    assert vowel.pitch.level
    assert vowel.stretch > 1
    assert vowel.pitch.factors[1] > amounts()[Preset.RISE].pitch_cents[0]
    assert with_presets(Plan((plain,))) == Plan((plain,))


def test_an_edit_by_the_user_replaces_presets() -> None:
    config = ModelConfig.load(starter_folder() / "config.json")
    applied = (AppliedPreset(Preset.SLOW, 0, len(PHRASE)),)
    plan = with_presets(Plan((Utterance(0, PHRASE, PHRASE, 0, len(PHRASE), presets=applied),)))
    edit = UtteranceEdit(0, PHRASE, changes=(PhonemeEdit(1, pitch=CurveEdit(1.1)),))
    (found,) = edited_plan(plan, {0: edit}, config).utterances
    assert (found.edit, found.presets) == (edit, ())


def test_a_damaged_table_is_reported(tmp_path, monkeypatch) -> None:
    damaged = tmp_path / "presets.json"
    damaged.write_text('{"presets": {"rise": 1}}')
    monkeypatch.setattr(presets, "table_path", lambda: damaged)
    amounts.cache_clear()
    with pytest.raises(DamagedFile):
        amounts()
    amounts.cache_clear()


QUESTIONS = (
    "Are you looking at a picture?",
    "Did they sell the old house?",
    "Is the store open on Sunday?",
    "Is it you?",
)


@pytest.mark.slow
@needs_trained
@pytest.mark.parametrize("voice", ["af_heart", "am_michael", "bf_emma", "bm_george"])
def test_questions_of_the_trained_model_rise_where_they_are_tagged(
    trained_synthesizer: Synthesizer, voice: str
) -> None:
    for question in QUESTIONS:
        before, _, last = question.rpartition(" ")
        ends = []
        for text in (question, f"{before} [rise]{last}"):
            ((utterance, contours),) = trained_synthesizer.contours(SpeechRequest(text, voice))
            word = utterance.words[-1]
            first, end = (word.first_phoneme + each for each in nucleus(utterance.phonemes[word.first_phoneme :]))
            frames = np.concatenate([[0], np.cumsum(contours.frames)]) + contours.lead_frames
            pitch = contours.pitch[F0_VALUES_PER_FRAME * frames[first] : F0_VALUES_PER_FRAME * frames[end]]
            sounding = pitch[pitch >= MIN_PITCH_HZ]
            ends.append(1200 * np.log2(sounding[-1] / sounding[0]))
        assert ends[1] > 400
        assert ends[1] > ends[0]
