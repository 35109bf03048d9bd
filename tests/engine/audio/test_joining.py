import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.audio.joining import (
    FADE_SECONDS,
    KEPT_SILENCE_SECONDS,
    PEAK_LIMIT,
    WINDOW_SECONDS,
    AudioConcatenator,
    blend,
    earlier,
    finish_utterance,
    limit_peak,
    scale_pauses,
    spoken_words,
)
from engine.speech import Speech, SpokenPhoneme, SpokenWord, Utterance, WrittenWord

RATE_HZ = 24_000
MARGIN = round(KEPT_SILENCE_SECONDS * RATE_HZ)
WINDOW = round(WINDOW_SECONDS * RATE_HZ)
FLOOR = 0.002
"""The noise amplitude: slightly louder than the models' noise between words, 48 dB below the tone."""


def tone(seconds: float, amplitude: float = 0.5) -> np.ndarray:
    time = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return (amplitude * np.sin(2 * np.pi * 200 * time)).astype(np.float32)


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE_HZ), np.float32)


def utterance(seconds: float, around: float = 0.2) -> np.ndarray:
    """Return a tone between silences, with a noise floor."""
    clean = np.concatenate([silence(around), tone(seconds), silence(around)])
    return clean + np.random.default_rng(0).uniform(-FLOOR, FLOOR, len(clean)).astype(np.float32)


def speech(samples: np.ndarray, *edges: int) -> Speech:
    return Speech(samples, np.array(edges, np.int64))


def followed_by(pause_seconds: float, **rests: float) -> Utterance:
    return Utterance(0, "", "", 0, 0, pause_seconds, **rests)


def finished(samples: np.ndarray) -> np.ndarray:
    return finish_utterance(speech(samples), RATE_HZ).samples


def scaled(samples: np.ndarray, scale: float) -> np.ndarray:
    return scale_pauses(speech(samples), RATE_HZ, scale).samples


def joined(pauses: list[float], scale: float = 1.0) -> np.ndarray:
    joiner = AudioConcatenator(RATE_HZ, scale)
    last = len(pauses) - 1
    chunks = [
        joiner.chunk(speech(utterance(0.3)), followed_by(pause), last=i == last) for i, pause in enumerate(pauses)
    ]
    return np.concatenate([chunk.samples for chunk in chunks])


