"""How many words a speech recogniser gets wrong: pocketsphinx with its bundled US English model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.signal import resample_poly

from engine.errors import EngineError

RECOGNISER_RATE_HZ = 16_000
MARGIN_SECONDS = 0.2
PEAK = 0.6


@dataclass(frozen=True)
class WordCount:
    """Words of some sentences, and how many edits turn the recognised words into the spoken ones."""

    words: int
    errors: int

    @property
    def rate(self) -> float:
        """Word error rate."""
        return self.errors / self.words if self.words else 0.0

    def __add__(self, other: WordCount) -> WordCount:
        return WordCount(self.words + other.words, self.errors + other.errors)


class Recogniser:
    """One pocketsphinx decoder; raises `EngineError` with the installing command when it is missing."""

    def __init__(self) -> None:
        try:
            from pocketsphinx import Decoder
        except ImportError as error:
            raise EngineError(
                "The speech recogniser pocketsphinx is not installed.",
                "Install it in the program's folder with .venv/bin/python -m pip install '.[train]'.",
            ) from error
        self._decoder = Decoder(samprate=RECOGNISER_RATE_HZ, loglevel="FATAL")

    def hear(self, samples: npt.NDArray[np.float32], sample_rate_hz: int) -> str:
        """The words that the recogniser understands."""
        divisor = int(np.gcd(RECOGNISER_RATE_HZ, sample_rate_hz))
        audio = resample_poly(samples, RECOGNISER_RATE_HZ // divisor, sample_rate_hz // divisor)
        audio = np.pad(audio * PEAK / (np.abs(audio).max() + 1e-6), round(MARGIN_SECONDS * RECOGNISER_RATE_HZ))
        self._decoder.start_utt()
        self._decoder.process_raw((audio * np.iinfo(np.int16).max).astype(np.int16).tobytes(), full_utt=True)
        self._decoder.end_utt()
        hypothesis = self._decoder.hyp()
        return str(hypothesis.hypstr) if hypothesis else ""

    def count(self, said: str, samples: npt.NDArray[np.float32], sample_rate_hz: int) -> WordCount:
        """Words and word errors of one sentence."""
        reference = words(said)
        return WordCount(len(reference), edit_distance(reference, words(self.hear(samples, sample_rate_hz))))


def words(text: str) -> list[str]:
    """Lower-case words without punctuation."""
    return re.sub("[^a-z' ]", " ", text.lower()).split()


def edit_distance(left: Sequence[str], right: Sequence[str]) -> int:
    """Insertions, deletions and substitutions between two sequences."""
    row = list(range(len(right) + 1))
    for count, item in enumerate(left, 1):
        diagonal, row[0] = row[0], count
        for column, other in enumerate(right, 1):
            changed = diagonal + (item != other)
            diagonal, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, changed)
    return row[-1]
