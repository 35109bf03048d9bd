"""Writes speech to a WAV file, whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Literal

import numpy as np
import soundfile

from engine.speech import Samples
from engine.system.whole_file import whole_file

SampleFormat = Literal["PCM_16", "FLOAT"]


def save_wav(path: Path, samples: Samples, sample_rate_hz: int, sample_format: SampleFormat = "PCM_16") -> None:
    """Write mono `samples` [n] float32 in [-1, 1]; an existing file is replaced only by a whole one.

    Raises `OutputError` with one sentence when the folder is missing or read-only or the disk is full.
    """
    with whole_file(path) as file:
        file.write(encode_wav(samples, sample_rate_hz, sample_format))


def encode_wav(samples: Samples, sample_rate_hz: int, sample_format: SampleFormat) -> bytes:
    """A whole WAV file of mono `samples` [n] float32; `FLOAT` keeps every bit, `PCM_16` clips beyond [-1, 1]."""
    buffer = io.BytesIO()
    soundfile.write(buffer, np.asarray(samples, np.float32), sample_rate_hz, format="WAV", subtype=sample_format)
    return buffer.getvalue()
