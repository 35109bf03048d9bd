"""Writes speech to a file in the format that its suffix names, whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path

import soundfile

from engine.errors import OutputError
from engine.speech import Samples
from engine.system.whole_file import whole_file

FORMATS = {".wav": "WAV", ".flac": "FLAC", ".mp3": "MP3", ".ogg": "OGG"}
"""Suffixes with libsndfile's names of their formats, each of which it writes with its usual encoding."""
_BLOCK_SAMPLES = 1 << 16
"""libsndfile's Vorbis encoder overflows the stack when it is given a long speech at once."""


def writable_suffixes() -> tuple[str, ...]:
    """The suffixes of the formats that the libsndfile of this machine can write, WAV first."""
    available = soundfile.available_formats()
    return tuple(suffix for suffix, name in FORMATS.items() if name in available)


def format_for(path: Path) -> str:
    """The format that the suffix of a path names; a device or pipe gets WAV.

    Raises `OutputError` with the suffixes that can be written if this one cannot.
    """
    suffixes = writable_suffixes()
    if path.suffix.lower() in suffixes:
        return FORMATS[path.suffix.lower()]
    if path.exists() and not path.is_file() and not path.is_dir():
        return FORMATS[".wav"]
    what = f"Speech cannot be written as {path.suffix}" if path.suffix else f"{path.name} has no suffix"
    choices = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
    raise OutputError(f"{what}.", f"Give the file a name that ends in {choices}.")


def save_speech(path: Path, samples: Samples, sample_rate_hz: int) -> None:
    """Write mono `samples` [n] float32 in [-1, 1]; an existing file is replaced only by a whole one.

    Raises `OutputError` for a suffix that names no format, a missing or read-only folder, or a full disk.
    """
    content = _encoded(samples, sample_rate_hz, format_for(path))
    with whole_file(path) as file:
        file.write(content)


def _encoded(samples: Samples, sample_rate_hz: int, file_format: str) -> memoryview:
    """A whole file; encoded in memory, since an error in a file of Python's is lost within libsndfile."""
    buffer = io.BytesIO()
    with soundfile.SoundFile(buffer, "w", sample_rate_hz, channels=1, format=file_format) as file:
        for start in range(0, len(samples), _BLOCK_SAMPLES):
            file.write(samples[start : start + _BLOCK_SAMPLES])
    return buffer.getbuffer()
