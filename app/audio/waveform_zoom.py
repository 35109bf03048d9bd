"""How much of a sound is in view, and which part: zooming, scrolling, following the playhead."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.audio.time_range import TimeRange

STEP = 1.5
SCROLL_SHARE = 0.1
"""How much of what is in view one step moves it by."""


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
