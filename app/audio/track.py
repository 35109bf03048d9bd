"""The audio of one speech as it grows, chunk by chunk, and which utterance is heard where."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from app.audio.peak_pyramid import PeakPyramid
from app.audio.sample_file import SampleFile
from app.audio.word_times import WordTimes
from engine.speech import AudioChunk, Plan, Samples, Utterance


@dataclass(frozen=True)
class Segment:
    """The samples from `start` to `end` speak this utterance, made at this `speed`."""

    utterance: Utterance
    start: int
    end: int
    speed: float = 1.0


class AudioTrack:
    """Keeps the chunks as they arrive, their samples on disk; positions are samples from the start of the speech."""

    def __init__(self) -> None:
        self.sample_rate_hz = 0
        self.peaks = PeakPyramid()
        self.words = WordTimes()
        self._samples = SampleFile()
        self._segments: list[Segment] = []
        self._starts: list[int] = []
        self._plan = Plan(())
        self._finished = False

    @property
    def length(self) -> int:
        """The number of samples so far."""
        return self._segments[-1].end if self._segments else 0

    @property
    def finished(self) -> bool:
        """Whether nothing more will come."""
        return self._finished

    @property
    def utterance_count(self) -> int:
        """The number of utterances in the whole speech; 0 while unknown."""
        return len(self._plan.utterances) if self._plan.whole else 0

    @property
    def segments(self) -> Sequence[Segment]:
        """The segments so far, in order."""
        return self._segments

    @property
    def segment_count(self) -> int:
        """The number of utterances that have arrived."""
        return len(self._segments)

    @property
    def whole(self) -> bool:
        """Whether every utterance of the plan has arrived."""
        return self._finished and 0 < len(self._segments) == self.utterance_count

    @property
    def planned(self) -> Plan:
        """The plan of the speech, as far as it is known."""
        return self._plan

    @property
    def partial(self) -> bool:
        """Whether it ended before every utterance of the plan arrived, as it does when it is stopped."""
        return self._finished and bool(self._plan.utterances) and not self.whole

    def plan(self, plan: Plan) -> None:
        """Set the plan of the speech; a longer plan of the same speech replaces the one before."""
        self._plan = plan

    def append(self, chunk: AudioChunk, speed: float = 1.0) -> None:
        """Append the audio of the next utterance, made at this speed."""
        start = self.length
        self.sample_rate_hz = chunk.sample_rate_hz
        self._samples.append(chunk.samples)
        self._starts.append(start)
        self._segments.append(Segment(chunk.utterance, start, start + len(chunk.samples), speed))
        self.peaks.append(chunk.samples)
        self.words.append(chunk, start)

    def finish(self) -> None:
        """Mark the track as complete."""
        self._finished = True

    def resume(self) -> None:
        """More will come after all."""
        self._finished = False

    def cut(self, position: int) -> None:
        """Drop the utterances that begin at this sample or later."""
        count = bisect_left(self._starts, position)
        for kept in (self._segments, self._starts):
            del kept[count:]
        self._samples.cut(self.length)
        self.words.cut(count)
        covered = self.peaks.cut(self.length)
        self.peaks.append(self.between(covered, self.length))

    def read(self, start: int, limit: int) -> Samples:
        """At most `limit` samples from `start`, up to the end of a chunk; empty at the end of what is here."""
        index = bisect_right(self._starts, start) - 1
        if index < 0 or start >= self.length:
            return np.zeros(0, np.float32)
        return self._samples.read(start, min(start + limit, self._segments[index].end))

    def between(self, start: int, end: int) -> Samples:
        """The samples from `start` to `end` in one array, as far as they are here."""
        return self._samples.read(start, end)

    def samples(self) -> Samples:
        """All samples so far in one array."""
        return self._samples.read(0, self.length)

    def segment_at(self, position: int) -> Segment | None:
        """The segment heard at this sample; at the very end, the last one."""
        index = bisect_right(self._starts, position) - 1
        return self._segments[index] if index >= 0 else None

    def character_expected_at(self, position: int) -> int:
        """The start of the utterance that will probably be heard at a sample that is not made yet.

        Beyond the plan, this is a character as far along in the rest of the text as the sample is in its time.
        """
        utterances = self._plan.utterances
        ends = list(accumulate(len(utterance.phonemes) for utterance in utterances))
        share = position / max(1, self.expected_length())
        last = utterances[-1].end
        whole = ends[-1] * (1 + self._plan.characters_left / max(1, last - utterances[0].start))
        if share * whole < ends[-1]:
            return utterances[bisect_right(ends, share * whole)].start
        return last + round(self._plan.characters_left * (share * whole - ends[-1]) / max(1.0, whole - ends[-1]))

    def expected_length(self) -> int:
        """The estimated number of samples of the whole speech, from the phonemes and characters that are missing."""
        spoken = sum(len(segment.utterance.phonemes) for segment in self._segments)
        if self.whole or not spoken or not self._plan.utterances:
            return self.length
        planned = sum(len(utterance.phonemes) for utterance in self._plan.utterances)
        characters = max(1, self._plan.utterances[-1].end - self._plan.utterances[0].start)
        phonemes = planned * (characters + self._plan.characters_left) // characters
        return max(self.length, self.length * phonemes // spoken)
