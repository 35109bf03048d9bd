"""A snapshot of the audio generated for a track, which may continue to grow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from app.audio.track import AudioTrack, Segment
from engine.errors import Canceled
from engine.speech import Plan, Samples, SpokenWord, Utterance


@dataclass(frozen=True)
class AudioPiece:
    """The next `length` samples, which speak these words of an utterance, generated at this `speed`."""

    utterance: Utterance
    length: int
    speed: float = 1.0
    words: tuple[SpokenWord, ...] = ()


@dataclass(frozen=True)
class AudioMarks:
    """The division of audio into pieces, and the plan of the whole text, of which it may cover only a part."""

    plan: Plan
    pieces: tuple[AudioPiece, ...]


@dataclass(frozen=True, eq=False)
class GeneratedAudio:
    """The marks of a track's audio at one moment; samples are read from the track only when they are needed."""

    marks: AudioMarks
    sample_rate_hz: int
    track: AudioTrack = field(repr=False)

    @property
    def length(self) -> int:
        """The number of samples."""
        return sum(piece.length for piece in self.marks.pieces)

    @property
    def seconds(self) -> float:
        """The length in seconds."""
        return self.length / self.sample_rate_hz

    def samples(self) -> Iterator[Samples]:
        """Yield the samples of each piece [n] float32; raises `TrackTruncated` if the track was cut in the meantime."""
        start = 0
        for piece in self.marks.pieces:
            samples = self.track.between(start, start + piece.length)
            if len(samples) < piece.length:
                raise TrackTruncated("The speech is being generated again.")
            start += piece.length
            yield samples


class TrackTruncated(Canceled):
    """The error if the end of a track was dropped while it was being saved; it is saved again when it finishes."""


def generated_audio_of(track: AudioTrack) -> GeneratedAudio:
    """Return the audio of a track up to its first gap; at least one utterance must be generated."""
    end = track.gaps[0][0] if track.gaps else track.length
    segments = [segment for segment in track.segments if segment.end <= end]
    plan = track.planned
    if track.gaps:  # planned text after the gap counts as left
        made = tuple(segment.utterance for segment in segments)
        plan = Plan(made, plan.notices, plan.utterances[-1].end - made[-1].end + plan.characters_left)
    pieces = tuple(_piece(track, number, segment) for number, segment in enumerate(segments))
    return GeneratedAudio(AudioMarks(plan, pieces), track.sample_rate_hz, track)


def _piece(track: AudioTrack, number: int, segment: Segment) -> AudioPiece:
    words = tuple(_from(word, segment.start) for word in track.words.of_chunk(number))
    return AudioPiece(segment.utterance, segment.end - segment.start, segment.speed, words)


def _from(word: SpokenWord, start: int) -> SpokenWord:
    """Return the word with its samples counted from `start`; its phonemes already are."""
    return replace(word, start_sample=word.start_sample - start, end_sample=word.end_sample - start)
