"""The part of a sound that is in view: what moves it and what makes it shorter or longer."""

from __future__ import annotations

from dataclasses import dataclass, replace

SAMPLE = object
"""The type of a sample in a signal: an `int` of Qt would end after 24 hours of sound."""
TURNED_SHARE = 0.1
"""A page is turned so that what should be in view is this far from its start."""


@dataclass(frozen=True)
class TimeRange:
    """`length` samples from `start` on, of `total`; it never reaches beyond these."""

    total: int = 1
    start: int = 0
    length: int = 1

    @property
    def whole(self) -> bool:
        """Whether all of it is in view."""
        return self.length >= self.total

    @property
    def end(self) -> int:
        """The sample after the last one in view."""
        return self.start + self.length

    def contains(self, sample: int) -> bool:
        """Whether this sample is in view; the end of all belongs to the last one."""
        return self.start <= sample < self.end or sample == self.end == self.total

    def of(self, total: int) -> TimeRange:
        """The same part of a sound of another length; if all of it was in view, it still is."""
        if self.whole:
            return TimeRange(total, 0, total)
        return replace(self, total=total, length=min(self.length, total)).moved_to(self.start)

    def moved_to(self, start: float) -> TimeRange:
        """As much of it, from this sample on or as near to it as possible."""
        return replace(self, start=min(max(round(start), 0), self.total - self.length))

    def magnified(self, times: float, sample: float, shortest: int) -> TimeRange:
        """So many times as large, but at least `shortest` samples; this sample stays where it is."""
        length = min(max(round(self.length / times), shortest), self.total)
        share = (sample - self.start) / self.length
        return replace(self, length=length, start=0).moved_to(sample - share * length)

    def turned_to(self, sample: int) -> TimeRange:
        """The same if this sample is in view, else the page that begins shortly before it."""
        return self if self.contains(sample) else self.moved_to(sample - TURNED_SHARE * self.length)

    def share_of(self, sample: float) -> float:
        """How far a sample is from the start, 0, to the end, 1, of what is in view; beyond these if it is not."""
        return (sample - self.start) / self.length

    def sample_at(self, share: float) -> int:
        """The sample that is so far from the start; never outside the sound."""
        return min(max(round(self.start + share * self.length), 0), self.total)
