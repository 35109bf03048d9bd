"""A strip in the window with a symbol, a sentence and buttons: the base of messages and offers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QHideEvent, QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget
from shiboken6 import isValid

ICON_PIXELS = 20
LEAST_LABEL_PIXELS = 60
"""So that a word that cannot be broken, such as the name of a file, does not make the window wider."""


class NoticeStrip(QFrame):
    """`label` takes the space left by the symbol and the buttons, and wraps.

    When the strip goes while one of its buttons has the focus, what had the focus before gets it back.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._focused_before: QWidget | None = None
        self.symbol = _Symbol(self)
        self.label = QLabel(self)
        self.label.setWordWrap(True)
        self.label.setMinimumWidth(LEAST_LABEL_PIXELS)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)

    def hideEvent(self, event: QHideEvent) -> None:
        """Give the focus back, which Qt would pass on to whatever comes next."""
        super().hideEvent(event)
        before, focused = self._focused_before, self.window().focusWidget()
        if not self.isHidden() or focused is None or not self.isAncestorOf(focused):
            return
        if before is not None and isValid(before) and before.isVisible():
            before.setFocus()

    def lay_out(self, *rest: QWidget) -> None:
        """Symbol, sentence, and the rest, such as buttons, from left to right."""
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 7, 8, 7)
        layout.setSpacing(10)
        layout.addWidget(self.symbol)
        layout.addWidget(self.label, 1)
        for widget in rest:
            layout.addWidget(widget)

    @Slot(QWidget, QWidget)
    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        if old is None or new is None or old.window() is not self.window():
            return
        if self.isAncestorOf(new) and not self.isAncestorOf(old):
            self._focused_before = old


class _Symbol(QWidget):
    """Shows an icon, which a label would draw once and for all."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.icon = QIcon()
        self.setFixedSize(ICON_PIXELS, ICON_PIXELS)

    def show_icon(self, icon: QIcon) -> None:
        """Show this one."""
        self.icon = icon
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it in the colours of now."""
        self.icon.paint(QPainter(self), self.rect())
