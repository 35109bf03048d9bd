"""A plot over seconds with a title in its corner and a cursor; stacked panes scroll and zoom together."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph
from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.diagnostics.plain_plot import PlainPlot
from app.theme import Colours

LEFT_PIXELS = 46
TITLE_PIXELS = 4
LEAST_HEIGHT_PIXELS = 48
CURSOR_PIXELS = 1.5
TITLE_MARGIN_PIXELS = 24
GAP_PIXELS = 3


class TimePane(PlainPlot):
    """A plot with its title drawn over it, so that no space is lost."""

    _title: QLabel | None = None
    """None when the plot is first laid out."""

    def __init__(
        self, name: str, parent: QWidget | None = None, *, shows_time: bool = False, left_pixels: int = LEFT_PIXELS
    ) -> None:
        super().__init__(parent, shows_time=shows_time)
        self.setObjectName("pane")
        self.setAccessibleName(name)
        self.setMinimumHeight(LEAST_HEIGHT_PIXELS)
        self.left.setWidth(left_pixels)
        self._words = ""
        self._title = QLabel(self)
        self._title.setObjectName("paneTitle")
        self._title.move(left_pixels + TITLE_PIXELS, TITLE_PIXELS // 2)
        self._title.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.cursor = pyqtgraph.InfiniteLine(0, movable=False)
        self.cursor.setZValue(1)
        self.cursor.hide()
        self.add(self.cursor)

    def set_title(self, title: str) -> None:
        """Set the title, which says what is plotted."""
        self._words = title
        self._fit_title()
        self.setAccessibleDescription(title)

    @property
    def shown_title(self) -> str:
        """The title as shown, elided if space is short."""
        return self._title.text() if self._title is not None else ""

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Elide the title again; pyqtgraph also calls this without an event."""
        super().resizeEvent(event)
        self._fit_title()

    def _fit_title(self) -> None:
        if self._title is not None:
            room = self.width() - self._title.x() - TITLE_MARGIN_PIXELS
            self._title.setText(self._title.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room))
            self._title.adjustSize()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        super().set_colours(colours)
        self.cursor.setPen(pyqtgraph.mkPen(colours.accent, width=CURSOR_PIXELS, style=Qt.PenStyle.DashLine))


class PaneStack(QWidget):
    """Panes over the same time; `range_chosen` carries the start and end in seconds that the user wants to see."""

    range_chosen = Signal(float, float)

    def __init__(self, panes: Sequence[TimePane], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.panes = tuple(panes)
        self._shown = (0.0, 0.0)
        self._seconds = 0.0
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP_PIXELS)
        for pane in self.panes:
            layout.addWidget(pane, 1)
            pane.view.setXLink(self.panes[-1].view)
        self.panes[-1].view.setXLink(None)
        self.panes[-1].view.sigXRangeChanged.connect(self._on_range)

    @property
    def columns(self) -> int:
        """The width of the time axis in pixels."""
        return max(int(self.panes[0].view.width()), 1)

    @property
    def seconds_in_view(self) -> tuple[float, float]:
        """The start and end of the view in seconds."""
        return self._shown

    def show_length(self, seconds: float) -> None:
        """Set the length; if it has changed, all of it is shown."""
        if seconds != self._seconds:
            self._seconds = seconds
            self._shown = (0.0, seconds)
            for pane in self.panes:
                pane.show_seconds(seconds)

    def show_moment(self, seconds: float | None) -> None:
        """Draw the cursor at this time; None hides it."""
        for pane in self.panes:
            pane.cursor.setVisible(seconds is not None)
            pane.cursor.setValue(seconds or 0.0)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        for pane in self.panes:
            pane.set_colours(colours)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Request pictures again: the number of columns follows the width."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.range_chosen.emit(*self._shown)

    @Slot(object, object)
    def _on_range(self, view: object, found: tuple[float, float]) -> None:
        low, high = max(float(found[0]), 0.0), min(float(found[1]), self._seconds)
        if (low, high) != self._shown and low < high:
            self._shown = (low, high)
            self.range_chosen.emit(low, high)
