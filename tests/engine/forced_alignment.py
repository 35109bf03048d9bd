"""Locates spoken words with pocketsphinx, from the audio and the text alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from pocketsphinx import Decoder
from scipy.signal import resample_poly

RATE_HZ = 16_000
FRAMES_PER_SECOND = 100
MARGIN_SECONDS = 0.2
PEAK = 0.6
SILENCES = ("<", "[")


@dataclass(frozen=True)
class HeardWord:
    """A word, and its start and end in seconds."""

    text: str
    start_seconds: float
    end_seconds: float


class Aligner:
    """Aligns US English speech with its text."""

    def __init__(self) -> None:
        self._decoder = Decoder(samprate=RATE_HZ, loglevel="FATAL", bestpath=False)

    def align(self, text: str, samples: np.ndarray, sample_rate_hz: int) -> list[HeardWord]:
        """Return the words of the text in order; all of them must be in the aligner's dictionary."""
        divisor = int(np.gcd(RATE_HZ, sample_rate_hz))
        audio = resample_poly(samples, RATE_HZ // divisor, sample_rate_hz // divisor)
        audio = np.pad(audio * PEAK / np.abs(audio).max(), round(MARGIN_SECONDS * RATE_HZ))
        self._decoder.set_align_text(re.sub("[^a-z' ]", "", text.lower()))
        self._decoder.start_utt()
        self._decoder.process_raw((audio * np.iinfo(np.int16).max).astype(np.int16).tobytes(), full_utt=True)
        self._decoder.end_utt()
        return [
            HeardWord(segment.word, _seconds(segment.start_frame), _seconds(segment.end_frame + 1))
            for segment in self._decoder.seg()
            if not segment.word.startswith(SILENCES)
        ]


def _seconds(frame: int) -> float:
    return frame / FRAMES_PER_SECOND - MARGIN_SECONDS
