"""Shows a track as it fills up and the playback position; clicks and keys seek, zoom and scroll."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QSinglePointEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOption, QWidget

from app.audio.time_range import SAMPLE, STEP, WaveformZoom
from app.audio.track import AudioTrack
from app.audio.transport_bar import clock_time
from app.audio.waveform_item import WaveformItem, axis_height, paint_sentences, paint_times
from app.theme import colors

STEP_SECONDS = 1.0
PAGE_SECONDS = 5.0
MIN_WAVE_PIXELS = 24
"""The minimum height of the waveform; the times are left out if it would be lower with them."""
PLAYHEAD_PIXELS = 2
FRAME_PIXELS = 2
"""Space for the frame that shows the keyboard focus."""
DEFAULT_SIZE = QSize(256, 192)
MIN_SECONDS = 2
"""The minimum length shown; below it, bars would stand for fewer samples than the finest peaks."""
WHEEL_STEP = 120
"""Qt's value for one click of a typical wheel."""


class WaveformView(QWidget):
    """A clickable waveform, at first of the whole track at its expected length; positions are samples.

    `unmade_requested` is emitted instead of `seek_requested` where there is no audio: after the generated audio, and in
    the track's gaps. The visible part is public, as `zoom`.
    """

    seek_requested = Signal(SAMPLE)
    unmade_requested = Signal(SAMPLE)
    toggle_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._track = AudioTrack()
        self._position = 0
        self._hovered: int | None = None
        self._dragging = False
        self._heard_before = 0
        self.zoom = WaveformZoom(self)
        self.zoom.changed.connect(self._on_shown)
        self._sentences: Sequence[int] = ()
        self._item = WaveformItem()
        self._build()
        self.refresh()

    @property
    def position(self) -> int:
        """The sample at which the playhead is drawn."""
        return self._position

    @property
    def sentences(self) -> Sequence[int]:
        """The samples that are marked as starts of sentences."""
        return self._sentences

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return DEFAULT_SIZE

    def show_track(self, track: AudioTrack) -> None:
        """Show all of a track; if it is a different one, a drag that has begun ends."""
        self._dragging = self._dragging and track is self._track
        self._track = track
        self._sentences = ()
        self.zoom.show_all()
        self.refresh()
        self.set_position(0)

    def refresh(self) -> None:
        """Update after the track has grown."""
        self.zoom.fit(self._track.expected_length(), MIN_SECONDS * self._sample_rate_hz)
        self._on_shown()

    def show_sentences(self, sentences: Sequence[int]) -> None:
        """Mark these samples, in order, as the starts of sentences."""
        self._sentences = sentences
        self.update()

    def seek(self, position: int) -> None:
        """Request this sample, or the nearest one of the generated audio."""
        inside = self._inside(position)
        if self._in_gap(inside):
            self.unmade_requested.emit(inside)
        else:
            self.zoom.follow_playback(inside)
            self.seek_requested.emit(inside)

    def set_position(self, position: int) -> None:
        """Show the sample that is playing now."""
        self._heard_before = position
        if not self._dragging:
            self._show_position(position)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the waveform once there is audio, above its time axis if there is room."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(colors().surface))
        area = self._area
        if self._track.length and area.isValid():
            self._item.paint(painter, area)
            paint_sentences(painter, area, self.zoom.shown, self._sentences, colors().faint)
            self._paint_lines(painter, area)
            if self._has_axis:
                paint_times(painter, area, self.zoom.shown, self._sample_rate_hz, colors().faint)
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
        """Seek to where the button is released, if there is audio."""
        if not self._dragging:
            return
        self._dragging = False
        sample = self._sample_at(event)
        if self._is_made(sample):
            self.seek(sample)
        else:
            self._show_position(self._heard_before)
            self.unmade_requested.emit(sample)

    def leaveEvent(self, event: object) -> None:
        """Remove the hover line."""
        self._hovered = None
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl, around the pointer; otherwise scroll, unless the whole sound is visible."""
        turned = event.angleDelta()
        steps = (turned.y() or turned.x()) / WHEEL_STEP
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom.zoom(STEP**steps, self._sample_at(event))
        elif self.zoom.shown.whole:
            event.ignore()
        else:
            self.zoom.scroll(steps)

    def event(self, event: QEvent) -> bool:
        """Also zoom with two fingers on a touchpad."""
        if not isinstance(event, QNativeGestureEvent):
            return super().event(event)
        if event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom.zoom(1 + event.value(), self._sample_at(event))
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow, page, home and end keys seek; space plays and pauses; plus, minus and 0 zoom."""
        rate = self._sample_rate_hz
        zooms = {
            Qt.Key.Key_Plus: self.zoom.zoom_in,
            Qt.Key.Key_Equal: self.zoom.zoom_in,
            Qt.Key.Key_Minus: self.zoom.zoom_out,
            Qt.Key.Key_0: self.zoom.show_whole,
        }
        steps = {
            Qt.Key.Key_Left: -STEP_SECONDS,
            Qt.Key.Key_Right: STEP_SECONDS,
            Qt.Key.Key_PageUp: -PAGE_SECONDS,
            Qt.Key.Key_PageDown: PAGE_SECONDS,
        }
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: self._track.length}
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Space:
            self.toggle_requested.emit()
        elif key in steps:
            self.seek(self._position + round(steps[key] * rate))
        elif key in ends:
            self.seek(ends[key])
        elif key in zooms:
            zooms[key]()
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
        self.setMouseTracking(True)

    @property
    def _area(self) -> QRectF:
        """The area of the waveform, without frame and axis."""
        axis = axis_height(self.fontMetrics()) if self._has_axis else 0
        return QRectF(self.rect()).adjusted(FRAME_PIXELS, FRAME_PIXELS, -FRAME_PIXELS, -FRAME_PIXELS - axis)

    @property
    def _has_axis(self) -> bool:
        return self.height() - axis_height(self.fontMetrics()) >= MIN_WAVE_PIXELS

    def _paint_lines(self, painter: QPainter, area: QRectF) -> None:
        lines = [(self._position, QPen(QColor(colors().accent), PLAYHEAD_PIXELS))]
        if self._hovered is not None:
            lines.append((self._hovered, QPen(QColor(colors().faint), 1, Qt.PenStyle.DotLine)))
        for sample, pen in lines:
            painter.setPen(pen)
            x = self._area.left() + self._area.width() * self.zoom.shown.share_of(sample)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    @Slot()
    def _on_shown(self) -> None:
        self._item.show_peaks(self._track.peaks, self.zoom.shown, self._track.gaps)
        self._describe()
        self.update()

    def _show_position(self, position: int) -> None:
        self._position = position
        if not self._dragging:
            self.zoom.move_playhead(position)
        self._item.set_position(position)
        self._describe()
        self.update()

    def _describe(self) -> None:
        rate, shown = self._sample_rate_hz, self.zoom.shown
        words = f"{clock_time(self._position / rate)} of {clock_time(self._track.length / rate)}"
        if not shown.whole:
            words += f", showing {clock_time(shown.start / rate)} to {clock_time(shown.end / rate)}"
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    def _sample_at(self, event: QSinglePointEvent) -> int:
        inside = event.position().x() - self._area.left()
        return self.zoom.shown.sample_at(min(max(inside / max(self._area.width(), 1), 0.0), 1.0))

    def _is_made(self, sample: int) -> bool:
        """Return whether there is audio at this sample, or it is the end of a complete track."""
        so_far = sample < self._track.length or self.zoom.shown.total == self._track.length
        return so_far and not self._in_gap(sample)

    def _in_gap(self, sample: int) -> bool:
        return any(start <= sample < end for start, end in self._track.gaps)

    def _words_at(self, sample: int) -> str:
        time = clock_time(sample / self._sample_rate_hz)
        return time if self._is_made(sample) else f"{time} (not generated yet)"

    def _inside(self, position: int) -> int:
        return min(max(position, 0), self._track.length)
