"""The presets as edits, and the pitch, energy and durations that they result in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import pyworld
from hypothesis import given
from hypothesis import strategies as st

from engine.config import F0_VALUES_PER_FRAME, SAMPLE_RATE_HZ, ModelConfig
from engine.errors import DamagedFile
from engine.models.checkpoints import LEAD_SECONDS
from engine.runtime import presets
from engine.runtime.edited_curves import FIRST_TOKEN, edited_frames, with_curves, without_breaks
from engine.runtime.edits import MIN_PITCH_HZ, edited_plan
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
        ("ɪt", "ɪ"), ("pst", "p"), ("gˈoː", "ˈoː"), ("gˈoːt", "ˈoː"),
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


@pytest.mark.parametrize(
    ("phonemes", "silent_values", "is_faded"),
    [
        *(("gˈo?", 6, True), ("gˈo?", 0, True), ("gˈo", 0, True), ("gˈo, ɑ", 0, True), ("gˈo ɑ", 6, True)),
        *(("gˈo ɑ", 0, False), ("gˈot", 0, False), ("gˈot", 6, False)),
    ],
)
def test_the_voice_fades_out_before_the_end_of_a_rise(phonemes: str, silent_values: int, is_faded: bool) -> None:
    """It doesn't if a consonant or another voice follows. The next sound is as before."""
    config, change = ModelConfig.load(starter_folder() / "config.json"), edit_of(Preset.RISE, 0, 3, phonemes)
    tokens = np.repeat(np.arange(len(phonemes) + 1) + FIRST_TOKEN, FRAMES)
    pitch = np.full((1, F0_VALUES_PER_FRAME * len(tokens)), 150, np.float32)
    end = F0_VALUES_PER_FRAME * FRAMES * 3 - silent_values
    pitch[0, end : end + silent_values] = 0
    magnitude = np.ones((1, 2, config.stft_frames_per_frame * len(tokens) + 1), np.float32)
    faded = without_breaks(config, change.changes, phonemes, tokens, pitch, magnitude)
    columns_per_value = config.stft_frames_per_frame // F0_VALUES_PER_FRAME
    quiet = faded[0, 0, (end - 2) * columns_per_value : (end + 1) * columns_per_value]
    assert quiet.max() < 0.05 if is_faded else faded.min() == 1
    assert (faded[..., : (end - 6) * columns_per_value] == 1).all()
    next_sound = F0_VALUES_PER_FRAME * FRAMES * len(phonemes.rstrip("ɑ"))
    if phonemes.endswith(("ɑ", "t")):
        assert (faded[..., (next_sound - 3) * columns_per_value :] == 1).all()
    else:
        assert faded[..., -1].max() == 0
    np.testing.assert_array_equal(without_breaks(config, (), phonemes, tokens, pitch, magnitude), magnitude)


QUESTIONS = (
    "Are you looking at a picture?",
    "Did they sell the old house?",
    "Is the store open on Sunday?",
    "Is it you?",
    "Have you seen my brother?",
    "Will it rain tomorrow?",
    "Do you like coffee?",
    "Can we go now?",
    "Is this the right road?",
    "Was the film any good?",
    "Are they coming to dinner?",
    "Did you lock the door?",
    "Has the train left already?",
    "Would you like some tea?",
    "Could I borrow your pen?",
    "Is anybody home?",
    "Do you live in London?",
    "Should we wait for her?",
    "Were you at school today?",
    "Is that your final answer?",
    "Does he know the way?",
    "Did she call you back?",
    "Are we late?",
    "Is the water cold?",
    "Have they finished the bridge?",
    "Do you believe him?",
    "Can you swim?",
    "Will you marry me?",
    "Is it far from here?",
    "Did anyone get hurt?",
    "Are these seats taken?",
    "Is there a doctor on board?",
    "Does this bus go to the station?",
    "Did you sleep well?",
    "Have you read the letter?",
    "Is your mother a teacher?",
    "Do cats dream?",
    "Was it worth the money?",
    "Can animals think?",
    "Are you sure about that?",
)
VOICES = ("af_heart", "am_michael", "bf_emma", "bm_george")
AUDIBLE_DB = 25.0
"""A sound that is this much quieter than the loudest one is not counted as a voice."""


