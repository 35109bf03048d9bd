"""Seconds as pixels of an area: the whole length, or the part of it that is zoomed into."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Signal

SHORTEST_SECONDS = 0.01
"""No zoom shows less than this."""


class TimeScale(QObject):
    """The range in view never leaves 0 to `length_seconds`; `changed` is emitted when either is another."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.length_seconds = 1.0
        self._range = (0.0, 1.0)

    @property
    def in_view(self) -> tuple[float, float]:
        """The start and end of the range in view in seconds."""
        return self._range

    def show_length(self, seconds: float) -> None:
        """Set the length, greater than 0, and show all of it."""
        self.length_seconds = seconds
        self._look_at(0.0, seconds)

    def show_all(self) -> None:
        """Show the whole length again."""
        self._look_at(0.0, self.length_seconds)

    def zoom(self, factor: float, seconds: float) -> None:
        """Show `factor` times as long a range, with these seconds at the same place."""
        start, end = self._range
        shortest = min(SHORTEST_SECONDS, self.length_seconds)
        width = min(max((end - start) * factor, shortest), self.length_seconds)
        before = (seconds - start) / (end - start) * width
        self._look_at(seconds - before, width)

    def move(self, seconds: float) -> None:
        """Move the range in view by so many seconds, as far as there is something."""
        start, end = self._range
        self._look_at(start + seconds, end - start)

    def x_of(self, seconds: float, area: QRectF) -> float:
        """Where these seconds are in an area, which may be outside it."""
        start, end = self._range
        return area.left() + (seconds - start) / (end - start) * area.width()

    def seconds_at(self, x: float, area: QRectF) -> float:
        """The seconds at a place of an area, within the length."""
        start, end = self._range
        seconds = start + (x - area.left()) / max(area.width(), 1.0) * (end - start)
        return min(max(seconds, 0.0), self.length_seconds)

    def _look_at(self, start: float, width: float) -> None:
        start = min(max(start, 0.0), self.length_seconds - width)
        if (start, start + width) != self._range:
            self._range = (start, start + width)
        self.changed.emit()
