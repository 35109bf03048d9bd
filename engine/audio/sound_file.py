"""Audio files in the format that the suffix names, written incrementally; only complete files appear."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

import numpy as np
import soundfile

from engine.audio import coders
from engine.audio.audio_book import AudioBook
from engine.audio.coders import LosslessCoder
from engine.audio.recording import Pcm, Recording, Tags, to_pcm
from engine.errors import OutputError
from engine.speech import Samples
from engine.system.atomic_write import atomic_write

AUDIO_BOOK, AUDIO = ".m4b", ".m4a"
_BLOCK_SAMPLES = 1 << 16
"""The maximum number of samples per write: libsndfile's Vorbis encoder overflows the stack on long audio."""
SampleFormat = Literal["PCM_16", "FLOAT"]


@dataclass(frozen=True)
class Format:
    """libsndfile's names of a format and its default encoding, and the typical bit rate of speech."""

    name: str
    encoding: str
    bits_per_second: int


@dataclass(frozen=True)
class Coding:
    """The size of encoded speech; `name` is the codec and `program` the encoder, if they differ by machine."""

    bits_per_second: int
    name: str = ""
    program: str = ""

    def megabytes(self, seconds: float) -> float:
        """Return the size of speech of this length [MB]."""
        return self.bits_per_second * seconds / 8 / 1_000_000


_MP4 = Format("CAF", "ALAC_16", 193_000)
FORMATS = {
    ".wav": Format("WAV", "PCM_16", 384_000),
    ".flac": Format("FLAC", "PCM_16", 197_000),
    ".mp3": Format("MP3", "MPEG_LAYER_III", 61_000),
    ".ogg": Format("OGG", "VORBIS", 51_000),
    ".opus": Format("OGG", "OPUS", 35_000),
    AUDIO_BOOK: _MP4,
    AUDIO: _MP4,
}
"""The formats by suffix; MP4 packets come from libsndfile unless a program encodes AAC."""


def writable_suffixes() -> tuple[str, ...]:
    """Return the suffixes of the formats that the installed libsndfile can write, WAV first."""
    return tuple(suffix for suffix, each in FORMATS.items() if soundfile.check_format(each.name, each.encoding))


def format_for(path: Path) -> Format:
    """Return the format that the suffix of a path names; a device or pipe gets WAV.

    Raises `OutputError` with the supported suffixes if this one is not supported.
    """
    suffixes = writable_suffixes()
    if path.suffix.lower() in suffixes:
        return FORMATS[path.suffix.lower()]
    if os.path.exists(path) and not path.is_file() and not path.is_dir():  # False for names too long
        return FORMATS[".wav"]
    what = f"Audio can’t be saved as {path.suffix}" if path.suffix else f"{path.name or path} has no suffix"
    choices = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
    raise OutputError(f"{what}.", f"Use a file name that ends in {choices}.")


@contextmanager
def recording(path: Path, sample_rate_hz: int, tags: Tags | None = None) -> Iterator[Recording]:
    """Open an audio file to append to.

    It replaces `path` when the block ends without an error; otherwise `path` stays unchanged. Raises `OutputError` for
    an unsupported suffix, a missing or read-only folder, or a full disk.
    """
    format_for(path)
    with atomic_write(path) as file:
        content = file if file.seekable() else io.BytesIO()  # a pipe gets everything at the end
        with closing(_begun(content, path, sample_rate_hz, tags or Tags())) as growing:
            yield growing
            for _ in growing.finish():  # does nothing if the caller has already finished it
                pass
        if isinstance(content, io.BytesIO):
            file.write(content.getbuffer())


def coding_of(suffix: str) -> Coding:
    """Return how a format is encoded on this machine."""
    file_format = FORMATS[suffix]
    if file_format is not _MP4:
        return Coding(file_format.bits_per_second)
    program = coders.aac_program()
    if program is None:
        return Coding(file_format.bits_per_second, "Apple Lossless")
    return Coding(coders.BITS_PER_SECOND, "AAC", program.stem)


