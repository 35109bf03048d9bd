"""The window of the diagnostics panel: movable, large enough for all content when first opened, remembered later."""

from __future__ import annotations

import sys

from PySide6.QtCore import QByteArray, QEvent, QMargins, QRect, Qt, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

TITLE = "Diagnostics"
OPENING_PIXELS = (1180, 860)
"""Its size when it is opened for the first time, if the screen is large enough."""
FRAME_PIXELS = QMargins(8, 40, 8, 8)
"""Space for a frame, whose size is unknown before the window is shown."""


class DiagnosticsWindow(QWidget):
    """The Diagnostics window.

    `shown_changed` is emitted when the user opens or closes it, not when it is minimized. `activated` is emitted when
    it becomes the active window.
    """

    shown_changed = Signal(bool)
    activated = Signal()

    def __init__(self, owner: QWidget, panel: QWidget) -> None:
        super().__init__(owner, Qt.WindowType.Window)
        self.shown = False
        """True if it is open, even if minimized."""
        self._placed = False
        self.setObjectName("diagnosticsWindow")
        self.setWindowTitle(TITLE)
        self.toggle = QAction(TITLE, self, checkable=True)
        self.toggle.toggled.connect(self._on_toggle)
        self.addAction(self.toggle)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(panel)

    @property
    def place(self) -> QByteArray:
        """The size and position, for `restore`; empty if it was never open."""
        return self.saveGeometry() if self._placed else QByteArray()

    def restore(self, place: QByteArray, *, shown: bool) -> None:
        """Restore size and position, and open behind the other windows if `shown`; an invalid place is ignored."""
        self._placed = self.restoreGeometry(place)
        if shown:
            self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
            self.show()
            self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, on=False)

    @Slot()
    def open(self) -> None:
        """Show the window in front of the others."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def showEvent(self, event: QShowEvent) -> None:
        """Set the initial size and position when first shown."""
        if not self._placed:
            self._placed = True
            self.setGeometry(opening_place(self.screen().availableGeometry()))
        if sys.platform != "darwin":  # on a Mac, this window shares the menu bar of its owner
            # otherwise it could never be behind its owner
            self.windowHandle().setTransientParent(None)  # type: ignore[arg-type]
        super().showEvent(event)
        self._become(shown=True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Report closing, unless the window is only minimized."""
        super().hideEvent(event)
        if not event.spontaneous():
            self._become(shown=False)

    def changeEvent(self, event: QEvent) -> None:
        """Report activation."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self.activated.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close without asking, since nothing in it is lost."""
        super().closeEvent(event)
        self._become(shown=False)

    def _become(self, *, shown: bool) -> None:
        if shown != self.shown:
            self.shown = shown
            self.toggle.setChecked(shown)
            self.shown_changed.emit(shown)

    @Slot(bool)
    def _on_toggle(self, wanted: bool) -> None:
        if wanted != self.shown:
            if wanted:
                self.open()
            else:
                self.close()


def opening_place(screen: QRect) -> QRect:
    """Return the center of the screen, limited to the size that fits with the window frame."""
    room = screen.marginsRemoved(FRAME_PIXELS)
    place = QRect(0, 0, min(OPENING_PIXELS[0], room.width()), min(OPENING_PIXELS[1], room.height()))
    place.moveCenter(room.center())
    return place
