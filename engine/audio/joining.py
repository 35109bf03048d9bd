"""Post-processing of waveforms: trims silence, limits the peak level, joins utterances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.speech import Samples, Speech, SpokenPhoneme, SpokenWord, Utterance, WrittenWord

SILENCE_BELOW_LOUDEST_DB = 40.0
"""The level below the loudest window at which a window counts as silence."""
WINDOW_SECONDS = 0.01
KEPT_SILENCE_SECONDS = 0.03
"""The silence left at both ends, so that soft onsets and releases are not cut; without a pause, two are cross-faded."""
FADE_SECONDS = 0.005
PEAK_LIMIT = 0.99
MIN_PAUSE_SECONDS = 0.15
"""The minimum length of a silence inside an utterance that counts as a pause; closures of consonants are shorter."""
MAX_CLICK_SECONDS = 0.03
CLICK_BELOW_LOUDEST_DB = 25.0
"""With `MAX_CLICK_SECONDS`, the limits of a click: a sound at the start that is no longer and no louder, and is
followed by a pause, is not a phoneme. The starter begins some utterances with one."""


class AudioConcatenator:
    """Joins consecutive utterances into chunks without a click, a gap or a lost sample.

    Without a pause between them, the silence after one utterance and that before the next are cross-faded at equal
    power: the end of a chunk, `KEPT_SILENCE_SECONDS`, is held back for the next one. `pause_scale` scales all pauses,
    including those inside an utterance. Phonemes stay with their sounds: where silence is cut off or held back, they
    end with their chunk.
    """

    def __init__(self, sample_rate_hz: int, pause_scale: float = 1.0) -> None:
        self._sample_rate_hz = sample_rate_hz
        self._pause_scale = pause_scale
        self._held = np.zeros(0, np.float32)

    def chunk(self, raw: Speech, utterance: Utterance, *, last: bool) -> Speech:
        """Return the next audio to play: the finished speech of `raw`, of any length, with its pauses.

        The silence left around speech counts as part of the rests that the text asks for, which are not scaled.
        """
        speech = finish_utterance(raw, self._sample_rate_hz)
        if self._pause_scale != 1:
            speech = scale_pauses(speech, self._sample_rate_hz, self._pause_scale)
        before = self._silence(utterance.rest_before_seconds - KEPT_SILENCE_SECONDS)
        joined = blend(self._held, np.concatenate([before, speech.samples]))
        pause = self._silence(self._pause_seconds(utterance))
        held = 0 if last or len(pause) else _margin(self._sample_rate_hz)
        sent = len(joined) - held
        self._held = joined[sent:]
        return Speech(np.concatenate([joined[:sent], pause]), np.minimum(speech.edges + len(before), sent))

    def _pause_seconds(self, utterance: Utterance) -> float:
        if utterance.rest_seconds is None:
            return utterance.pause_seconds * self._pause_scale
        return utterance.rest_seconds - 2 * KEPT_SILENCE_SECONDS

    def _silence(self, seconds: float) -> Samples:
        """Return this much silence, or none if `seconds` is negative."""
        return np.zeros(max(0, round(seconds * self._sample_rate_hz)), np.float32)


def finish_utterance(speech: Speech, sample_rate_hz: int) -> Speech:
    """Return the speech, of any length, limited in level, with exactly `KEPT_SILENCE_SECONDS` at both ends."""
    samples = speech.samples
    start, end = _loud_span(samples, sample_rate_hz)
    margin = _margin(sample_rate_hz)
    kept = _faded(samples[max(0, start - margin) : end + margin], sample_rate_hz)
    missing = max(0, margin - start), max(0, end + margin - len(samples))
    finished = np.pad(limit_peak(kept), missing)
    return Speech(finished, np.clip(speech.edges - (start - margin), 0, len(finished)))


def blend(ending: Samples, beginning: Samples) -> Samples:
    """Join two waveforms with an equal-power cross-fade over the length of the shorter one."""
    count = min(len(ending), len(beginning))
    angle = np.linspace(0, np.pi / 2, count, endpoint=False)
    kept = len(ending) - count
    over = ending[kept:] * np.cos(angle) + beginning[:count] * np.sin(angle)
    return np.concatenate([ending[:kept], over.astype(np.float32), beginning[count:]])


def scale_pauses(speech: Speech, sample_rate_hz: int, scale: float) -> Speech:
    """Scale the pauses inside the speech, not counting the silence left around each."""
    samples, margin = speech.samples, _margin(sample_rate_hz)
    pauses = [(start + margin, end - margin) for start, end in _pauses(samples, sample_rate_hz)]
    edges = [0, *(edge for pause in pauses for edge in pause), len(samples)]
    parts = [_faded(samples[start:end], sample_rate_hz) for start, end in zip(edges[::2], edges[1::2], strict=True)]
    lengths = [round((end - start) * scale) for start, end in pauses]
    for index, length in enumerate(lengths):
        parts[index] = np.pad(parts[index], (0, length))
    kept = [end - start for start, end in pairwise(edges)]
    kept[1::2] = lengths
    moved = np.interp(speech.edges, edges, np.cumsum([0, *kept]))
    return Speech(np.concatenate(parts), np.asarray(np.rint(moved), np.int64))


def limit_peak(samples: Samples) -> Samples:
    """Scale a waveform that would clip down to the limit; leave quieter ones unchanged."""
    peak = float(np.abs(samples).max(initial=0.0))
    return samples if peak <= PEAK_LIMIT else (samples * np.float32(PEAK_LIMIT / peak)).astype(np.float32)


def _margin(sample_rate_hz: int) -> int:
    return round(KEPT_SILENCE_SECONDS * sample_rate_hz)


def _loud_span(samples: Samples, sample_rate_hz: int) -> tuple[int, int]:
    """Return the first sample of speech and the one after the last, or the whole waveform if no window is loud."""
    loud = _loud_windows(samples, sample_rate_hz)
    if not len(loud):
        return 0, len(samples)
    return _start_of_speech(samples, sample_rate_hz), min(len(samples), (int(loud[-1]) + 1) * _window(sample_rate_hz))


def _start_of_speech(samples: Samples, sample_rate_hz: int) -> int:
    """Return the first sample that is not silence, ignoring a click that a pause separates from the speech."""
    window = _window(sample_rate_hz)
    start = int(_loud_windows(samples, sample_rate_hz)[0]) * window
    for silent, speech in _pauses(samples, sample_rate_hz)[:1]:
        first_clear = int(_loud_windows(samples, sample_rate_hz, CLICK_BELOW_LOUDEST_DB)[0]) * window
        if silent - start <= MAX_CLICK_SECONDS * sample_rate_hz and first_clear >= speech:
            return speech
    return start


def _pauses(samples: Samples, sample_rate_hz: int) -> list[tuple[int, int]]:
    """Return the spans of silence inside the speech that are long enough to be pauses."""
    window = _window(sample_rate_hz)
    gaps = (
        (int(before + 1) * window, int(after) * window)
        for before, after in pairwise(_loud_windows(samples, sample_rate_hz))
    )
    return [gap for gap in gaps if gap[1] - gap[0] >= MIN_PAUSE_SECONDS * sample_rate_hz]


def _loud_windows(
    samples: Samples, sample_rate_hz: int, below_loudest_db: float = SILENCE_BELOW_LOUDEST_DB
) -> NDArray[np.intp]:
    """Return the indices of the windows louder than the threshold, in order."""
    window = _window(sample_rate_hz)
    padded = np.pad(samples.astype(np.float64), (0, -len(samples) % window))
    energy = np.square(padded).reshape(-1, window).mean(axis=1)
    return np.flatnonzero(energy > energy.max(initial=0.0) * 10 ** (-below_loudest_db / 10))


def _window(sample_rate_hz: int) -> int:
    return max(1, round(WINDOW_SECONDS * sample_rate_hz))


def _faded(samples: Samples, sample_rate_hz: int) -> Samples:
    count = min(round(FADE_SECONDS * sample_rate_hz), len(samples) // 2)
    faded = samples.copy()
    ramp = np.linspace(0, 1, count, endpoint=False, dtype=np.float32)
    faded[:count] *= ramp
    faded[len(faded) - count :] *= ramp[::-1]
    return faded


def earlier(speech: Speech, samples: int) -> Speech:
    """Shift all phonemes `samples` earlier, clamped at 0."""
    return replace(speech, edges=np.maximum(speech.edges - samples, 0))


def heard_part(speech: Speech, utterance: Utterance) -> Speech:
    """Return the speech of the phonemes of an utterance that are played; the edges of the others are clamped."""
    if utterance.heard is None:
        return speech
    first, end = utterance.heard
    begin = int(speech.edges[first]) if first else 0
    stop = int(speech.edges[end]) if end < len(utterance.phonemes) else len(speech.samples)
    return Speech(speech.samples[begin:stop], np.clip(speech.edges, begin, stop) - begin)


def louder(speech: Speech, gain_db: float) -> Speech:
    """The speech with its samples scaled by a gain."""
    return replace(speech, samples=speech.samples * np.float32(10 ** (gain_db / 20))) if gain_db else speech


def spoken_words(utterance: Utterance, speech: Speech) -> tuple[SpokenWord, ...]:
    """Return the words of an utterance, with their times and those of their phonemes in its finished speech.

    The output for the space before a word sounds like the beginning of the word, so it counts as part of it.
    """
    edges = speech.edges.tolist()
    return tuple(_spoken(word, utterance.phonemes, edges) for word in utterance.words)


def _spoken(word: WrittenWord, symbols: str, edges: Sequence[int]) -> SpokenWord:
    after_space = symbols[: word.first_phoneme].endswith(" ")
    times = edges[word.first_phoneme - after_space], *edges[word.first_phoneme + 1 : word.end_phoneme + 1]
    spoken = zip(symbols[word.first_phoneme : word.end_phoneme], pairwise(times), strict=True)
    phonemes = tuple(SpokenPhoneme(symbol, start, end) for symbol, (start, end) in spoken)
    return SpokenWord(word.start, word.end, times[0], times[-1], phonemes)
