"""Response bodies that grow with the speech: encoded audio, or server-sent events with it and the times of words."""

from __future__ import annotations

import base64
import json
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engine.audio.recording import Pcm, to_pcm
from engine.audio.sound_file import FORMATS as FILE_FORMATS
from engine.audio.stretching import stretched
from engine.audio.subtitles.timed_words import timed_words
from engine.errors import EngineError
from engine.server.errors import error_object
from engine.speech import AudioChunk, SpokenWord

_BLOCK_SAMPLES = 1 << 12
_UNKNOWN_BYTES = 0xFFFFFFFF
"""The size in the header of a WAV stream whose length is unknown; players then read to the end."""
_WAV_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
_SAMPLE_BYTES = 2
_MP3_HEADER_BYTES = 4
_MP3_SYNC_BYTES = 2
_MP3_COMPRESSION = 0.6
"""libsndfile's number for 64 kbit/s. At a variable rate, players guess the length of a stream, and guess wrong."""


class Encoder(Protocol):
    """Encodes 16-bit mono samples while they arrive."""

    def encode(self, pcm: Pcm, *, whole: bool) -> Iterator[bytes]:
        """Yield bytes as they are ready; samples that are `whole` are all of the audio."""

    def end(self) -> bytes:
        """Return the last bytes."""


class _Plain:
    """16-bit little-endian samples, after a WAV header if `header`."""

    def __init__(self, sample_rate_hz: int, *, header: bool) -> None:
        self._sample_rate_hz = sample_rate_hz
        self._header = header

    def encode(self, pcm: Pcm, *, whole: bool) -> Iterator[bytes]:
        content = pcm.astype("<i2").tobytes()
        if self._header:
            self._header = False
            content = wav_header(self._sample_rate_hz, len(content) if whole else None) + content
        yield content

    def end(self) -> bytes:
        return b""


def wav_header(sample_rate_hz: int, content_bytes: int | None) -> bytes:
    """Return the header of a mono 16-bit WAV file; its sizes say "unknown" if `content_bytes` is None."""
    riff_bytes = _UNKNOWN_BYTES if content_bytes is None else content_bytes + _WAV_HEADER.size - 8
    data_bytes = _UNKNOWN_BYTES if content_bytes is None else content_bytes
    integers, mono = 1, 1
    return _WAV_HEADER.pack(
        b"RIFF", riff_bytes, b"WAVE", b"fmt ", 16, integers, mono, sample_rate_hz, sample_rate_hz * _SAMPLE_BYTES,
        _SAMPLE_BYTES, 8 * _SAMPLE_BYTES, b"data", data_bytes,
    )  # fmt: skip


class _Outgoing:
    """A file for libsndfile, whose bytes can be taken while it is written.

    At the end, libsndfile returns to the start and completes the header. That works only while the start is here; once
    taken, bytes cannot change, and the change is lost. FLAC's header then leaves out the length, and Ogg's is complete
    from the start.
    """

    def __init__(self) -> None:
        self._content = bytearray()
        self._taken = self._position = 0

    def write(self, content: bytes) -> int:
        content = bytes(content)
        kept = content[max(0, self._taken - self._position) :]
        start = max(0, self._position - self._taken)
        self._content[start : start + len(kept)] = kept
        self._position += len(content)
        return len(content)

    def seek(self, offset: int, origin: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._taken + len(self._content)}[origin]
        self._position = start + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def pop_bytes(self) -> bytes:
        """Return the bytes since the last call."""
        content = bytes(self._content)
        self._taken += len(content)
        self._content.clear()
        return content


class _Coded:
    """A format of libsndfile's."""

    def __init__(self, sample_rate_hz: int, suffix: str) -> None:
        import soundfile  # takes a moment, and raw audio does not need it

        each = FILE_FORMATS[suffix]
        self._starts_blank, self._is_ogg = suffix == ".mp3", suffix == ".opus"
        rate = {"bitrate_mode": "CONSTANT", "compression_level": _MP3_COMPRESSION} if self._starts_blank else {}
        self._sent = _Outgoing()
        self._file = soundfile.SoundFile(self._sent, "w", sample_rate_hz, 1, each.encoding, format=each.name, **rate)

    def encode(self, pcm: Pcm, *, whole: bool) -> Iterator[bytes]:
        for start in range(0, len(pcm), _BLOCK_SAMPLES):
            self._file.write(pcm[start : start + _BLOCK_SAMPLES])
            if not whole or self._is_ogg:  # other files are complete in a moment, with their length in the header
                yield self._ready()

    def _ready(self) -> bytes:
        content = self._sent.pop_bytes()
        if self._starts_blank and content:
            self._starts_blank = False
            return without_blank_frame(content)
        return content

    def end(self) -> bytes:
        self._file.close()
        return self._sent.pop_bytes()


