"""Lays out the table of stages, the strip along time and the drill-down in the space available."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QTabBar, QVBoxLayout, QWidget

ALL_FROM_PIXELS = 560
SPACE_PIXELS = 4
SHARES = (605, 395)
SHARES_NEAR = (410, 590)
"""The drill-down gets more of the space."""
SHARES_HIGH = (330, 400)
ALONG_TIME, STAGE = range(2)


class ResultsArea(QWidget):
    """Shows all three if it is high enough; otherwise the table and one of the others, with tabs to switch."""

    def __init__(
        self, table: QWidget, strip: QWidget, caption: QWidget, drill_down: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._strip, self._drill_down = strip, drill_down
        self.tabs = QTabBar(self)
        self._prepare_tabs()
        self.rows = QSplitter(Qt.Orientation.Vertical, self)
        self.columns = QSplitter(Qt.Orientation.Horizontal, self.rows)
        self._side = QWidget()
        self._side_layout = QVBoxLayout(self._side)
        self._lay_out(table, caption)
        self.tabs.currentChanged.connect(self._on_tab)
        self._arrange()

    @property
    def has_room_for_all(self) -> bool:
        """Whether table, strip and drill-down are all in view."""
        return self.height() >= ALL_FROM_PIXELS

    @Slot()
    def show_drill_down(self) -> None:
        """Bring the drill-down into view."""
        self.tabs.setCurrentIndex(STAGE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out again for the new size."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        high = self.has_room_for_all
        if high and self._drill_down.parent() is not self.rows:
            self.rows.addWidget(self._drill_down)
            self.rows.setSizes(SHARES_HIGH)
            self.columns.setSizes(SHARES)
        elif not high and self._drill_down.parent() is not self._side:
            self._side_layout.addWidget(self._drill_down, 1)
            self.columns.setSizes(self._shares())
        self.tabs.setVisible(not high)
        self._strip.setVisible(high or self.tabs.currentIndex() == ALONG_TIME)
        self._drill_down.setVisible(high or self.tabs.currentIndex() == STAGE)

    def _shares(self) -> tuple[int, int]:
        return SHARES_NEAR if self.tabs.currentIndex() == STAGE else SHARES

    @Slot(int)
    def _on_tab(self, number: int) -> None:
        self._arrange()
        if not self.has_room_for_all:
            self.columns.setSizes(self._shares())

    def _prepare_tabs(self) -> None:
        self.tabs.setAccessibleName("View")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(False)
        self.tabs.addTab("Along time")
        self.tabs.addTab("Stage")

    def _lay_out(self, table: QWidget, caption: QWidget) -> None:
        top = QHBoxLayout()
        top.addWidget(self.tabs)
        top.addWidget(caption, 1)
        for layout in (self._side_layout, top):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(SPACE_PIXELS)
        self._side_layout.addLayout(top)
        self._side_layout.addWidget(self._strip, 1)
        self.columns.addWidget(table)
        self.columns.addWidget(self._side)
        for splitter in (self.rows, self.columns):
            splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.rows)