def _begun(file: IO[bytes], path: Path, sample_rate_hz: int, tags: Tags) -> Recording:
    file_format = format_for(path)
    if file_format is not _MP4:
        return _CodedFile(file, sample_rate_hz, file_format, tags)
    program = coders.aac_program() if sample_rate_hz in coders.RATES_HZ else None
    coder = LosslessCoder(sample_rate_hz) if program is None else coders.aac_coder(program, sample_rate_hz)
    return AudioBook(file, sample_rate_hz, tags, coder, book=path.suffix.lower() == AUDIO_BOOK)


def save_speech(path: Path, samples: Samples, sample_rate_hz: int) -> None:
    """Write mono `samples` [n] float32 in [-1, 1]; an existing file is replaced only by a complete one.

    Raises `OutputError` for an unsupported suffix, a missing or read-only folder, or a full disk.
    """
    with recording(path, sample_rate_hz) as file:
        for start in range(0, len(samples), _BLOCK_SAMPLES):
            file.write(to_pcm(samples[start : start + _BLOCK_SAMPLES]))


class _CodedFile:
    """Writes a file with libsndfile."""

    def __init__(self, file: IO[bytes], sample_rate_hz: int, file_format: Format, tags: Tags) -> None:
        self._target = _Target(file)
        with self._target.telling():
            self._file = soundfile.SoundFile(
                self._target, "w", sample_rate_hz, 1, file_format.encoding, format=file_format.name
            )
            for name, value in _named(tags).items():
                setattr(self._file, name, value)

    def begin_chapter(self, title: str) -> None:
        """Do nothing: the format has no chapters."""

    def write(self, pcm: Pcm) -> None:
        """Append mono samples [n]."""
        for start in range(0, len(pcm), _BLOCK_SAMPLES):
            with self._target.telling():
                self._file.write(pcm[start : start + _BLOCK_SAMPLES])

    def finish(self) -> Iterator[None]:
        """Do nothing: `close` writes the rest, which takes no time."""
        yield from ()

    def close(self) -> None:
        """Write the samples that the encoder holds back, and the header."""
        with self._target.telling():
            self._file.close()


class _Target:
    """A file for libsndfile, which loses Python exceptions: the error is stored here and raised afterwards."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._error: OSError | None = None

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Raise any file error that occurred inside the block, when the block ends."""
        try:
            yield
        except (soundfile.SoundFileError, AssertionError):  # libsndfile's errors after a failed file operation
            if self._error is None:
                raise
        if self._error is not None:
            raise self._error

    def write(self, content: bytes) -> int:
        """Write the content and return the number of bytes written."""
        return self._kept(self._file.write, content)

    def seek(self, offset: int, origin: int) -> int:
        """Move to this position and return it."""
        return self._kept(self._file.seek, offset, origin)

    def tell(self) -> int:
        """Return the current position."""
        return self._kept(self._file.tell)

    def _kept(self, do: Callable[..., int], *arguments: object) -> int:
        if self._error is None:
            try:
                return do(*arguments)
            except OSError as error:
                self._error = error
        return 0


def _named(tags: Tags) -> dict[str, str]:
    """Return the tags that are set, under libsndfile's names."""
    track = str(tags.track) if tags.track else ""
    named = {"title": tags.title, "artist": tags.author, "album": tags.album, "tracknumber": track}
    return {name: value for name, value in named.items() if value}


def save_wav(path: Path, samples: Samples, sample_rate_hz: int, sample_format: SampleFormat = "PCM_16") -> None:
    """Write mono `samples` [n] float32 in [-1, 1]; an existing file is replaced only by a complete one.

    Raises `OutputError` if the folder is missing or read-only or if the disk is full.
    """
    with atomic_write(path) as file:
        file.write(encode_wav(samples, sample_rate_hz, sample_format))


def encode_wav(samples: Samples, sample_rate_hz: int, sample_format: SampleFormat) -> bytes:
    """Encode a WAV file of mono `samples` [n] float32; `FLOAT` is exact, `PCM_16` clips beyond [-1, 1]."""
    buffer = io.BytesIO()
    soundfile.write(buffer, np.asarray(samples, np.float32), sample_rate_hz, format="WAV", subtype=sample_format)
    return buffer.getvalue()
