"""The waveforms of a validation as audio files: the reference, every regime, and their differences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.audio.sound_file import save_wav
from engine.config import SAMPLE_RATE_HZ
from engine.speech import Samples
from engine.stages import STAGES
from engine.system.atomic_write import write_error
from engine.validator.data.results import InputSource
from engine.validator.runs.arrays import Arrays

_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")
(_AUDIO,) = (tensor.name for tensor in STAGES[-1].outputs)


def write_wavs(folder: Path, arrays: Arrays, reference: str) -> tuple[Path, ...]:
    """Write every waveform as a float32 WAV file and return the paths; creates the folder if it is missing.

    Raises `OutputError` if the disk is full or the folder cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(folder, error) from error
    return tuple(_written(folder / name, samples) for name, samples in waveforms(arrays, reference))


def waveforms(arrays: Arrays, reference: str) -> Iterator[tuple[str, Samples]]:
    """Yield file names with samples [n]: each end-to-end waveform, then its difference from the reference.

    Waveforms of different lengths have no difference: it would set silence against speech.
    """
    keys = [key for key in arrays.entries() if key.output == _AUDIO and key.reading is InputSource.END_TO_END]
    for utterance in dict.fromkeys(key.utterance for key in keys):
        spoken = {key.regime: waveform(arrays, utterance, key.regime) for key in keys if key.utterance == utterance}
        start, expected = f"utterance-{utterance + 1:02d}", spoken.get(reference)
        for regime, samples in spoken.items():
            yield f"{start}-{_file_name(regime)}.wav", samples
            if regime != reference and expected is not None and len(expected) == len(samples):
                yield f"{start}-{_file_name(regime)}-minus-{_file_name(reference)}.wav", samples - expected


def waveform(arrays: Arrays, utterance: int, regime: str) -> Samples:
    """Return a regime's end-to-end waveform: samples [n] float32, read-only; raises `EngineError` if missing."""
    return np.asarray(arrays.load(utterance, regime, InputSource.END_TO_END, _AUDIO), np.float32).reshape(-1)


def _written(path: Path, samples: Samples) -> Path:
    save_wav(path, samples, SAMPLE_RATE_HZ, "FLOAT")
    return path


def _file_name(regime: str) -> str:
    return _NOT_IN_FILE_NAMES.sub("-", regime)
