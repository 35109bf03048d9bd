"""Two signals drawn over each other with their difference below, or an error profile where no signal was kept."""

from __future__ import annotations

import numpy as np
import pyqtgraph
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.diagnostics.colours import ERROR_TICKS, LARGEST_ERROR, SMALLEST_ERROR
from app.diagnostics.metric_words import number_words
from app.diagnostics.outputs.envelope_item import EnvelopeItem
from app.diagnostics.outputs.pictures import OTHER_LENGTH, ProfilePicture, SignalPicture
from app.diagnostics.outputs.signals import Envelope
from app.diagnostics.outputs.time_pane import PaneStack, TimePane
from app.theme import LIGHT, Colours

MARGIN_SHARE = 0.06
REFERENCE_PIXELS = 2.4


class SignalView(PaneStack):
    """`reference` broad and faint, `ours` thin on top of it, `difference` below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._over = TimePane("Both signals")
        self._apart = TimePane("Difference", shows_time=True)
        super().__init__((self._over, self._apart), parent)
        self.reference = EnvelopeItem(REFERENCE_PIXELS)
        self.ours = EnvelopeItem()
        self.difference = EnvelopeItem()
        for pane, item in ((self._over, self.reference), (self._over, self.ours), (self._apart, self.difference)):
            pane.add(item)
        self.set_colours(LIGHT)

    def show_picture(self, picture: SignalPicture, title: str) -> None:
        """Draw two signals."""
        rate = picture.values_per_second
        self.reference.show_envelope(picture.reference, rate)
        self.ours.show_envelope(picture.ours, rate)
        self.difference.show_envelope(picture.difference, rate)
        _fit(self._over, picture.reference, picture.ours)
        self._over.set_title(title)
        self._show_difference(picture)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        super().set_colours(colours)
        self.reference.set_colour(colours.wave)
        self.ours.set_colour(colours.accent)
        self.difference.set_colour(colours.error)

    def _show_difference(self, picture: SignalPicture) -> None:
        apart = picture.difference
        if apart is None:
            self._apart.set_title(OTHER_LENGTH.capitalize())
            return
        _fit(self._apart, apart)
        self._apart.set_title(f"Difference, {_size_words(apart, picture.unit)}")


class ProfileView(PaneStack):
    """One curve of errors on a logarithmic scale."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._pane = TimePane("Error along time", shows_time=True)
        super().__init__((self._pane,), parent)
        self._curve = pyqtgraph.PlotCurveItem()
        self._pane.add(self._curve)
        self._pane.left.setTicks([[(float(np.log10(tick)), number_words(tick)) for tick in ERROR_TICKS]])
        self._pane.view.setYRange(np.log10(SMALLEST_ERROR), np.log10(LARGEST_ERROR), padding=0)
        self.set_colours(LIGHT)

    def show_picture(self, picture: ProfilePicture, title: str) -> None:
        """Draw a profile."""
        known = np.nan_to_num(picture.errors, nan=LARGEST_ERROR, posinf=LARGEST_ERROR)
        heights = np.log10(np.clip(known, SMALLEST_ERROR, LARGEST_ERROR))
        self._curve.setData(np.repeat(picture.edges, 2)[1:-1], np.repeat(heights, 2))
        self._pane.set_title(f"{title}: error over the rms; {picture.why}")

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        super().set_colours(colours)
        self._curve.setPen(pyqtgraph.mkPen(QColor(colours.error)))


def _size_words(shape: Envelope, unit: str) -> str:
    largest = float(max(np.abs(shape.lowest).max(initial=0), np.abs(shape.highest).max(initial=0)))
    if not np.isfinite(largest):
        return "not finite"
    return f"at most {number_words(largest)}" + (f" {unit}" if unit else "")


def _fit(pane: TimePane, *shapes: Envelope) -> None:
    values = np.concatenate([np.concatenate([shape.lowest, shape.highest]) for shape in shapes])
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    margin = (high - low) * MARGIN_SHARE or max(abs(high), 1e-9) * MARGIN_SHARE
    pane.view.setYRange(low - margin, high + margin, padding=0)
