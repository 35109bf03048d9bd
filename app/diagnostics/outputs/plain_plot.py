"""One plot, usually over seconds, with an axis below and an optional one on the left; no menus, no buttons."""

from __future__ import annotations

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QWidget

from app.theme import Colours

AXIS_HEIGHT_PIXELS = 20
RIGHT_MARGIN_PIXELS = 6
FONT_PIXELS = 11
SHORTEST_VIEW_SECONDS = 0.01


class PlainPlot(pyqtgraph.GraphicsView):
    """The wheel zooms and dragging moves along time, never beyond its ends; the y range stays fixed.

    It is assembled from parts of pyqtgraph because complete plots include menus: windows without an owner, which
    Python's garbage collector may delete while Qt iterates over all windows.
    """

    def __init__(
        self, parent: QWidget | None = None, *, shows_time: bool = True, bottom: pyqtgraph.AxisItem | None = None
    ) -> None:
        super().__init__(parent)
        self.view = pyqtgraph.ViewBox(enableMenu=False)
        self.left = pyqtgraph.AxisItem("left", maxTickLength=0)
        self.bottom = bottom or SecondsAxis("bottom", maxTickLength=0)
        layout = pyqtgraph.GraphicsLayout()
        layout.setContentsMargins(0, 0, RIGHT_MARGIN_PIXELS, 0)
        layout.setSpacing(0)
        for item, row, column in ((self.left, 0, 0), (self.view, 0, 1), (self.bottom, 1, 1)):
            layout.addItem(item, row, column)
        self.setCentralItem(layout)
        for axis in (self.left, self.bottom):
            axis.linkToView(self.view)
            axis.setStyle(tickFont=self.small_font(), tickTextOffset=4)
        self.bottom.setHeight(AXIS_HEIGHT_PIXELS)
        self.bottom.setVisible(shows_time)
        self.view.setMouseEnabled(x=True, y=False)
        self.view.setDefaultPadding(0)
        self.setFrameShape(self.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def small_font(self) -> QFont:
        """The font of all text in the plot."""
        font = QFont(self.font())
        font.setPixelSize(FONT_PIXELS)
        return font

    def add(self, item: object) -> None:
        """Put an item into the plot."""
        self.view.addItem(item)

    def show_seconds(self, seconds: float) -> None:
        """Set the length of the plot and show all of it."""
        self.view.setLimits(xMin=0, xMax=seconds, minXRange=min(SHORTEST_VIEW_SECONDS, seconds))
        self.view.setXRange(0, seconds, padding=0)

    def seconds_in_view(self) -> tuple[float, float]:
        """The start and end of the view in seconds."""
        low, high = self.view.viewRange()[0]
        return float(low), float(high)

    def plot_position(self, position: QPointF) -> QPointF:
        """The plot coordinates of a point of the scene."""
        return self.view.mapSceneToView(position)  # type: ignore[no-any-return]

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self.setBackground(QColor(colours.surface))
        for axis in (self.left, self.bottom):
            axis.setPen(pyqtgraph.mkPen(colours.surface))
            axis.setTextPen(pyqtgraph.mkPen(colours.faint))


class SecondsAxis(pyqtgraph.AxisItem):
    """An axis whose labels have the unit s."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Labels in seconds, without needless zeros."""
        return [f"{value:g} s" for value in np.round(values, 4)]
