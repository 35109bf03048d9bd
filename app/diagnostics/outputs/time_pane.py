"""Plots over seconds, each with a title in its corner and a cursor; stacked plots scroll and zoom together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.diagnostics.colors import FollowsTheme
from app.theme import colors

AXIS_HEIGHT_PIXELS = 20
RIGHT_MARGIN_PIXELS = 6
FONT_PIXELS = 11
MIN_VIEW_SECONDS = 0.01
LEFT_PIXELS = 46
TITLE_PIXELS = 4
MIN_HEIGHT_PIXELS = 48
CURSOR_PIXELS = 1.5
TITLE_MARGIN_PIXELS = 24
GAP_PIXELS = 3
PART_ALPHA = 40
OVER_PICTURES = 1
STEPS_ACROSS = 50
STEPS_UP = 25
ZOOM = 0.8


class TimePane(pyqtgraph.GraphicsView):
    """One plot over seconds, with its title drawn over it to save space; `left` is the other axis.

    The wheel zooms and dragging moves along time, never beyond its ends; the y range stays fixed. It is assembled from
    parts of pyqtgraph because complete plots include menus: windows without an owner, which Python's garbage collector
    may delete while Qt iterates over all windows.
    """

    _title: QLabel | None = None
    """None during the first layout of the plot."""

    def __init__(self, name: str, parent: QWidget | None = None, *, shows_time: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("pane")
        self.setAccessibleName(name)
        self.setMinimumHeight(MIN_HEIGHT_PIXELS)
        self.setFrameShape(self.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.view = pyqtgraph.ViewBox(enableMenu=False)
        self.view.setMouseEnabled(x=True, y=False)
        self.view.setDefaultPadding(0)
        self.left = pyqtgraph.AxisItem("left", maxTickLength=0)
        self.left.setWidth(LEFT_PIXELS)
        self._bottom = SecondsAxis("bottom", maxTickLength=0)
        self._bottom.setHeight(AXIS_HEIGHT_PIXELS)
        self._bottom.setVisible(shows_time)
        layout = pyqtgraph.GraphicsLayout()
        layout.setContentsMargins(0, 0, RIGHT_MARGIN_PIXELS, 0)
        layout.setSpacing(0)
        for item, row, column in ((self.left, 0, 0), (self.view, 0, 1), (self._bottom, 1, 1)):
            layout.addItem(item, row, column)
        self.setCentralItem(layout)
        font = QFont(self.font())
        font.setPixelSize(FONT_PIXELS)
        for axis in (self.left, self._bottom):
            axis.linkToView(self.view)
            axis.setStyle(tickFont=font, tickTextOffset=4)
        self._words = ""
        self._title = QLabel(self)
        self._title.setObjectName("paneTitle")
        self._title.move(LEFT_PIXELS + TITLE_PIXELS, TITLE_PIXELS // 2)
        self._title.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.cursor = pyqtgraph.InfiniteLine(0, movable=False)
        self.part = pyqtgraph.LinearRegionItem(swapMode="sort")
        for level, item in ((2 * OVER_PICTURES, self.cursor), (OVER_PICTURES, self.part)):
            item.setZValue(level)
            item.hide()
            self.add(item)
        self.restyle()

    def add(self, item: object) -> None:
        """Add an item to the plot."""
        self.view.addItem(item)

    def show_seconds(self, seconds: float) -> None:
        """Set the length of the plot and show all of it."""
        self.view.setLimits(xMin=0, xMax=seconds, minXRange=min(MIN_VIEW_SECONDS, seconds))
        self.view.setXRange(0, seconds, padding=0)

    def set_title(self, title: str) -> None:
        """Set the title, which describes the plot."""
        self._words = title
        self._fit_title()
        self.describe("")

    def describe(self, reading: str) -> None:
        """Describe the plot, and the values at the cursor if any, for screen readers."""
        self.setAccessibleDescription("; ".join(part for part in (self._words, reading) if part))

    @property
    def shown_title(self) -> str:
        """The title as displayed, elided if space is short."""
        return self._title.text() if self._title is not None else ""

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Elide the title again; pyqtgraph also calls this without an event."""
        super().resizeEvent(event)
        self._fit_title()

    def restyle(self) -> None:
        """Apply the colors of the theme."""
        inks = colors()
        self.setBackground(QColor(inks.surface))
        for axis in (self.left, self._bottom):
            axis.setPen(pyqtgraph.mkPen(inks.surface))
            axis.setTextPen(pyqtgraph.mkPen(inks.faint))
        self.cursor.setPen(pyqtgraph.mkPen(inks.accent, width=CURSOR_PIXELS, style=Qt.PenStyle.DashLine))
        ground = QColor(inks.accent)
        ground.setAlpha(PART_ALPHA)
        self.part.setBrush(pyqtgraph.mkBrush(ground))
        for line in self.part.lines:
            line.setPen(pyqtgraph.mkPen(inks.accent, width=CURSOR_PIXELS))

    def _fit_title(self) -> None:
        if self._title is not None:
            room = self.width() - self._title.x() - TITLE_MARGIN_PIXELS
            self._title.setText(self._title.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room))
            self._title.adjustSize()


class SecondsAxis(pyqtgraph.AxisItem):
    """An axis whose labels have the unit s."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Return labels in seconds, without trailing zeros."""
        return [f"{value:g} s" for value in np.round(values, 4)]