def gaps(samples: np.ndarray) -> list[float]:
    """Return the gaps between tones, in seconds."""
    loud = np.flatnonzero(np.abs(samples) > 4 * FLOOR)
    steps = np.diff(loud)
    return list(steps[steps > RATE_HZ // 100] / RATE_HZ)


@pytest.mark.parametrize("around", [0.0, 0.01, 0.5])
def test_trimmed_speech_has_equal_margins_regardless_of_surrounding_silence(around: float) -> None:
    trimmed = finished(np.concatenate([silence(around), tone(1), silence(around)]))
    assert len(trimmed) == pytest.approx(RATE_HZ + 2 * MARGIN, abs=2 * WINDOW)
    assert not np.abs(trimmed[: MARGIN - WINDOW]).any()
    assert not np.abs(trimmed[WINDOW - MARGIN :]).any()


def test_a_quiet_word_after_a_loud_one_is_not_trimmed() -> None:
    samples = np.concatenate([tone(0.2), np.zeros(RATE_HZ, np.float32), tone(0.2, 0.05)])
    assert len(finished(samples)) == len(samples) + 2 * MARGIN


def test_a_soft_click_before_the_speech_is_cut_off() -> None:
    click, rest = tone(0.01, 0.01), np.concatenate([silence(0.4), tone(0.5)])
    assert np.array_equal(finished(np.concatenate([click, rest])), finished(rest))


@pytest.mark.parametrize(
    ("sound", "silent_seconds"), [(tone(0.06, 0.01), 0.4), (tone(0.02, 0.01), 0.1), (tone(0.02, 0.1), 0.4)]
)
def test_a_possible_phoneme_before_a_pause_is_not_trimmed(sound: np.ndarray, silent_seconds: float) -> None:
    """Each sound differs from a click: it is longer, precedes a pause as short as a plosive's closure, or is louder."""
    whole = np.concatenate([sound, silence(silent_seconds), tone(0.5)])
    assert len(finished(whole)) == len(whole) + 2 * MARGIN


def test_only_a_clipping_waveform_is_scaled() -> None:
    assert np.abs(limit_peak(tone(0.1, 3.0))).max() == pytest.approx(PEAK_LIMIT)
    quiet = tone(0.1)
    assert limit_peak(quiet) is quiet


def test_edges_are_faded_so_that_nothing_clicks() -> None:
    trimmed = finished(np.full(RATE_HZ, 0.5, np.float32))
    assert np.abs(np.diff(trimmed)).max() < 0.5 / (FADE_SECONDS * RATE_HZ) * 2


@pytest.mark.parametrize("pause", [0.05, 0.25])
def test_a_gap_is_the_pause_and_both_margins(pause: float) -> None:
    assert gaps(joined([pause, 0.0])) == [pytest.approx(pause + 2 * KEPT_SILENCE_SECONDS, abs=2 * WINDOW_SECONDS)]


def test_without_a_pause_the_margins_are_one() -> None:
    assert gaps(joined([0.0, 0.0, 0.0])) == [pytest.approx(KEPT_SILENCE_SECONDS, abs=2 * WINDOW_SECONDS)] * 2


@pytest.mark.parametrize("pause", [0.0, 0.05, 0.25])
def test_no_step_at_a_join_is_larger_than_those_of_the_speech(pause: float) -> None:
    assert np.abs(np.diff(joined([pause] * 3))).max() <= np.abs(np.diff(utterance(0.3))).max()


def test_blending_keeps_the_power_of_noise() -> None:
    first, second = np.random.default_rng(1).standard_normal((2, 100_000)).astype(np.float32)
    power = np.square(blend(first, second)).reshape(10, -1).mean(axis=1)
    assert power == pytest.approx(np.ones(10), abs=0.05)


@pytest.mark.parametrize(("ending", "beginning"), [(0, 5), (5, 0), (3, 5), (5, 3)])
def test_blending_lays_one_over_the_other_and_loses_nothing_else(ending: int, beginning: int) -> None:
    over = min(ending, beginning)
    blended = blend(np.full(ending, 2, np.float32), np.full(beginning, 3, np.float32))
    assert len(blended) == max(ending, beginning)
    assert blended.dtype == np.float32
    assert (blended[: ending - over] == 2).all()
    assert (blended[ending:] == 3).all()


def test_every_sample_of_speech_is_there_once() -> None:
    """Each impulse appears once, in order and at its height."""
    heights = [0.3, 0.4, 0.5, 0.6]
    joiner = AudioConcatenator(RATE_HZ)
    chunks = []
    for index, height in enumerate(heights):
        raw = np.concatenate([silence(0.1), tone(0.05, 0.1), [np.float32(height)], tone(0.05, 0.1), silence(0.1)])
        chunks.append(joiner.chunk(speech(raw), followed_by(0.25 * (index % 2)), last=index == 3).samples)
    whole = np.concatenate(chunks)
    assert list(whole[whole > 0.2]) == pytest.approx(heights)


@pytest.mark.parametrize("scale", [0.0, 0.5, 2.0, 3.0])
def test_pauses_between_and_inside_utterances_are_scaled(scale: float) -> None:
    kept = 2 * KEPT_SILENCE_SECONDS
    assert gaps(joined([0.25, 0.0], scale)) == [pytest.approx(max(kept / 2, 0.25 * scale + kept), abs=0.02 + kept / 2)]
    inside = np.concatenate([utterance(0.3, 0.2), utterance(0.3, 0.2)])
    expected = kept + (0.4 - kept) * scale
    assert gaps(scaled(inside, scale)) == [pytest.approx(expected, abs=0.02)]


def test_closures_of_consonants_are_no_pauses() -> None:
    samples = np.concatenate([tone(0.3), silence(0.1), tone(0.3)])
    assert len(scaled(samples, 3.0)) == len(samples)


WAVEFORMS = st.lists(st.floats(-4, 4, width=32), max_size=400).map(lambda values: np.array(values, np.float32))


@given(st.lists(st.tuples(WAVEFORMS, st.sampled_from([0.0, 0.001, 0.01])), max_size=4), st.floats(0, 3))
def test_any_waveforms_end_up_finite_and_below_clipping(parts: list[tuple[np.ndarray, float]], scale: float) -> None:
    joiner = AudioConcatenator(RATE_HZ, scale)
    for raw, pause in parts:
        chunk = joiner.chunk(speech(raw), followed_by(pause), last=False).samples
        assert chunk.dtype == np.float32
        assert np.isfinite(chunk).all()
        assert np.abs(chunk).max(initial=0.0) <= PEAK_LIMIT + 1e-6


def clicks(*places: float) -> tuple[np.ndarray, list[int]]:
    """Return two seconds of silence with a short tone at each place [s], and the first sample of each tone."""
    samples = silence(2)
    starts = [round(place * RATE_HZ) for place in places]
    for start in starts:
        samples[start : start + 2 * WINDOW] = tone(2 * WINDOW_SECONDS)
    return samples, starts


def heard(samples: np.ndarray) -> list[int]:
    """Return the first sample of each sound."""
    loud = np.flatnonzero(np.abs(samples) > 0.05)
    return [int(at) for at in loud[np.diff(loud, prepend=-RATE_HZ) > RATE_HZ // 50]]


@pytest.mark.parametrize("scale", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("pause", [0.0, 0.25])
def test_a_phoneme_keeps_to_its_sound_through_cuts_pauses_and_joins(scale: float, pause: float) -> None:
    joiner = AudioConcatenator(RATE_HZ, scale)
    speeches = [clicks(0.3, 0.7, 1.2), clicks(0.01, 1.0), clicks(0.5)]
    chunks = [joiner.chunk(speech(samples, *starts), followed_by(pause), last=False) for samples, starts in speeches]
    lengths = np.cumsum([0, *(len(chunk.samples) for chunk in chunks)])
    marked = np.concatenate([chunk.edges + start for chunk, start in zip(chunks, lengths, strict=False)])
    found = heard(np.concatenate([chunk.samples for chunk in chunks]))
    assert marked == pytest.approx(np.array(found), abs=0.002 * RATE_HZ)


def test_a_phoneme_in_silence_that_is_cut_off_is_inside_the_chunk() -> None:
    samples, starts = clicks(0.8)
    chunk = AudioConcatenator(RATE_HZ).chunk(speech(samples, 0, *starts, len(samples)), followed_by(0.0), last=False)
    assert chunk.edges[0] == 0
    assert chunk.edges[-1] == len(chunk.samples)


@given(st.lists(st.integers(0, 400), min_size=2, max_size=6).map(sorted), WAVEFORMS, st.floats(0, 3), st.booleans())
def test_edges_stay_in_order_and_inside(edges: list[int], samples: np.ndarray, scale: float, last: bool) -> None:
    chunk = AudioConcatenator(RATE_HZ, scale).chunk(speech(samples, *edges), followed_by(0.0), last=last)
    assert (np.diff([0, *chunk.edges, len(chunk.samples)]) >= 0).all()


@pytest.mark.parametrize("scale", [0.0, 1.0, 3.0])
def test_a_rest_lasts_as_specified_regardless_of_the_pause_scale(scale: float) -> None:
    joiner = AudioConcatenator(RATE_HZ, scale)
    samples, starts = clicks(0.5)
    rest = followed_by(0.25, rest_seconds=1.5, rest_before_seconds=2.0)
    first = joiner.chunk(speech(samples, *starts), rest, last=False)
    second = joiner.chunk(speech(samples, *starts), followed_by(0.0), last=True)
    found = heard(np.concatenate([first.samples, second.samples]))
    assert found[0] == pytest.approx(2.0 * RATE_HZ, abs=WINDOW)
    assert found[1] - found[0] - 2 * WINDOW == pytest.approx(1.5 * RATE_HZ, abs=2 * WINDOW)
    assert first.edges[0] == pytest.approx(found[0], abs=0.002 * RATE_HZ)


def test_a_rest_of_nothing_joins_as_if_there_were_no_pause() -> None:
    joiner = AudioConcatenator(RATE_HZ)
    first = joiner.chunk(speech(utterance(0.3)), followed_by(0.25, rest_seconds=0.0), last=False)
    second = joiner.chunk(speech(utterance(0.3)), followed_by(0.0), last=True)
    whole = np.concatenate([first.samples, second.samples])
    assert gaps(whole) == [pytest.approx(KEPT_SILENCE_SECONDS, abs=2 * WINDOW_SECONDS)]


def test_a_word_lasts_from_the_space_before_it_to_its_last_phoneme() -> None:
    words = (WrittenWord(7, 8, 0, 2), WrittenWord(9, 11, 3, 4))
    utterance = Utterance(0, "I am.", "ˈI m.", 7, 12, words=words)
    speech = Speech(np.zeros(100, np.float32), np.array([10, 20, 30, 40, 60, 70]))
    first, second = spoken_words(utterance, speech)
    assert first == SpokenWord(7, 8, 10, 30, (SpokenPhoneme("ˈ", 10, 20), SpokenPhoneme("I", 20, 30)))
    assert second == SpokenWord(9, 11, 30, 60, (SpokenPhoneme("m", 30, 60),))


def test_phonemes_shift_earlier_but_not_before_the_audio_starts() -> None:
    speech = Speech(np.zeros(100, np.float32), np.array([10, 20, 70]))
    assert earlier(speech, 15).edges.tolist() == [0, 5, 55]


def test_an_utterance_whose_words_are_not_known_has_none() -> None:
    assert spoken_words(Utterance(0, "", "a", 0, 0), Speech(np.zeros(9, np.float32), np.array([0, 9]))) == ()
