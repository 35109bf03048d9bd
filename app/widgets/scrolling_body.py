"""What a small window shows only a part of: as high as its body where there is room, else it scrolls."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

LEAST_PIXELS = 40


class ScrollingBody(QScrollArea):
    """Looks like the body alone; never higher than that, unless it may `grow`, and without anything in it 0."""

    def __init__(self, body: QWidget, parent: QWidget | None = None, *, grow: bool = False) -> None:
        super().__init__(parent)
        self._body = body
        self.setWidget(body)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls along when the tab key reaches the controls in it
        for each in (self.viewport(), body):
            each.setAutoFillBackground(False)
        vertical = QSizePolicy.Policy.Expanding if grow else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)

    @property
    def body(self) -> QWidget:
        """What scrolls."""
        return self._body

    def event(self, event: QEvent) -> bool:
        """Pass on that the body has become higher or lower."""
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lines that wrap are others in another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """The whole body, which Qt would measure only once, and in no width."""
        whole, layout = self._body.sizeHint(), self._body.layout()
        if layout is not None and layout.isEmpty():
            whole.setHeight(0)
        elif layout is not None and layout.hasHeightForWidth():
            whole.setHeight(layout.totalHeightForWidth(self.width()))
        return whole

    def minimumSizeHint(self) -> QSize:
        """As wide as the body, with the bar that then stands beside it, but no higher than a few lines."""
        least, height = self._body.minimumSizeHint(), self.sizeHint().height()
        bar = self.verticalScrollBar().sizeHint().width() if height > LEAST_PIXELS else 0
        return QSize(least.width() + bar, min(height, LEAST_PIXELS))