class PaneStack(FollowsTheme, QWidget):
    """Plots of the same time range; `range_chosen` carries the start and end, in seconds, that the user wants to see.

    `pointed` carries the time under the mouse or at the cursor and the height in its plot, from 0 to 1; `part_chosen`
    the start and end of the selected range.
    """

    range_chosen = Signal(float, float)
    pointed = Signal(float, float)
    part_chosen = Signal(float, float)

    def __init__(self, panes: Sequence[TimePane], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.panes = tuple(panes)
        self.seconds_in_view = (0.0, 0.0)
        """The start and end of the view in seconds."""
        self._seconds = 0.0
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP_PIXELS)
        for pane in self.panes:
            layout.addWidget(pane, 1)
            pane.view.setXLink(self.panes[-1].view)
        self.panes[-1].view.setXLink(None)
        self.panes[-1].view.sigXRangeChanged.connect(self._on_range)
        self._point = (0.0, 0.5)
        for pane in self.panes:
            pane.scene().sigMouseMoved.connect(partial(self._on_mouse, pane))
            pane.part.sigRegionChanged.connect(self._on_part)
            pane.part.sigRegionChangeFinished.connect(self._on_part_chosen)

    @property
    def part(self) -> tuple[float, float] | None:
        """The start and end of the selected range in seconds; None if nothing is selected."""
        shown = self.panes[0].part
        if not shown.isVisible():
            return None
        start, end = shown.getRegion()
        return max(float(start), 0.0), min(float(end), self._seconds)

    def select_part(self, part: tuple[float, float] | None) -> None:
        """Show a range as selected, with edges that can be dragged; None selects nothing."""
        for pane in self.panes:
            with QSignalBlocker(pane.part):
                pane.part.setBounds((0.0, self._seconds))
                if part is not None:
                    pane.part.setRegion(part)
            pane.part.setVisible(part is not None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys for cursor, zoom and selection.

        Left and right move the cursor, up and down the height at which it reads; plus and minus zoom. The bracket keys
        set the start and the end of the selected range to the cursor.
        """
        key, (seconds, height) = Qt.Key(event.key()), self._point
        low, high = self.seconds_in_view
        step = (high - low) / STEPS_ACROSS
        moves = {
            Qt.Key.Key_Left: (-step, 0.0),
            Qt.Key.Key_Right: (step, 0.0),
            Qt.Key.Key_Up: (0.0, 1 / STEPS_UP),
            Qt.Key.Key_Down: (0.0, -1 / STEPS_UP),
        }
        if key in moves:
            across, up = moves[key]
            self._point_at(seconds + across, height + up)
            self.show_moment(self._point[0])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            factor = 1 / ZOOM if key is Qt.Key.Key_Minus else ZOOM
            self.panes[-1].view.scaleBy((factor, 1), center=QPointF(seconds, 0))
        elif key in (Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight) and self.part is not None:
            start, end = self.part
            opens = key is Qt.Key.Key_BracketLeft
            self.select_part((min(seconds, end), end) if opens else (start, max(seconds, start)))
            self._on_part_chosen()
        else:
            event.ignore()

    @property
    def columns(self) -> int:
        """The width of the time axis in pixels."""
        return max(int(self.panes[0].view.width()), 1)

    def show_length(self, seconds: float) -> None:
        """Set the length; if it has changed, show all of it."""
        if seconds != self._seconds:
            self._seconds = seconds
            self.seconds_in_view = (0.0, seconds)
            self._point = (0.0, 0.5)
            self.select_part(None)
            for pane in self.panes:
                pane.show_seconds(seconds)

    def show_range(self, start: float, end: float) -> None:
        """Show the same range as other stacks of the same length; emits no signal."""
        if (start, end) != self.seconds_in_view and 0 <= start < end <= self._seconds:
            self.seconds_in_view = (start, end)
            self.panes[-1].view.setXRange(start, end, padding=0)

    def show_moment(self, seconds: float | None) -> None:
        """Draw the cursor at this time; None hides it."""
        for pane in self.panes:
            pane.cursor.setVisible(seconds is not None)
            pane.cursor.setValue(seconds or 0.0)

    def describe(self, reading: str) -> None:
        """Describe the values at the cursor for screen readers, in the plot that has the focus."""
        for pane in self.panes:
            pane.describe(reading if pane.hasFocus() else "")

    def restyle(self) -> None:
        """Apply the colors of the theme."""
        for pane in self.panes:
            pane.restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Request images again, because the number of columns follows the width."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.range_chosen.emit(*self.seconds_in_view)

    def _point_at(self, seconds: float, height: float) -> None:
        self._point = (min(max(seconds, 0.0), self._seconds), min(max(height, 0.0), 1.0))
        self.pointed.emit(*self._point)

    def _on_mouse(self, pane: TimePane, position: QPointF) -> None:
        low, high = pane.view.viewRange()[1]
        point = pane.view.mapSceneToView(position)
        height = (point.y() - low) / (high - low)
        if 0 <= point.x() <= self._seconds and 0 <= height <= 1:
            self._point_at(point.x(), height)

    @Slot(object)
    def _on_part(self, moved: object) -> None:
        """Show the range that was dragged in one plot in all plots."""
        region = moved.getRegion()  # type: ignore[attr-defined]
        for pane in self.panes:
            if pane.part is not moved:
                with QSignalBlocker(pane.part):
                    pane.part.setRegion(region)

    @Slot()
    def _on_part_chosen(self) -> None:
        if self.part is not None:
            self.part_chosen.emit(*self.part)

    @Slot(object, object)
    def _on_range(self, view: object, found: tuple[float, float]) -> None:
        low, high = max(float(found[0]), 0.0), min(float(found[1]), self._seconds)
        if (low, high) != self.seconds_in_view and low < high:
            self.seconds_in_view = (low, high)
            self.range_chosen.emit(low, high)
