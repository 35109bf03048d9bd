"""Shows a track as it fills up and the position that is heard; clicks and keys seek."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOption, QWidget

from app.audio.track import AudioTrack
from app.audio.transport_bar import clock_time
from app.audio.waveform_item import WaveformItem
from app.theme import LIGHT, Colours

STEP_SECONDS = 1.0
PAGE_SECONDS = 5.0
HEIGHT_PIXELS = 96
PLAYHEAD_PIXELS = 2
AXIS_HEIGHT_PIXELS = 20
FRAME_PIXELS = 2
"""Space for the frame that shows the keyboard focus."""
USUAL_SIZE = QSize(256, 192)
ROOM_FOR_WORDS_PIXELS = 90
SPACINGS_SECONDS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600)
NOTHING = "The waveform appears here."
NOTHING_POINTS = 11


class WaveformView(QWidget):
    """Positions are samples; the whole track, or what it is expected to become, always fits.

    `unmade_wanted` is emitted instead of `seek_wanted` at a click where there is no sound yet.
    """

    seek_wanted = Signal(int)
    unmade_wanted = Signal()
    toggle_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._track = AudioTrack()
        self._position = 0
        self._hovered: int | None = None
        self._dragging = False
        self._heard_before = 0
        self._item = WaveformItem()
        self._colours = LIGHT
        self._build()
        self.refresh()

    @property
    def length(self) -> int:
        """Samples that fit into the width."""
        return max(self._track.expected_length(), 1)

    @property
    def position(self) -> int:
        """The sample at which the playhead is drawn."""
        return self._position

    @property
    def seconds_per_word(self) -> int:
        """The smallest round spacing that leaves room for the labels below."""
        wanted = self.length / self._sample_rate_hz * ROOM_FOR_WORDS_PIXELS / max(self._area.width(), 1)
        return next((spacing for spacing in SPACINGS_SECONDS if spacing >= wanted), SPACINGS_SECONDS[-1])

    def sizeHint(self) -> QSize:
        """The preferred size, unless the window asks for another."""
        return USUAL_SIZE

    def show_track(self, track: AudioTrack) -> None:
        """Show another track from its start."""
        self._track = track
        self.refresh()
        self.set_position(0)

    def refresh(self) -> None:
        """Update after the track has grown."""
        self._item.show_peaks(self._track.peaks, self.length)
        self._describe()
        self.update()

    def set_position(self, position: int) -> None:
        """Show the sample that is heard now."""
        self._heard_before = position
        if not self._dragging:
            self._show_position(position)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        self._item.set_colours(colours)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the waveform above its time axis, or a hint while there is none."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._colours.surface))
        area = self._area
        if self._track.length:
            self._item.paint(painter, area)
            self._paint_lines(painter, area)
            self._paint_times(painter, area.bottom())
        else:
            self._paint_nothing(painter, area)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start dragging the playhead at the mouse position."""
        if event.button() is Qt.MouseButton.LeftButton and self._track.length:
            self._dragging = True
            self._heard_before = self._position
            self._show_position(self._inside(self._sample_at(event)))
            event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show where a click would seek to, or drag the playhead."""
        sample = self._sample_at(event)
        self._hovered = None if self._dragging else sample
        self.setToolTip(self._words_at(sample) if self._track.length else "")
        if self._dragging:
            self._show_position(self._inside(sample))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Seek to where the button is released, if there is sound."""
        if not self._dragging:
            return
        self._dragging = False
        sample = self._sample_at(event)
        if self._is_made(sample):
            self.seek_wanted.emit(self._inside(sample))
        else:
            self._show_position(self._heard_before)
            self.unmade_wanted.emit()

    def leaveEvent(self, event: object) -> None:
        """No hover line without a mouse."""
        self._hovered = None
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel: everything is in view."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow, page, home and end keys seek; space plays and pauses."""
        rate = self._sample_rate_hz
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

    @property
    def _sample_rate_hz(self) -> int:
        return self._track.sample_rate_hz or 1

    def _build(self) -> None:
        self.setObjectName("waveform")
        self.setAccessibleName("Waveform")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(HEIGHT_PIXELS)
        self.setMouseTracking(True)

    @property
    def _area(self) -> QRectF:
        """The area of the waveform, without frame and axis."""
        inner = QRectF(self.rect()).adjusted(FRAME_PIXELS, FRAME_PIXELS, -FRAME_PIXELS, -FRAME_PIXELS)
        return inner.adjusted(0, 0, 0, -AXIS_HEIGHT_PIXELS)

    def _paint_lines(self, painter: QPainter, area: QRectF) -> None:
        lines = [(self._position, QPen(QColor(self._colours.accent), PLAYHEAD_PIXELS))]
        if self._hovered is not None:
            lines.append((self._hovered, QPen(QColor(self._colours.faint), 1, Qt.PenStyle.DotLine)))
        for sample, pen in lines:
            painter.setPen(pen)
            x = self._x_of(sample)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _paint_times(self, painter: QPainter, top: float) -> None:
        """Draw minutes and seconds below the waveform, omitting labels that would be cut off."""
        painter.setPen(QColor(self._colours.faint))
        step = self.seconds_per_word
        for seconds in range(0, self.length // self._sample_rate_hz + 1, step):
            area = QRectF(0, top, ROOM_FOR_WORDS_PIXELS, AXIS_HEIGHT_PIXELS)
            area.moveCenter(QPointF(self._x_of(seconds * self._sample_rate_hz), area.center().y()))
            words = clock_time(seconds)
            inked = painter.boundingRect(area, Qt.AlignmentFlag.AlignCenter, words)
            if inked.left() >= FRAME_PIXELS and inked.right() <= self.width() - FRAME_PIXELS:
                painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_nothing(self, painter: QPainter, area: QRectF) -> None:
        font = self.font()
        font.setPointSize(NOTHING_POINTS)
        painter.setFont(font)
        painter.setPen(QColor(self._colours.faint))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, NOTHING)

    def _show_position(self, position: int) -> None:
        self._position = position
        self._item.set_position(position)
        self._describe()
        self.update()

    def _describe(self) -> None:
        rate = self._sample_rate_hz
        words = f"{clock_time(self._position / rate)} of {clock_time(self._track.length / rate)}"
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _x_of(self, sample: int) -> float:
        return self._area.left() + self._area.width() * sample / self.length

    def _sample_at(self, event: QMouseEvent) -> int:
        inside = event.position().x() - self._area.left()
        return min(max(round(inside * self.length / max(self._area.width(), 1)), 0), self.length)

    def _is_made(self, sample: int) -> bool:
        """Whether there is sound at this sample, or it is at the end of all."""
        return sample < self._track.length or self.length == self._track.length

    def _words_at(self, sample: int) -> str:
        time = clock_time(sample / self._sample_rate_hz)
        return time if self._is_made(sample) else f"{time}, not made yet"

    def _inside(self, position: int) -> int:
        return min(max(position, 0), self._track.length)
