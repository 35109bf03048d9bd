"""The waveform with a scroll bar below it, which is there while only a part of it is in view."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QScrollBar, QVBoxLayout, QWidget

from app.audio.waveform_view import WaveformView

STEPS_PER_PAGE = 10
LONGEST_BAR = 2**30
"""More than this, a scroll bar cannot count; 25 hours are more samples."""


class WaveformPane(QWidget):
    """The bar counts samples, or of a very long sound as many at once as it must."""

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
        """How many samples the bar counts as one."""
        return self.view.zoom.shown.total // LONGEST_BAR + 1

    @Slot(int)
    def _on_scrolled(self, value: int) -> None:
        self.view.zoom.scroll_to(value * self._unit)
