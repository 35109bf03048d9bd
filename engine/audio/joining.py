"""Post-processing of waveforms: silence trimmed, level kept below clipping, one utterance joined to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.speech import Samples, Speech, SpokenPhoneme, SpokenWord, Utterance, WrittenWord

SILENCE_BELOW_LOUDEST_DB = 40.0
"""A window this far below the loudest window is silence."""
WINDOW_SECONDS = 0.01
KEPT_SILENCE_SECONDS = 0.03
"""Kept at both ends, so that soft onsets and releases are not cut; without a pause, two of them are cross-faded."""
FADE_SECONDS = 0.005
PEAK_LIMIT = 0.99
SHORTEST_PAUSE_SECONDS = 0.15
"""Silence inside an utterance is a pause if it is at least this long; the closures of consonants are shorter."""
MAX_CLICK_SECONDS = 0.03
CLICK_BELOW_LOUDEST_DB = 25.0
"""A sound at the start that is no longer and no louder than this, with a pause after it, is no phoneme: the starter
begins some utterances so."""


class AudioConcatenator:
    """Makes chunks of consecutive utterances that follow each other without a click, a gap or a lost sample.

    Without a pause between them, the silence after one utterance and that before the next are cross-faded at equal
    power: the end of a chunk, `KEPT_SILENCE_SECONDS`, is held back for the next one. `pause_scale` makes all pauses
    longer or shorter, including those inside an utterance. Phonemes keep to their sounds: where silence is cut off or
    held back, they end with their chunk.
    """

    def __init__(self, sample_rate_hz: int, pause_scale: float = 1.0) -> None:
        self._sample_rate_hz = sample_rate_hz
        self._pause_scale = pause_scale
        self._held = np.zeros(0, np.float32)

    def chunk(self, raw: Speech, utterance: Utterance, *, last: bool) -> Speech:
        """What to play next: the finished speech of `raw`, any number of samples, and the pauses around it.

        The silence kept around speech is a part of the rests that the writer asks for, which are not scaled.
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
        """So much silence, or none for a negative number."""
        return np.zeros(max(0, round(seconds * self._sample_rate_hz)), np.float32)


def finish_utterance(speech: Speech, sample_rate_hz: int) -> Speech:
    """The speech, any number of samples, below clipping, between exactly `KEPT_SILENCE_SECONDS` at both ends."""
    samples = speech.samples
    start, end = _loud_span(samples, sample_rate_hz)
    margin = _margin(sample_rate_hz)
    kept = _faded(samples[max(0, start - margin) : end + margin], sample_rate_hz)
    missing = max(0, margin - start), max(0, end + margin - len(samples))
    finished = np.pad(limit_peak(kept), missing)
    return Speech(finished, np.clip(speech.edges - (start - margin), 0, len(finished)))


def blend(ending: Samples, beginning: Samples) -> Samples:
    """The two waveforms joined, with an equal-power cross-fade over the length of the shorter one."""
    count = min(len(ending), len(beginning))
    angle = np.linspace(0, np.pi / 2, count, endpoint=False)
    kept = len(ending) - count
    over = ending[kept:] * np.cos(angle) + beginning[:count] * np.sin(angle)
    return np.concatenate([ending[:kept], over.astype(np.float32), beginning[count:]])


def scale_pauses(speech: Speech, sample_rate_hz: int, scale: float) -> Speech:
    """The speech with its inner pauses `scale` times as long, not counting the silence kept around speech."""
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
    """Scale a waveform that would clip down to the limit; leave quieter ones untouched."""
    peak = float(np.abs(samples).max(initial=0.0))
    return samples if peak <= PEAK_LIMIT else (samples * np.float32(PEAK_LIMIT / peak)).astype(np.float32)


def _margin(sample_rate_hz: int) -> int:
    return round(KEPT_SILENCE_SECONDS * sample_rate_hz)


def _loud_span(samples: Samples, sample_rate_hz: int) -> tuple[int, int]:
    """The first sample of speech and the one after the last; the whole waveform if no part is louder than the rest."""
    loud = _loud_windows(samples, sample_rate_hz)
    if not len(loud):
        return 0, len(samples)
    return _start_of_speech(samples, sample_rate_hz), min(len(samples), (int(loud[-1]) + 1) * _window(sample_rate_hz))


def _start_of_speech(samples: Samples, sample_rate_hz: int) -> int:
    """The first sample that is not silence, not counting a click that a pause parts from the speech."""
    window = _window(sample_rate_hz)
    start = int(_loud_windows(samples, sample_rate_hz)[0]) * window
    for silent, speech in _pauses(samples, sample_rate_hz)[:1]:
        first_clear = int(_loud_windows(samples, sample_rate_hz, CLICK_BELOW_LOUDEST_DB)[0]) * window
        if silent - start <= MAX_CLICK_SECONDS * sample_rate_hz and first_clear >= speech:
            return speech
    return start


def _pauses(samples: Samples, sample_rate_hz: int) -> list[tuple[int, int]]:
    """The spans of silence between stretches of speech that are long enough to be pauses."""
    window = _window(sample_rate_hz)
    gaps = (
        (int(before + 1) * window, int(after) * window)
        for before, after in pairwise(_loud_windows(samples, sample_rate_hz))
    )
    return [gap for gap in gaps if gap[1] - gap[0] >= SHORTEST_PAUSE_SECONDS * sample_rate_hz]


def _loud_windows(
    samples: Samples, sample_rate_hz: int, below_loudest_db: float = SILENCE_BELOW_LOUDEST_DB
) -> NDArray[np.intp]:
    """The windows that are louder than this, in order."""
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
    """The speech with all phonemes so many samples earlier, none of them before its beginning."""
    return replace(speech, edges=np.maximum(speech.edges - samples, 0))


def spoken_words(utterance: Utterance, speech: Speech) -> tuple[SpokenWord, ...]:
    """The words of an utterance with their times in its finished speech, and those of their phonemes.

    What the model does in the frames of the space before a word sounds as the word's beginning, so they belong to it.
    """
    edges = speech.edges.tolist()
    return tuple(_spoken(word, utterance.phonemes, edges) for word in utterance.words)


def _spoken(word: WrittenWord, symbols: str, edges: Sequence[int]) -> SpokenWord:
    after_space = symbols[: word.first_phoneme].endswith(" ")
    times = edges[word.first_phoneme - after_space], *edges[word.first_phoneme + 1 : word.end_phoneme + 1]
    spoken = zip(symbols[word.first_phoneme : word.end_phoneme], pairwise(times), strict=True)
    phonemes = tuple(SpokenPhoneme(symbol, start, end) for symbol, (start, end) in spoken)
    return SpokenWord(word.start, word.end, times[0], times[-1], phonemes)