def rises(synthesizer: Synthesizer, voice: str, text: str) -> tuple[float, float]:
    """Return by how many cents the last stressed syllable ends higher than it begins: its curve, and in the audio.

    In the audio, the medians of the first and last 15 ms count, as WORLD tracks them.
    """
    request = SpeechRequest(text, voice)
    ((utterance, contours),) = synthesizer.contours(request)
    (chunk,) = synthesizer.synthesize(request)
    samples = chunk.samples.astype(np.float64)
    coarse, times = pyworld.harvest(samples, SAMPLE_RATE_HZ, f0_floor=60, f0_ceil=600)
    heard = pyworld.stonemask(samples, coarse, times, SAMPLE_RATE_HZ)
    power = np.convolve(samples**2, np.ones(SAMPLE_RATE_HZ // 50), "same")
    loudness = np.interp(times * SAMPLE_RATE_HZ, np.arange(len(samples)), power)
    frames = np.concatenate([[0], np.cumsum(contours.frames)]) + contours.lead_frames
    spoken = frames[utterance.words[0].end_phoneme] / contours.frames_per_second
    trimmed = spoken - LEAD_SECONDS - chunk.words[0].end_sample / SAMPLE_RATE_HZ
    values = np.rint((times + trimmed) * contours.frames_per_second * F0_VALUES_PER_FRAME).astype(int)
    voiced = contours.pitch[np.clip(values, 0, len(contours.pitch) - 1)] >= MIN_PITCH_HZ
    audible = (heard > 0) & (loudness > loudness.max() * 10 ** (-AUDIBLE_DB / 10))
    word = utterance.words[-1]
    first, end = nucleus(utterance.phonemes[word.first_phoneme : word.end_phoneme])
    phonemes = chunk.words[-1].phonemes[first:end]
    start, stop = (sample / SAMPLE_RATE_HZ for sample in (phonemes[0].start_sample, phonemes[-1].end_sample))
    syllable = heard[voiced & audible & (start <= times) & (times < stop)]
    assert len(syllable) > 6, f"no voice is heard in {text!r}"
    first, end = (F0_VALUES_PER_FRAME * frames[word.first_phoneme + place] for place in (first, end))
    drawn = contours.pitch[first:end][contours.pitch[first:end] >= MIN_PITCH_HZ]
    ends = (drawn[0], drawn[-1]), (np.median(syllable[:3]), np.median(syllable[-3:]))
    curve, audio = (1200 * float(np.log2(top / bottom)) for bottom, top in ends)
    return curve, audio


@pytest.mark.slow
@needs_trained
@pytest.mark.parametrize("voice", VOICES)
def test_questions_of_the_trained_model_rise_where_they_are_tagged(
    trained_synthesizer: Synthesizer, voice: str
) -> None:
    higher = []
    for question in QUESTIONS[:4]:
        before, _, last = question.rpartition(" ")
        plain, tagged = (rises(trained_synthesizer, voice, text) for text in (question, f"{before} [rise]{last}"))
        assert tagged[0] > max(400, plain[0])
        higher.append(tagged[1] > max(0, plain[1]))
    assert sum(higher) >= 3, "WORLD may misjudge one: sums differ in their last bits between processors"


@pytest.mark.long
@needs_trained
@pytest.mark.parametrize("voice", VOICES)
def test_nearly_every_tagged_question_rises_in_the_audio(trained_synthesizer: Synthesizer, voice: str) -> None:
    """One of them may break into a lower voice before a consonant."""
    falling: dict[str, float] = {}
    for question in QUESTIONS:
        before, _, last = question.rpartition(" ")
        _, cents = rises(trained_synthesizer, voice, f"{before} [rise]{last}")
        falling |= {question: cents} if cents <= 0 else {}
    assert len(falling) <= 1, falling
