"""The waveform with the transport controls below it; converts the samples of the player to seconds."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QScrollBar, QVBoxLayout, QWidget

from app.audio.time_range import SAMPLE
from app.audio.track import AudioTrack
from app.audio.transport_bar import TransportBar
from app.audio.waveform_view import PAGE_SECONDS, WaveformView

LINE_PIXELS = 2
STEPS_PER_PAGE = 10
MAX_BAR = 2**30
"""The most that a scroll bar can count; 25 hours are more samples."""


class WaveformPane(QWidget):
    """Waveform with a horizontal scroll bar, which counts samples, or several at a time for a very long sound."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = WaveformView(self)
        self.bar = QScrollBar(Qt.Orientation.Horizontal, self)
        self.bar.setAccessibleName("Part of the waveform")
        self.bar.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.bar)
        self.view.zoom.changed.connect(self._on_shown)
        self.bar.valueChanged.connect(self._on_scrolled)

    @Slot()
    def _on_shown(self) -> None:
        shown, unit = self.view.zoom.shown, self._unit
        self.bar.blockSignals(True)  # it follows the view here, not the other way
        self.bar.setRange(0, (shown.total - shown.length) // unit)
        self.bar.setPageStep(shown.length // unit)
        self.bar.setSingleStep(max(1, shown.length // unit // STEPS_PER_PAGE))
        self.bar.setValue(shown.start // unit)
        self.bar.blockSignals(False)
        self.bar.setVisible(not shown.whole)

    @property
    def _unit(self) -> int:
        """The number of samples that the bar counts as one."""
        return self.view.zoom.shown.total // MAX_BAR + 1

    @Slot(int)
    def _on_scrolled(self, value: int) -> None:
        self.view.zoom.scroll_to(value * self._unit)


class PlayerPanel(QFrame):
    """Follows a track and a position, below a title.

    `seek_requested` carries a sample, `unmade_requested` one that is not generated yet. While there is no audio,
    `silent` is True and a `line` replaces the waveform. A new track keeps the waveform's space until it has audio,
    unless it has ended without any.
    """

    seek_requested = Signal(SAMPLE)
    unmade_requested = Signal(SAMPLE)
    toggle_requested = Signal()
    silence_changed = Signal(bool)

    def __init__(self, title: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("player")
        self._track = AudioTrack()
        self._position = 0
        self.silent = True
        self.line = QFrame(self)
        self.line.setObjectName("silence")
        self.line.setFixedHeight(LINE_PIXELS)
        self.wave = WaveformPane(self)
        self.waveform = self.wave.view
        self.transport = TransportBar(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 10)
        layout.setSpacing(6)
        layout.addWidget(title)
        layout.addWidget(self.line)
        layout.addWidget(self.wave, 1)
        layout.addWidget(self.transport)
        self.waveform.seek_requested.connect(self.seek_requested)
        self.waveform.unmade_requested.connect(self.unmade_requested)
        self.waveform.toggle_requested.connect(self.toggle_requested)
        self.transport.back_requested.connect(self.go_back)
        self.transport.forward_requested.connect(self.go_forward)

    @property
    def track(self) -> AudioTrack:
        """The track on display."""
        return self._track

    @Slot(object)
    def show_track(self, track: AudioTrack) -> None:
        """Show a different track."""
        self._track = track
        self.waveform.show_track(track)
        self.refresh()
        self.show_position(0)

    @Slot()
    def refresh(self) -> None:
        """Update after the track has grown."""
        self.waveform.refresh()
        track = self._track
        made = self._seconds(track.length) if track.partial else None
        exact = track.finished and not track.partial
        self.transport.show_length(self._seconds(track.expected_length()), exact=exact, made_seconds=made)
        if track.length or track.finished:
            self._become_silent(silent=not track.length)

    @Slot(SAMPLE)
    def show_position(self, position: int) -> None:
        """Show the sample that is playing now."""
        self._position = position
        self.waveform.set_position(position)
        self.transport.show_position(self._seconds(position))

    @Slot()
    def go_back(self) -> None:
        """Go a few seconds back."""
        self._go(-PAGE_SECONDS)

    @Slot()
    def go_forward(self) -> None:
        """Go a few seconds forward."""
        self._go(PAGE_SECONDS)

    def _become_silent(self, *, silent: bool) -> None:
        if silent != self.silent:
            self.silent = silent
            self.line.setVisible(silent)
            self.silence_changed.emit(silent)

    def _go(self, seconds: float) -> None:
        self.waveform.seek(self._position + round(seconds * self._track.sample_rate_hz))

    def _seconds(self, samples: int) -> float:
        return samples / (self._track.sample_rate_hz or 1)