def without_blank_frame(content: bytes) -> bytes:
    """Return an MP3 stream without an empty first frame, which holds the place of metadata and would add silence."""
    later = content.find(content[:_MP3_SYNC_BYTES], _MP3_HEADER_BYTES)
    return content[later:] if later > 0 and not any(content[_MP3_HEADER_BYTES:later]) else content


@dataclass(frozen=True)
class ResponseFormat:
    """A format of audio in a response: its media type, and the suffix of its files; raw samples have none."""

    media_type: str
    suffix: str


FORMATS: Mapping[str, ResponseFormat] = {
    "mp3": ResponseFormat("audio/mpeg", ".mp3"),
    "opus": ResponseFormat("audio/ogg", ".opus"),
    "flac": ResponseFormat("audio/flac", ".flac"),
    "wav": ResponseFormat("audio/wav", ".wav"),
    "pcm": ResponseFormat("audio/pcm", ""),
}
"""The formats by the names of OpenAI's API."""


def encoder_of(audio_format: str, sample_rate_hz: int) -> Encoder:
    """Return a new encoder of one of `FORMATS`."""
    suffix = FORMATS[audio_format].suffix
    if suffix in ("", ".wav"):
        return _Plain(sample_rate_hz, header=bool(suffix))
    return _Coded(sample_rate_hz, suffix)


class AudioBody:
    """A response body of encoded audio."""

    def __init__(self, audio_format: str, sample_rate_hz: int, times_faster: float = 1.0) -> None:
        self.media_type = FORMATS[audio_format].media_type
        self._encoder = encoder_of(audio_format, sample_rate_hz)
        self._times_faster = times_faster
        self.samples = 0

    def add(self, chunk: AudioChunk) -> Iterator[bytes]:
        """Yield the bytes of the next chunk as they are ready."""
        samples = chunk.samples
        if self._times_faster != 1:
            samples = stretched(samples, self._times_faster, chunk.sample_rate_hz)
        self.samples += len(samples)
        yield from self._encoder.encode(to_pcm(np.asarray(samples)), whole=chunk.utterance_count == 1)

    def end(self) -> bytes:
        """Return the last bytes."""
        return self._encoder.end()


class EventBody:
    """A response body of server-sent events: `speech.audio.delta` for each piece of audio, `speech.audio.done`.

    With `words`, `speech.audio.words` follows each piece: its words, with their times in seconds in the whole audio.
    """

    media_type = "text/event-stream"

    def __init__(
        self, audio_format: str, text: str, sample_rate_hz: int, times_faster: float = 1.0, *, words: bool = False
    ) -> None:
        self._audio = AudioBody(audio_format, sample_rate_hz, times_faster)
        self._text = text
        self._sample_rate_hz = sample_rate_hz
        self._times_faster = times_faster
        self._words = words
        self._phonemes = 0

    def add(self, chunk: AudioChunk) -> Iterator[bytes]:
        """Yield the events of the next chunk as they are ready."""
        start_seconds = self._audio.samples / self._sample_rate_hz
        yield from map(self._delta, self._audio.add(chunk))
        self._phonemes += len(chunk.utterance.phonemes)
        if self._words and chunk.words:
            yield _event("speech.audio.words", words=self._timed(chunk.words, start_seconds))

    def end(self) -> bytes:
        """Return the last events; the model's tokens are phonemes, and its audio consists of none."""
        usage = {"input_tokens": self._phonemes, "output_tokens": 0, "total_tokens": self._phonemes}
        return self._delta(self._audio.end()) + _event("speech.audio.done", usage=usage)

    def _delta(self, content: bytes) -> bytes:
        return _event("speech.audio.delta", audio=base64.b64encode(content).decode()) if content else b""

    def _timed(self, words: tuple[SpokenWord, ...], start_seconds: float) -> list[dict[str, Any]]:
        timed = timed_words(self._text, words, round(self._sample_rate_hz * self._times_faster), start_seconds)
        return [
            {"word": word.text, "start": round(word.start_seconds, 3), "end": round(word.end_seconds, 3)}
            for word in timed
        ]


def error_event(error: EngineError) -> bytes:
    """Return the event that ends a stream after a failure."""
    return _event("error", **error_object(error))


def _event(kind: str, **fields: Any) -> bytes:
    return f"data: {json.dumps({'type': kind, **fields})}\n\n".encode()
