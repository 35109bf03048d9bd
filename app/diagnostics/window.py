"""The window of the diagnostics panel: movable, large enough for all content when first opened, remembered later."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.widgets.windows import SeparateWindow

TITLE = "Diagnostics"
OPENING_PIXELS = QSize(1180, 860)
"""Its size when it is opened for the first time, if the screen is large enough."""


class DiagnosticsWindow(SeparateWindow):
    """The Diagnostics window.

    `shown_changed` is emitted when the user opens or closes it, not when it is minimized. `activated` is emitted when
    it becomes the active window.
    """

    shown_changed = Signal(bool)
    activated = Signal()

    def __init__(self, owner: QWidget, panel: QWidget) -> None:
        super().__init__(owner, TITLE, OPENING_PIXELS)
        self.shown = False
        """True if it is open, even if minimized."""
        self.setObjectName("diagnosticsWindow")
        self.toggle = QAction(TITLE, self, checkable=True)
        self.toggle.toggled.connect(self._on_toggle)
        self.addAction(self.toggle)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(panel)

    def reopen(self) -> None:
        """Open behind the other windows."""
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.show()
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, on=False)

    def showEvent(self, event: QShowEvent) -> None:
        """Report opening."""
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
