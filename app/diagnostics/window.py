"""The window of the diagnostics panel: a frame that moves and resizes, opened with room for everything, remembered."""

from __future__ import annotations

import sys

from PySide6.QtCore import QByteArray, QEvent, QMargins, QRect, Qt, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

TITLE = "Diagnostics"
OPENING_PIXELS = (1180, 860)
"""Its size when it is opened for the first time, if the screen is that large."""
FRAME_PIXELS = QMargins(8, 40, 8, 8)
"""Room for a frame, which is not known before the window is shown."""


class DiagnosticsWindow(QWidget):
    """`shown_changed` is emitted when the user opens or closes it, not when it is minimised.

    `activated` tells that it is the window in use from now on, after another one may have been.
    """

    shown_changed = Signal(bool)
    activated = Signal()

    def __init__(self, owner: QWidget, panel: QWidget) -> None:
        super().__init__(owner, Qt.WindowType.Window)
        self.shown = False
        """Whether it is open, even if it is minimised."""
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
        """Its size and position, for `restore`; empty if it was never open."""
        return self.saveGeometry() if self._placed else QByteArray()

    def restore(self, place: QByteArray, *, shown: bool) -> None:
        """Take a size and position, and open behind the other windows if it was open; an invalid place is none."""
        self._placed = self.restoreGeometry(place)
        if shown:
            self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
            self.show()
            self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, on=False)

    @Slot()
    def open(self) -> None:
        """Show it in front of the other windows."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def showEvent(self, event: QShowEvent) -> None:
        """Take its place the first time."""
        if not self._placed:
            self._placed = True
            self.setGeometry(opening_place(self.screen().availableGeometry()))
        if sys.platform != "darwin":  # there, the menu bar of the owner is that of this window, too
            # or it could never be behind its owner
            self.windowHandle().setTransientParent(None)  # type: ignore[arg-type]
        super().showEvent(event)
        self._become(shown=True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that it is closed, unless it is only minimised."""
        super().hideEvent(event)
        if not event.spontaneous():
            self._become(shown=False)

    def changeEvent(self, event: QEvent) -> None:
        """Tell that it is the one in use."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self.activated.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close without asking: everything in it stays."""
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
    """The middle of the screen, as far as the window fits in it with its frame."""
    room = screen.marginsRemoved(FRAME_PIXELS)
    place = QRect(0, 0, min(OPENING_PIXELS[0], room.width()), min(OPENING_PIXELS[1], room.height()))
    place.moveCenter(room.center())
    return place
