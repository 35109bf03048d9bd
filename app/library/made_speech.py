"""What of a speech is made at a given moment, while its track may go on growing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from app.audio.track import AudioTrack, Segment
from engine.speech import Plan, Samples, SpokenWord, Utterance


@dataclass(frozen=True)
class Piece:
    """The next `length` samples speak this utterance, made at this `speed`, with these words of it."""

    utterance: Utterance
    length: int
    speed: float = 1.0
    words: tuple[SpokenWord, ...] = ()


@dataclass(frozen=True)
class Marks:
    """How a sound is divided, and the plan of the whole speech, of which it may be only a part."""

    plan: Plan
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, eq=False)
class MadeSpeech:
    """The samples of each piece [n] float32, not copied, and their marks."""

    marks: Marks
    sample_rate_hz: int
    samples: tuple[Samples, ...] = field(repr=False)

    @property
    def seconds(self) -> float:
        """The length of the sound."""
        return sum(map(len, self.samples)) / self.sample_rate_hz


def made_speech(track: AudioTrack) -> MadeSpeech:
    """What is made of a track, of which at least one utterance is."""
    segments = tuple(track.segments)
    pieces = tuple(_piece(track, number, segment) for number, segment in enumerate(segments))
    samples = tuple(track.read(segment.start, segment.end - segment.start) for segment in segments)
    return MadeSpeech(Marks(track.planned, pieces), track.sample_rate_hz, samples)


def _piece(track: AudioTrack, number: int, segment: Segment) -> Piece:
    words = tuple(_from(word, segment.start) for word in track.words.of_chunk(number))
    return Piece(segment.utterance, segment.end - segment.start, segment.speed, words)


def _from(word: SpokenWord, start: int) -> SpokenWord:
    """The word with its samples counted from `start`; its phonemes are counted from there already."""
    return replace(word, start_sample=word.start_sample - start, end_sample=word.end_sample - start)
