"""Tests that a stream of encoded audio is complete, in one piece or several."""

from __future__ import annotations

import base64
import io
import json

import numpy as np
import pytest
import soundfile

from engine.server.streams import FORMATS, AudioBody, EventBody, encoder_of
from engine.speech import AudioChunk, SpokenWord, Utterance

RATE_HZ = 24_000
LENGTH = 3 * RATE_HZ
FLAC_LENGTH_PLACE = slice(22, 26)
"""The low 32 bits of the length in FLAC's header, which is 0 in a stream; libsndfile then cannot find the end."""


def tone(samples: int = LENGTH) -> np.ndarray:
    return (8000 * np.sin(0.05 * np.arange(samples))).astype(np.int16)


def encoded(audio_format: str, pieces: int) -> list[bytes]:
    encoder = encoder_of(audio_format, RATE_HZ)
    parts = [b"".join(encoder.encode(piece, whole=pieces == 1)) for piece in np.array_split(tone(), pieces)]
    return [*parts, encoder.end()]


def decoded(audio_format: str, content: bytes) -> np.ndarray:
    if audio_format == "pcm":
        return np.frombuffer(content, "<i2")
    if audio_format == "flac" and not any(content[FLAC_LENGTH_PLACE]):
        changed = bytearray(content)
        changed[FLAC_LENGTH_PLACE] = LENGTH.to_bytes(4, "big")
        content = bytes(changed)
    samples, rate_hz = soundfile.read(io.BytesIO(content), dtype="int16")
    assert rate_hz == RATE_HZ
    return samples


@pytest.mark.parametrize("pieces", [1, 4])
@pytest.mark.parametrize("audio_format", ["pcm", "wav", "flac"])
def test_lossless_formats_have_every_sample(audio_format: str, pieces: int) -> None:
    np.testing.assert_array_equal(decoded(audio_format, b"".join(encoded(audio_format, pieces))), tone())


@pytest.mark.parametrize("pieces", [1, 4])
@pytest.mark.parametrize("audio_format", ["mp3", "opus"])
def test_lossy_formats_sound_the_same(audio_format: str, pieces: int) -> None:
    samples = decoded(audio_format, b"".join(encoded(audio_format, pieces)))
    assert LENGTH <= len(samples) <= LENGTH + 2400  # a stream has no record of an MP3 encoder's padding
    spectrum = np.abs(np.fft.rfft(samples[:LENGTH]))
    assert spectrum.argmax() == np.abs(np.fft.rfft(tone())).argmax()
    assert np.abs(samples[:RATE_HZ].astype(int)).max() == pytest.approx(8000, rel=0.1)


@pytest.mark.parametrize("audio_format", FORMATS)
def test_bytes_are_ready_before_the_end(audio_format: str) -> None:
    parts = encoded(audio_format, 3)
    assert all(parts[:3])
    assert sum(map(len, parts[:3])) > 0.6 * sum(map(len, parts))


def test_opus_in_one_piece_begins_with_its_first_block() -> None:
    first, *later = encoder_of("opus", RATE_HZ).encode(tone(), whole=True)
    assert first.startswith(b"OggS")
    assert any(later)


@pytest.mark.parametrize("audio_format", ["wav", "flac", "mp3", "opus"])
def test_audio_in_one_piece_has_its_length_in_the_header(audio_format: str) -> None:
    assert soundfile.info(io.BytesIO(b"".join(encoded(audio_format, 1)))).frames == LENGTH


def chunk(index: int, count: int, words: tuple[SpokenWord, ...] = ()) -> AudioChunk:
    samples = tone(RATE_HZ).astype(np.float32) / 32767
    return AudioChunk(Utterance(index, "one", "wʌn", 0, 3), count, samples, RATE_HZ, words)


@pytest.mark.parametrize("times_faster", [0.5, 1.0, 2.0])
def test_a_speed_changes_the_length(times_faster: float) -> None:
    body = AudioBody("pcm", RATE_HZ, times_faster)
    content = b"".join(b"".join(body.add(chunk(index, 2))) for index in range(2)) + body.end()
    assert len(content) == round(2 * RATE_HZ / times_faster) * 2


@pytest.mark.parametrize("times_faster", [0.5, 1.0])
def test_events_carry_all_audio_and_the_times_of_words(times_faster: float) -> None:
    words = (SpokenWord(0, 3, 2400, 24_000),)
    body, audio = EventBody("pcm", "one", RATE_HZ, times_faster, words=True), AudioBody("pcm", RATE_HZ, times_faster)
    content = b"".join(b"".join(body.add(chunk(index, 2, words))) for index in range(2)) + body.end()
    events = [json.loads(line.removeprefix("data: ")) for line in content.decode().split("\n\n") if line]
    sent = b"".join(base64.b64decode(each["audio"]) for each in events if each["type"] == "speech.audio.delta")
    assert sent == b"".join(b"".join(audio.add(chunk(index, 2))) for index in range(2))
    timed = [word for each in events if each["type"] == "speech.audio.words" for word in each["words"]]
    scale = 1 / times_faster
    assert timed == [
        {"word": "one", "start": pytest.approx(0.1 * scale), "end": pytest.approx(scale)},
        {"word": "one", "start": pytest.approx(1.1 * scale), "end": pytest.approx(2 * scale)},
    ]
    assert events[-1]["type"] == "speech.audio.done"
    assert events[-1]["usage"]["input_tokens"] == 6
