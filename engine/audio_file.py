"""Writes speech to a WAV file, whole or not at all.

It does not know how the samples were made.
"""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import Literal

import numpy as np
import soundfile

from engine.errors import OutputError
from engine.speech import Samples

SampleFormat = Literal["PCM_16", "FLOAT"]


def save_wav(path: Path, samples: Samples, sample_rate_hz: int, sample_format: SampleFormat = "PCM_16") -> None:
    """Write mono `samples` [n] float32 in [-1, 1]; an existing file is replaced only by a whole one.

    Raises `OutputError` with one sentence when the folder is missing or read-only or the disk is full.
    """
    ensure_writable(path)
    try:
        _replace(path, encode_wav(samples, sample_rate_hz, sample_format))
    except OSError as error:
        raise write_error(path, error) from error


def ensure_writable(path: Path) -> None:
    """Raise `OutputError` when a file cannot be created here; asked before the work, so nothing is lost."""
    folder = path.absolute().parent
    if path.is_dir():
        raise OutputError(f"{path} is a folder.", "Name a file in it, such as speech.wav.")
    if not folder.is_dir():
        raise OutputError(f"The folder {folder} does not exist.", "Create it or choose another place.")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"The folder {folder} is read-only.", "Choose a folder you may write to.")


def encode_wav(samples: Samples, sample_rate_hz: int, sample_format: SampleFormat) -> bytes:
    """A whole WAV file of mono `samples` [n] float32; `FLOAT` keeps every bit, `PCM_16` clips beyond [-1, 1]."""
    buffer = io.BytesIO()
    soundfile.write(buffer, np.asarray(samples, np.float32), sample_rate_hz, format="WAV", subtype=sample_format)
    return buffer.getvalue()


def write_error(path: Path, error: OSError) -> OutputError:
    """What kept `path` from being written, in one sentence, and what to do."""
    if error.errno == errno.ENOSPC:
        return OutputError(f"The disk is full; {path} was not written.", "Free some room or choose another place.")
    if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return OutputError(f"{path} may not be written here.", "Choose a folder you may write to.")
    return OutputError(f"{path} could not be written ({error.strerror}).", "Choose another place.")


def _replace(path: Path, content: bytes) -> None:
    if path.exists() and not path.is_file():  # a device or pipe is written to, never replaced
        path.write_bytes(content)
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
