"""The samples of a track for the device, stretched to a speed and mapped back to the track."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from app.audio.track import Segment
from engine.audio.stretching import stretched
from engine.speech import Samples

MAX_BLOCK_SECONDS = 2.0
"""The longest block to stretch; stretching this much takes 5 to 20 ms."""
MIN_BLOCK_SECONDS = 1.0
WINDOW_SECONDS = 0.01
"""A stretched block ends in the quietest window of this length."""
CONTEXT_SECONDS = 0.06
"""The context stretched around a block, since the ends of a signal are stretched less well than its inside."""
FADE_SECONDS = 0.01
"""The length of the crossfade from a stretched block to the next one."""


class PlayableAudio(Protocol):
    """Audio to play: a track or a single sound; positions are its samples."""

    @property
    def sample_rate_hz(self) -> int:
        """The sample rate; 0 while there are no samples."""

    @property
    def length(self) -> int:
        """The current number of samples."""

    @property
    def ends(self) -> bool:
        """True if nothing more will come at the end."""

    def end_at(self, position: int) -> int:
        """Return the sample up to which it can be played from a position."""

    def read(self, start: int, limit: int) -> Samples:
        """Return at most `limit` samples from `start`; empty at the end of the available ones."""

    def between(self, start: int, end: int) -> Samples:
        """Return the available samples from `start` to `end` in one array."""

    def segment_at(self, position: int) -> Segment | None:
        """Return the segment there, with the speed it was generated at; None for audio at the voice's own pace."""


@dataclass(frozen=True)
class _Block:
    """Samples to play, and those that would follow; a block that doesn't continue them is faded in over them."""

    samples: Samples = field(default_factory=lambda: np.zeros(0, np.float32))
    following: Samples = field(default_factory=lambda: np.zeros(0, np.float32))
    times_faster: float = 1.0


@dataclass(frozen=True)
class _Stretch:
    """A mapping: from output sample `given` on, each plays `times_faster` track samples, from `start` on."""

    given: int
    start: int
    times_faster: float


class PlaybackSource:
    """Reads a growing track from a position on, at `speed`, which may change: 1 is the voice's own pace.

    Audio generated at that speed is passed on unchanged. Positions are samples of the track.
    """

    def __init__(self, track: PlayableAudio, position: int = 0, speed: float = 1.0) -> None:
        self.speed = speed
        self._track = track
        self._next = position
        self._given = 0
        self._latest = _Block()
        self._left = self._latest.samples
        self._stretches = [_Stretch(0, position, 1.0)]

    @property
    def exhausted(self) -> bool:
        """True if all samples that are available have been read."""
        return not len(self._left) and self._next >= self._track.end_at(self._next)

    def read(self, limit: int) -> Samples:
        """Return the next samples, at most `limit`; empty at the end of the available ones."""
        if limit and not len(self._left) and not self.exhausted:
            self._left = self._next_block()
        samples, self._left = self._left[:limit], self._left[limit:]
        self._given += len(samples)
        return samples

    def position_of(self, given: int) -> int:
        """Return the sample of the track that output sample `given` plays; after the last one, the next to be read."""
        if given >= self._given + len(self._left):
            return self._next
        index = bisect_right(self._stretches, given, key=lambda each: each.given) - 1
        stretch = self._stretches[index]
        end = min([self._next, *(each.start for each in self._stretches[index + 1 : index + 2])])
        return min(stretch.start + round((given - stretch.given) * stretch.times_faster), end)

    def take_back(self, samples: Samples) -> None:
        """Continue where these [n], the last samples read, begin; the next samples are faded in over them."""
        following = np.concatenate([samples, self._left, self._latest.following])[: self._count(FADE_SECONDS)]
        given = self._given - len(samples)
        self._next = self.position_of(given)
        self._given, self._left = given, np.zeros(0, np.float32)
        self._latest = _Block(following=following, times_faster=0.0)
        self._stretches = [each for each in self._stretches if each.given < given] or [_Stretch(0, self._next, 1.0)]

    def move(self, position: int, by: int) -> None:
        """Adjust to a track whose samples from `position` on have moved `by` samples later."""
        if self._next >= position:
            self._next += by
        self._stretches = [
            replace(each, start=each.start + by) if each.start >= position else each for each in self._stretches
        ]

    def _next_block(self) -> Samples:
        segment = self._track.segment_at(self._next)
        times_faster = self.speed / segment.speed if segment is not None else 1.0
        before, start = self._latest, self._next
        goes_on = before.times_faster == times_faster == 1
        if not goes_on:
            self._stretches.append(_Stretch(self._given, start, times_faster))
        self._next = self._end_of_block(start) if times_faster != 1 else self._end_of_plain_block(start)
        self._latest = self._block(start, self._next, times_faster)
        return self._latest.samples if goes_on else _faded(before.following, self._latest.samples)

    def _block(self, start: int, end: int, times_faster: float) -> _Block:
        margin = self._count(CONTEXT_SECONDS)
        fade = self._count(FADE_SECONDS)
        if times_faster == 1:
            return _Block(self._track.between(start, end), self._track.between(end, end + fade))
        before = self._track.between(max(0, start - margin), start)
        sound = np.concatenate([before, self._track.between(start, end + max(margin, round(fade * times_faster)))])
        made = stretched(sound, times_faster, self._track.sample_rate_hz)
        first = round(len(before) / times_faster)
        last = first + max(1, round((end - start) / times_faster))
        return _Block(made[first:last], made[last : last + fade], times_faster)

    def _end_of_plain_block(self, start: int) -> int:
        return start + len(self._track.read(start, self._count(MAX_BLOCK_SECONDS)))

    def _end_of_block(self, start: int) -> int:
        """Return the end of the utterance if it is near, else a quiet place."""
        min_length, max_length = self._count(MIN_BLOCK_SECONDS), self._count(MAX_BLOCK_SECONDS)
        segment = self._track.segment_at(start)
        end = segment.end if segment is not None else self._track.length
        if end - start <= max_length:
            return end
        window = self._count(WINDOW_SECONDS)
        sound = self._track.between(start + min_length, start + max_length)
        windows = sound[: len(sound) // window * window].reshape(-1, window)
        return start + min_length + int(np.square(windows).sum(axis=1).argmin()) * window + window // 2

    def _count(self, seconds: float) -> int:
        return max(1, round(seconds * self._track.sample_rate_hz))


def _faded(ending: Samples, beginning: Samples) -> Samples:
    """Return the beginning [n], with the ending [at most n of it] fading out over it as it fades in."""
    count = min(len(ending), len(beginning))
    rising = (np.arange(count, dtype=np.float32) + 0.5) / max(count, 1)
    faded = beginning.copy()
    faded[:count] = ending[:count] * (1 - rising) + beginning[:count] * rising
    return faded
