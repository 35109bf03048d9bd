"""The dock of the diagnostics panel at the lower edge of the window: shown, hidden, moved, floated, remembered."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

TITLE = "Diagnostics"
OPENING_PIXELS = (1180, 900)
"""The window grows to this size, if the screen allows, when the panel is opened for the first time."""
OPENING_HEIGHT_PIXELS = 430


class DiagnosticsDock(QDockWidget):
    """`shown_changed` is emitted when the user opens or closes it, not when the whole window is hidden or minimised."""

    shown_changed = Signal(bool)

    def __init__(self, window: QMainWindow, panel: QWidget) -> None:
        super().__init__(TITLE, window)
        self._window = window
        self._shown = False
        self._was_open = False
        self.setObjectName("diagnostics")  # its name in the saved state
        self.setWidget(panel)
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self)
        self.hide()
        self.visibilityChanged.connect(self._on_visibility)

    @property
    def shown(self) -> bool:
        """Whether it is open, even if the window itself is minimised."""
        return not self.isHidden()

    @property
    def state(self) -> QByteArray:
        """Its position, for `restore`; empty if it was never open."""
        return self._window.saveState() if self._was_open else QByteArray()

    def restore(self, state: QByteArray) -> None:
        """Restore its position; an invalid state changes nothing."""
        self._was_open = self._window.restoreState(state)

    @Slot()
    def open(self) -> None:
        """Show it, with enough space."""
        self.show()
        self.raise_()

    @Slot(bool)
    def _on_visibility(self, visible: bool) -> None:
        if self.shown == self._shown:
            return
        self._shown = self.shown
        if self._shown and not self._was_open:
            self._was_open = True
            self._make_room()
        self.shown_changed.emit(self._shown)

    def _make_room(self) -> None:
        if not self._window.isMaximized() and not self._window.isFullScreen():
            screen = self._window.screen().availableSize()
            wanted = [min(pair) for pair in zip(OPENING_PIXELS, screen.toTuple(), strict=True)]
            self._window.resize(max(wanted[0], self._window.width()), max(wanted[1], self._window.height()))
        QTimer.singleShot(0, self._take_height)  # once the window has its new size

    @Slot()
    def _take_height(self) -> None:
        self._window.resizeDocks([self], [OPENING_HEIGHT_PIXELS], Qt.Orientation.Vertical)
