"""The part of a sound that is in view: zooming, scrolling, following the playhead."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

SAMPLE = object
"""The type of a sample in a signal: an `int` of Qt would end after 24 hours of sound."""
TURNED_SHARE = 0.1
"""A page is turned so that what should be in view is this far from its start."""
STEP = 1.5
SCROLL_SHARE = 0.1
"""How much of what is in view one step moves it by."""


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


class WaveformZoom(QObject):
    """At first all of the sound is in view; a part of it follows the playhead like pages that are turned.

    It stops doing so when somebody scrolls away from the playhead, until `follow`.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._shown = TimeRange()
        self._shortest = 1
        self._playhead = 0
        self._follows = True

    @property
    def shown(self) -> TimeRange:
        """The part that is in view."""
        return self._shown

    def begin(self) -> None:
        """Show all of another sound."""
        self._follows = True
        self._show(TimeRange())

    def fit(self, total: int, shortest: int) -> None:
        """The sound has `total` samples by now; at least `shortest` are always shown."""
        self._shortest = shortest
        self._show(self._shown.of(max(total, 1)))

    def move_playhead(self, sample: int) -> None:
        """Follow the playhead to this sample, unless somebody has scrolled away from it."""
        self._playhead = sample
        if self._follows:
            self._show(self._shown.turned_to(sample))

    @Slot()
    def zoom_in(self) -> None:
        """Show less, larger, around the playhead."""
        self.zoom(STEP, self._middle)

    @Slot()
    def zoom_out(self) -> None:
        """Show more, smaller, around the playhead."""
        self.zoom(1 / STEP, self._middle)

    @Slot()
    def show_whole(self) -> None:
        """Show all of it."""
        self.zoom(1 / self._shown.total, 0)

    def zoom(self, times: float, sample: int) -> None:
        """Show it so many times as large; this sample stays where it is."""
        self._show(self._shown.magnified(times, sample, min(self._shortest, self._shown.total)))
        self._follows = self._shown.contains(self._playhead)

    def scroll(self, steps: float) -> None:
        """Move what is in view; positive steps go back."""
        self.scroll_to(self._shown.start - steps * SCROLL_SHARE * self._shown.length)

    def scroll_to(self, start: float) -> None:
        """Show as much, from this sample on; the playhead is followed if it is in view then."""
        self._show(self._shown.moved_to(start))
        self._follows = self._shown.contains(self._playhead)

    def follow(self, sample: int) -> None:
        """Follow the playhead from now on, which goes to this sample."""
        self._follows = True
        self.move_playhead(sample)

    @property
    def _middle(self) -> int:
        """The playhead; if it is not in view, the middle of what is."""
        return self._playhead if self._shown.contains(self._playhead) else self._shown.sample_at(0.5)

    def _show(self, shown: TimeRange) -> None:
        if shown != self._shown:
            self._shown = shown
            self.changed.emit()
