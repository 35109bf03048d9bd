"""The waveform with a scroll bar below it, which is there while only a part of it is in view."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QScrollBar, QVBoxLayout, QWidget

from app.audio.waveform_view import WaveformView

STEPS_PER_PAGE = 10


class WaveformPane(QWidget):
    """The bar counts samples."""

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
        self.bar.valueChanged.connect(self.view.zoom.scroll_to)

    @Slot()
    def _on_shown(self) -> None:
        shown = self.view.zoom.shown
        self.bar.blockSignals(True)  # it follows the view here, not the other way
        self.bar.setRange(0, shown.total - shown.length)
        self.bar.setPageStep(shown.length)
        self.bar.setSingleStep(max(1, shown.length // STEPS_PER_PAGE))
        self.bar.setValue(shown.start)
        self.bar.blockSignals(False)
        self.bar.setVisible(not shown.whole)
