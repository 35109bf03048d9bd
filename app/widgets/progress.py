"""Thin progress bars that show a fraction, or that something is going on."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar, QWidget

BAR_PIXELS = 4
BAR_STEPS = 1000
"""Progress bars count in integers."""


def thin_bar(name: str, parent: QWidget, width_pixels: int | None = None) -> QProgressBar:
    """A bar without words, of a fixed width or as wide as there is room."""
    bar = QProgressBar(parent)
    bar.setObjectName("progress")
    bar.setAccessibleName(name)
    bar.setTextVisible(False)
    bar.setFixedHeight(BAR_PIXELS)
    if width_pixels is not None:
        bar.setFixedWidth(width_pixels)
    return bar


def show_fraction(bar: QProgressBar, fraction: float | None) -> None:
    """Show a fraction from 0 to 1, or a busy indicator, which moves, for None.

    A bar with a new value paints at once, and with it all of the window that waits to be painted; this one waits, too.
    """
    bar.setUpdatesEnabled(False)
    if fraction is None:
        bar.setRange(0, 0)
    else:
        bar.setRange(0, BAR_STEPS)
        bar.setValue(round(BAR_STEPS * fraction))
    bar.setUpdatesEnabled(True)
