"""Shows a track filling in, where it is heard, and takes clicks and keys to go elsewhere.

It does not know who plays it.
"""

from __future__ import annotations

import pyqtgraph
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.audio_track import AudioTrack
from app.theme import LIGHT, Colours
from app.widgets.transport_bar import clock_time
from app.widgets.waveform_item import WaveformItem

STEP_SECONDS = 1.0
PAGE_SECONDS = 5.0
HEIGHT_PIXELS = 96
PLAYHEAD_PIXELS = 2
AXIS_HEIGHT_PIXELS = 20
NOTHING = "The waveform appears here."


class WaveformView(pyqtgraph.PlotWidget):
    """Positions are samples; the whole track, or what it is expected to become, always fits."""

    seek_wanted = Signal(int)
    toggle_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self._axis = _TimeAxis()
        super().__init__(parent, axisItems={"bottom": self._axis})
        self._track = AudioTrack()
        self._position = 0
        self._dragging = False
        self._item = WaveformItem()
        self._playhead = pyqtgraph.InfiniteLine(0, movable=False)
        self._hover = pyqtgraph.InfiniteLine(0, movable=False)
        self._nothing = pyqtgraph.LabelItem(NOTHING)
        self._build()
        self.set_colours(LIGHT)
        self.refresh()

    def show_track(self, track: AudioTrack) -> None:
        """Show another track from its start."""
        self._track = track
        self.refresh()
        self.set_position(0)

    def refresh(self) -> None:
        """Look at the track again: it has grown."""
        length = max(self._track.expected_length(), 1)
        self._axis.sample_rate_hz = self._track.sample_rate_hz or 1
        self._item.show_peaks(self._track.peaks, length)
        self.setXRange(0, length, padding=0)
        there = self._track.length > 0
        self._playhead.setVisible(there)
        self._item.setVisible(there)
        self._axis.setStyle(showValues=there)
        self._nothing.setVisible(not there)
        self._describe()

    def set_position(self, position: int) -> None:
        """The sample that is heard now."""
        if not self._dragging:
            self._show_position(position)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self.setBackground(QColor(colours.surface))
        self._item.set_colours(colours)
        self._playhead.setPen(pyqtgraph.mkPen(colours.accent, width=PLAYHEAD_PIXELS))
        self._hover.setPen(pyqtgraph.mkPen(colours.faint, width=1, style=Qt.PenStyle.DotLine))
        self._axis.setPen(pyqtgraph.mkPen(colours.surface))
        self._axis.setTextPen(pyqtgraph.mkPen(colours.faint))
        self._nothing.setText(NOTHING, color=colours.faint, size="11pt")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go where the button is pressed."""
        if event.button() is Qt.MouseButton.LeftButton and self._track.length:
            self._dragging = True
            self._show_position(self._sample_at(event))
            event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show where a click would go, or take the playhead along."""
        sample = self._sample_at(event)
        self._hover.setValue(sample)
        self._hover.setVisible(self._track.length > 0 and not self._dragging)
        self.setToolTip(clock_time(sample / self._axis.sample_rate_hz) if self._track.length else "")
        if self._dragging:
            self._show_position(sample)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go where the button is let go."""
        if self._dragging:
            self._dragging = False
            self.seek_wanted.emit(self._sample_at(event))

    def leaveEvent(self, event: object) -> None:
        """No hover line without a mouse."""
        self._hover.hide()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to others: everything is in view."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows, pages, home and end go along; space plays and pauses."""
        rate = self._axis.sample_rate_hz
        steps = {
            Qt.Key.Key_Left: -STEP_SECONDS,
            Qt.Key.Key_Right: STEP_SECONDS,
            Qt.Key.Key_PageUp: -PAGE_SECONDS,
            Qt.Key.Key_PageDown: PAGE_SECONDS,
        }
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: self._track.length}
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Space:
            self.toggle_wanted.emit()
        elif key in steps:
            self.seek_wanted.emit(self._inside(self._position + round(steps[key] * rate)))
        elif key in ends:
            self.seek_wanted.emit(ends[key])
        else:
            event.ignore()

    def _build(self) -> None:
        self.setObjectName("waveform")
        self.setAccessibleName("Waveform")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(HEIGHT_PIXELS)
        self.setMouseTracking(True)
        self.setFrameShape(self.Shape.NoFrame)
        plot = self.getPlotItem()
        plot.hideButtons()
        plot.setMenuEnabled(False)
        plot.hideAxis("left")
        plot.setMouseEnabled(False, False)
        plot.setContentsMargins(0, 0, 0, 0)
        self._axis.setHeight(AXIS_HEIGHT_PIXELS)
        self.setYRange(-1, 1, padding=0)
        for item in (self._item, self._playhead, self._hover):
            self.addItem(item)
        self._hover.hide()
        self._nothing.setParentItem(plot.vb)
        self._nothing.anchor((0.5, 0.5), (0.5, 0.5))

    def _show_position(self, position: int) -> None:
        self._position = position
        self._playhead.setValue(position)
        self._item.set_position(position)
        self._describe()

    def _describe(self) -> None:
        rate = self._axis.sample_rate_hz
        words = f"{clock_time(self._position / rate)} of {clock_time(self._track.length / rate)}"
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _sample_at(self, event: QMouseEvent) -> int:
        point = self.getPlotItem().vb.mapSceneToView(self.mapToScene(event.position().toPoint()))
        return self._inside(round(point.x()))

    def _inside(self, position: int) -> int:
        return min(max(position, 0), self._track.length)


class _TimeAxis(pyqtgraph.AxisItem):
    """Marks whole seconds, whatever a sample is worth."""

    def __init__(self) -> None:
        super().__init__("bottom", maxTickLength=0)
        self.sample_rate_hz = 1

    def tickSpacing(self, minimum: float, maximum: float, size: float) -> list[tuple[float, float]]:
        """One spacing that leaves room for the words."""
        seconds = (maximum - minimum) / self.sample_rate_hz
        wanted = seconds * 90 / max(size, 1)
        usual = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
        chosen = next((spacing for spacing in usual if spacing >= wanted), usual[-1])
        return [(chosen * self.sample_rate_hz, 0)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Minutes and seconds."""
        return [clock_time(round(value / self.sample_rate_hz)) for value in values]
