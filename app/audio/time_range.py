"""The visible part of a sound: zooming, scrolling, following the playhead."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

SAMPLE = object
"""The type of a sample in a signal: an `int` of Qt would end after 24 hours of sound."""
TURNED_SHARE = 0.1
"""The distance of the playhead from the start of a page after it is turned, as a share of the page."""
STEP = 1.5
SCROLL_SHARE = 0.1
"""The share of the visible part that one step scrolls by."""


@dataclass(frozen=True)
class TimeRange:
    """The visible part of a sound: `length` samples from `start` on, of `total`; never reaches beyond these."""

    total: int = 1
    start: int = 0
    length: int = 1

    @property
    def whole(self) -> bool:
        """True if the whole sound is visible."""
        return self.length >= self.total

    @property
    def end(self) -> int:
        """The sample after the last visible one."""
        return self.start + self.length

    def contains(self, sample: int) -> bool:
        """Return whether this sample is visible; the end of the sound counts as part of its last page."""
        return self.start <= sample < self.end or sample == self.end == self.total

    def of(self, total: int) -> TimeRange:
        """Return the same part of a sound of a different length; if the whole sound was visible, it still is."""
        if self.whole:
            return TimeRange(total, 0, total)
        return replace(self, total=total, length=min(self.length, total)).moved_to(self.start)

    def moved_to(self, start: float) -> TimeRange:
        """Return a range of the same length from this sample on, or as near to it as possible."""
        return replace(self, start=min(max(round(start), 0), self.total - self.length))

    def magnified(self, times: float, sample: float, min_length: int) -> TimeRange:
        """Return the range zoomed in `times` times, but at least `min_length` samples; this sample keeps its place."""
        length = min(max(round(self.length / times), min_length), self.total)
        share = (sample - self.start) / self.length
        return replace(self, length=length, start=0).moved_to(sample - share * length)

    def turned_to(self, sample: int) -> TimeRange:
        """Return the same range if this sample is visible, else the page that begins shortly before it."""
        return self if self.contains(sample) else self.moved_to(sample - TURNED_SHARE * self.length)

    def share_of(self, sample: float) -> float:
        """Return the place of a sample in the visible part, 0 at its start, 1 at its end; beyond these outside."""
        return (sample - self.start) / self.length

    def sample_at(self, share: float) -> int:
        """Return the sample at this share of the visible part; never outside the sound."""
        return min(max(round(self.start + share * self.length), 0), self.total)


class WaveformZoom(QObject):
    """The zoom of a waveform: at first the whole sound; a part of it follows the playhead like pages that are turned.

    It stops following when the user scrolls away from the playhead, until `follow_playback`.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._shown = TimeRange()
        self._min_length = 1
        self._playhead = 0
        self._follows = True

    @property
    def shown(self) -> TimeRange:
        """The visible part."""
        return self._shown

    def show_all(self) -> None:
        """Show all of a new sound."""
        self._follows = True
        self._show(TimeRange())

    def fit(self, total: int, min_length: int) -> None:
        """Adjust to a sound of `total` samples; at least `min_length` are always shown."""
        self._min_length = min_length
        self._show(self._shown.of(max(total, 1)))

    def move_playhead(self, sample: int) -> None:
        """Follow the playhead to this sample, unless the user has scrolled away from it."""
        self._playhead = sample
        if self._follows:
            self._show(self._shown.turned_to(sample))

    @Slot()
    def zoom_in(self) -> None:
        """Zoom in around the playhead."""
        self.zoom(STEP, self._middle)

    @Slot()
    def zoom_out(self) -> None:
        """Zoom out around the playhead."""
        self.zoom(1 / STEP, self._middle)

    @Slot()
    def show_whole(self) -> None:
        """Show the whole sound."""
        self.zoom(1 / self._shown.total, 0)

    def zoom(self, times: float, sample: int) -> None:
        """Zoom in `times` times; this sample keeps its place."""
        self._show(self._shown.magnified(times, sample, min(self._min_length, self._shown.total)))
        self._follows = self._shown.contains(self._playhead)

    def scroll(self, steps: float) -> None:
        """Scroll by `steps`; positive steps go back."""
        self.scroll_to(self._shown.start - steps * SCROLL_SHARE * self._shown.length)

    def scroll_to(self, start: float) -> None:
        """Scroll to this sample at the same zoom; follow the playhead if it is visible then."""
        self._show(self._shown.moved_to(start))
        self._follows = self._shown.contains(self._playhead)

    def follow_playback(self, sample: int) -> None:
        """Move the playhead to this sample and follow it from now on."""
        self._follows = True
        self.move_playhead(sample)

    @property
    def _middle(self) -> int:
        """The playhead if it is visible, else the middle of the visible part."""
        return self._playhead if self._shown.contains(self._playhead) else self._shown.sample_at(0.5)

    def _show(self, shown: TimeRange) -> None:
        if shown != self._shown:
            self._shown = shown
            self.changed.emit()
