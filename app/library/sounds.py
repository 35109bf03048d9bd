"""Saved audio: a 16-bit FLAC file, and marks with the positions of utterances and words in it."""

from __future__ import annotations

from pathlib import Path

import soundfile
from cattrs import BaseValidationError
from cattrs.preconf.json import make_converter

from app.audio.track import AudioTrack
from app.library.generated_audio import AudioMarks, GeneratedAudio
from engine.audio.recording import to_pcm
from engine.audio.sound_file import recording
from engine.errors import DamagedFile
from engine.speech import AudioChunk

_CONVERTER = make_converter()


def marks_text(marks: AudioMarks) -> str:
    """Return marks as JSON."""
    return _CONVERTER.dumps(marks)


def write_sound(path: Path, made: GeneratedAudio) -> None:
    """Write all samples; raises `OutputError`, `OSError` or `Cut`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with recording(path, made.sample_rate_hz) as file:
        for samples in made.samples():
            file.write(to_pcm(samples))


def samples_in(path: Path) -> int:
    """Return the number of samples in a file; 0 if it is missing or cannot be read."""
    try:
        return int(soundfile.info(path).frames)
    except (soundfile.SoundFileError, OSError):
        return 0


def read_track(path: Path, marks: str) -> AudioTrack:
    """Read a saved track, as finished; raises `DamagedFile` if file or marks cannot be read or do not match."""
    try:
        track = _read(path, _CONVERTER.loads(marks, AudioMarks))
    except (soundfile.SoundFileError, BaseValidationError, OSError, ValueError, RecursionError) as error:
        raise DamagedFile(path, "The saved audio for this item can’t be read.", "Generating it again.") from error
    return track


def _read(path: Path, marks: AudioMarks) -> AudioTrack:
    track = AudioTrack()
    track.plan(marks.plan)
    count = len(marks.plan.utterances) if marks.plan.whole else 0
    with soundfile.SoundFile(path) as file:
        for piece in marks.pieces:
            samples = file.read(piece.length, dtype="float32")
            if len(samples) < piece.length:
                raise ValueError("the file is too short")
            track.append(AudioChunk(piece.utterance, count, samples, file.samplerate, piece.words), piece.speed)
    track.finish()
    return track
