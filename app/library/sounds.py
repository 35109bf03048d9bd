"""Sound that is kept: a FLAC file of 16 bits, and marks that say which utterances and words are where in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import soundfile
from cattrs import BaseValidationError
from cattrs.preconf.json import make_converter

from app.audio.track import AudioTrack
from engine.audio.recording import to_pcm
from engine.audio.sound_file import recording
from engine.errors import DamagedFile
from engine.speech import AudioChunk, Plan, SpokenWord, Utterance

BLOCK_SAMPLES = 1 << 18
_CONVERTER = make_converter()


@dataclass(frozen=True)
class Piece:
    """The next `length` samples speak this utterance, with these words of it."""

    utterance: Utterance
    length: int
    words: tuple[SpokenWord, ...] = ()


@dataclass(frozen=True)
class Marks:
    """How a track is divided, and the plan of the whole speech, of which the track may be only a part."""

    plan: Plan
    pieces: tuple[Piece, ...]


def marks_of(track: AudioTrack) -> str:
    """The marks of a track, as text."""
    pieces = tuple(_piece(track, number) for number in range(track.segment_count))
    return _CONVERTER.dumps(Marks(track.planned, pieces))


def write_sound(path: Path, track: AudioTrack) -> None:
    """Write all samples of a track that does not grow any more; raises `OutputError` or `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with recording(path, track.sample_rate_hz) as file:
        start = 0
        while len(samples := track.read(start, BLOCK_SAMPLES)):
            file.write(to_pcm(samples))
            start += len(samples)


def read_track(path: Path, marks: str) -> AudioTrack:
    """The finished track that was kept; raises `DamagedFile` if file or marks cannot be read or do not fit."""
    try:
        track = _read(path, _CONVERTER.loads(marks, Marks))
    except (soundfile.SoundFileError, BaseValidationError, OSError, ValueError) as error:
        raise DamagedFile(
            path, "The sound that was kept of this speech cannot be read.", "Press Speak to have it made again."
        ) from error
    return track


def _piece(track: AudioTrack, number: int) -> Piece:
    segment = track.segments[number]
    words = tuple(_from(word, segment.start) for word in track.words.of_chunk(number))
    return Piece(segment.utterance, segment.end - segment.start, words)


def _from(word: SpokenWord, start: int) -> SpokenWord:
    """The word with its samples counted from `start`; its phonemes are counted from its own start."""
    return replace(word, start_sample=word.start_sample - start, end_sample=word.end_sample - start)


def _read(path: Path, marks: Marks) -> AudioTrack:
    track = AudioTrack()
    track.plan(marks.plan)
    count = len(marks.plan.utterances) if marks.plan.whole else 0
    with soundfile.SoundFile(path) as file:
        for piece in marks.pieces:
            samples = file.read(piece.length, dtype="float32")
            if len(samples) < piece.length:
                raise ValueError("the file is too short")
            track.append(AudioChunk(piece.utterance, count, samples, file.samplerate, piece.words))
    track.finish()
    return track
