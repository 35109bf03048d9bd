"""Curves of correlation against amounts of padding, with marks of different shapes; no menus, no buttons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.diagnostics.experiments.sweep_curves import Curve
from app.diagnostics.metric_words import number_words
from app.diagnostics.outputs.plain_plot import PlainPlot
from app.theme import LIGHT, Colours
from engine.validator.reports.plot_data import MOST_DIGITS, digits_of

LEFT_PIXELS = 64
MARGIN = 0.6
MARK_PIXELS = 9
LINE_PIXELS = 2
MARKS = (("o", "●"), ("s", "■"), ("t1", "▲"), ("d", "◆"))
"""The name of a curve's mark, and the mark as a letter, which tells the curve in a table."""
DIGIT_TICKS = (0, 4, 8, 12)
LEAST_HEIGHT_PIXELS = 76
SHIFT = 0.06
"""Curves that are equal stand so far apart that each can be seen."""


class CurvePlot(PlainPlot):
    """Amounts of padding stand at equal distances, because they grow by doubling; y is -log10(1 - correlation)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, bottom=pyqtgraph.AxisItem("bottom", maxTickLength=0))
        self.setObjectName("pane")
        self.setAccessibleName("Correlation against padding")
        self._colours = LIGHT
        self._curves: tuple[Curve, ...] = ()
        self.setMinimumHeight(LEAST_HEIGHT_PIXELS)
        self.left.setWidth(LEFT_PIXELS)
        self.left.setTicks([[(float(each), _correlation_at(each)) for each in DIGIT_TICKS]])
        self.view.setMouseEnabled(x=False, y=False)
        self.view.setYRange(-MARGIN, MOST_DIGITS + MARGIN, padding=0)

    def show_curves(self, curves: Sequence[Curve]) -> None:
        """Draw these curves, all of the same amounts of padding."""
        self._curves = tuple(curves)
        for item in tuple(self.view.addedItems):
            self.view.removeItem(item)
        for number, curve in enumerate(self._curves):
            self.add(self._item(curve, number))
        paddings = self._curves[0].paddings if self._curves else ()
        self.bottom.setTicks([[(float(place), f"{padding:.0%}") for place, padding in enumerate(paddings)]])
        self.view.setXRange(-MARGIN, max(len(paddings) - 1, 1) + MARGIN, padding=0)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        super().set_colours(colours)
        self._colours = colours
        self.show_curves(self._curves)

    def _item(self, curve: Curve, number: int) -> pyqtgraph.PlotDataItem:
        colour = curve_colour(number, self._colours)
        shift = SHIFT * (number - (len(self._curves) - 1) / 2)
        heights = [np.nan if value is None else digits_of(value) for value in curve.correlations]
        return pyqtgraph.PlotDataItem(
            np.arange(len(heights), dtype=np.float64) + shift,
            np.array(heights, np.float64),
            connect="finite",
            pen=pyqtgraph.mkPen(colour, width=LINE_PIXELS),
            symbol=MARKS[number % len(MARKS)][0],
            symbolSize=MARK_PIXELS,
            symbolBrush=colour,
            symbolPen=colour,
        )


def curve_mark(number: int) -> str:
    """The mark of a curve as a letter."""
    return MARKS[number % len(MARKS)][1]


def curve_colour(number: int, colours: Colours) -> QColor:
    """The colour of a curve."""
    names = (colours.accent, colours.error, colours.good, colours.warning)
    return QColor(names[number % len(names)])


def _correlation_at(digits: int) -> str:
    """A correlation as its distance from 1, which is what the axis is even in."""
    return "0" if not digits else f"1 - {number_words(10.0**-digits)}"
