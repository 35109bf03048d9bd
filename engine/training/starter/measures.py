"""Measures speech: the word error rate of a recognizer, and the opinion score of a network, DNSMOS."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.signal import resample_poly

from engine.errors import EngineError

RECOGNIZER_RATE_HZ = 16_000
MARGIN_SECONDS = 0.2
PEAK = 0.6


@dataclass(frozen=True)
class WordCount:
    """The number of words of some sentences, and of edits between the recognized and the spoken ones."""

    words: int
    errors: int

    @property
    def rate(self) -> float:
        """The word error rate."""
        return self.errors / self.words if self.words else 0.0

    def __add__(self, other: WordCount) -> WordCount:
        return WordCount(self.words + other.words, self.errors + other.errors)


class Recognizer:
    """One pocketsphinx decoder; raises `EngineError` with the installation command if it is missing."""

    def __init__(self) -> None:
        try:
            from pocketsphinx import Decoder
        except ImportError as error:
            raise EngineError(
                "The speech recognizer pocketsphinx isn’t installed.",
                "Install it in the project folder with .venv/bin/python -m pip install '.[train]'.",
            ) from error
        self._decoder = Decoder(samprate=RECOGNIZER_RATE_HZ, loglevel="FATAL")

    def hear(self, samples: npt.NDArray[np.float32], sample_rate_hz: int) -> str:
        """Return the recognized words."""
        divisor = int(np.gcd(RECOGNIZER_RATE_HZ, sample_rate_hz))
        audio = resample_poly(samples, RECOGNIZER_RATE_HZ // divisor, sample_rate_hz // divisor)
        audio = np.pad(audio * PEAK / (np.abs(audio).max() + 1e-6), round(MARGIN_SECONDS * RECOGNIZER_RATE_HZ))
        self._decoder.start_utt()
        self._decoder.process_raw((audio * np.iinfo(np.int16).max).astype(np.int16).tobytes(), full_utt=True)
        self._decoder.end_utt()
        hypothesis = self._decoder.hyp()
        return str(hypothesis.hypstr) if hypothesis else ""

    def count(self, said: str, samples: npt.NDArray[np.float32], sample_rate_hz: int) -> WordCount:
        """Return the numbers of words and word errors of one sentence."""
        reference = words(said)
        return WordCount(len(reference), edit_distance(reference, words(self.hear(samples, sample_rate_hz))))


def words(text: str) -> list[str]:
    """Return lowercase words without punctuation."""
    return re.sub("[^a-z' ]", " ", text.lower()).split()


def edit_distance(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the number of insertions, deletions and substitutions between two sequences."""
    row = list(range(len(right) + 1))
    for count, item in enumerate(left, 1):
        diagonal, row[0] = row[0], count
        for column, other in enumerate(right, 1):
            changed = diagonal + (item != other)
            diagonal, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, changed)
    return row[-1]


DNSMOS_RATE_HZ = 16_000
WINDOW_SAMPLES = 144_160
"""The input length of the network, 9.01 seconds; shorter speech is repeated, as DNSMOS prescribes."""
MODEL_PATH = Path("dnsmos_models") / "sig_bak_ovr.onnx"
OVERALL = -1
"""The last of its three outputs: signal, background, overall."""
OVERALL_POLYNOMIAL = (-0.06766283, 1.11546468, 0.04602535)
"""The polynomial from the network's output to the scale from 1 to 5 (DNSMOS P.835), highest power first."""


class DnsmosScore:
    """One DNSMOS network; raises `EngineError` with the installation command if a package is missing."""

    def __init__(self) -> None:
        found = importlib.util.find_spec("speechmos")
        if found is None or not found.submodule_search_locations or importlib.util.find_spec("onnxruntime") is None:
            raise EngineError(
                "The DNSMOS models aren’t installed.",
                "Install them in the project folder with .venv/bin/python -m pip install '.[train]'.",
            )
        import onnxruntime

        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 1
        path = Path(found.submodule_search_locations[0]) / MODEL_PATH
        self._session: Any = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])

    def overall(self, samples: npt.NDArray[np.float32], sample_rate_hz: int) -> float:
        """Return the overall score, from 1 (bad) to 5 (excellent), of the first nine seconds."""
        divisor = int(np.gcd(DNSMOS_RATE_HZ, sample_rate_hz))
        audio = resample_poly(samples, DNSMOS_RATE_HZ // divisor, sample_rate_hz // divisor)
        window = np.resize(audio, WINDOW_SAMPLES).astype(np.float32)[None]
        outputs = self._session.run(None, {self._session.get_inputs()[0].name: window})[0]
        return float(np.polyval(OVERALL_POLYNOMIAL, outputs[0, OVERALL]))
