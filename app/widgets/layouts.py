"""Layouts for little space: a bar whose controls wrap, and a body that scrolls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

LINE_SPACE_PIXELS = 6
GROUP_SPACE_PIXELS = 12
SPACE_PIXELS = 6
STEP_PIXELS = 8
MIN_PIXELS = 40


class WrappingBar(QWidget):
    """A bar of groups of controls that wraps between groups; spare width goes to the groups added with a share."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._groups: list[tuple[QWidget, int]] = []
        self._counts: list[int] = []
        self._lines: list[QHBoxLayout] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(LINE_SPACE_PIXELS)

    @property
    def lines(self) -> tuple[tuple[QWidget, ...], ...]:
        """The groups on each line."""
        groups = iter(self._groups)
        return tuple(tuple(next(groups)[0] for _ in range(count)) for count in self._counts)

    def add(self, *controls: QWidget, share: int = 0) -> None:
        """Add a group of controls after the others; with a share, its last control grows."""
        group = QWidget(self)
        layout = QHBoxLayout(group)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        for control in controls:
            layout.addWidget(control, share if control is controls[-1] else 0)
        self._groups.append((group, share))
        self._arrange([len(self._groups)])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the groups again."""
        super().resizeEvent(event)
        self._arrange(balanced([group.sizeHint().width() for group, _ in self._groups], self.width()))

    def sizeHint(self) -> QSize:
        """Return the size of all groups on one line."""
        widths = [group.sizeHint().width() + GROUP_SPACE_PIXELS for group, _ in self._groups]
        return QSize(sum(widths) - GROUP_SPACE_PIXELS, self._column.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the width of the widest group alone, and the current height."""
        widths = (group.minimumSizeHint().width() for group, _ in self._groups)
        return QSize(max(widths, default=0), self._column.minimumSize().height())

    def _arrange(self, counts: Sequence[int]) -> None:
        if self._counts == list(counts):
            return
        self._counts = list(counts)
        while len(self._lines) < len(self._counts):
            self._lines.append(QHBoxLayout())
            self._lines[-1].setSpacing(GROUP_SPACE_PIXELS)
            self._column.addLayout(self._lines[-1])
        groups = iter(self._groups)
        for line, count in zip(self._lines, [*counts, *[0] * (len(self._lines) - len(counts))], strict=True):
            while line.count():
                line.takeAt(0)
            for _ in range(count):
                line.addWidget(*next(groups))
            if count and not any(line.stretch(number) for number in range(count)):
                line.addStretch(1)
            line.invalidate()
        self._column.invalidate()
        self.updateGeometry()


def balanced(widths: Sequence[int], room: int) -> list[int]:
    """Return the counts of `broken` for the narrowest lines that need no more of them, which evens out the last one."""
    counts = broken(widths, room)
    while room > STEP_PIXELS and len(narrower := broken(widths, room - STEP_PIXELS)) == len(counts):
        counts, room = narrower, room - STEP_PIXELS
        if max(widths, default=0) > room:
            break
    return counts


def broken(widths: Iterable[int], room: int) -> list[int]:
    """Return the numbers of items of these widths that fit on each line of width `room`."""
    counts: list[int] = []
    left = -1
    for width in widths:
        if counts and width + GROUP_SPACE_PIXELS <= left:
            counts[-1] += 1
            left -= width + GROUP_SPACE_PIXELS
        else:
            counts.append(1)
            left = room - width
    return counts


class ScrollingBody(QScrollArea):
    """A scroll area that looks like its body alone.

    It is never higher than its body unless it may `grow`, and 0 high if the body is empty.
    """

    def __init__(self, body: QWidget, parent: QWidget | None = None, *, grow: bool = False) -> None:
        super().__init__(parent)
        self._body = body
        self.setWidget(body)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls along when the Tab key reaches the controls in it
        for each in (self.viewport(), body):
            each.setAutoFillBackground(False)
        vertical = QSizePolicy.Policy.Expanding if grow else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)

    @property
    def body(self) -> QWidget:
        """The scrolling widget."""
        return self._body

    def event(self, event: QEvent) -> bool:
        """Propagate a change of the body's height."""
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Update the geometry, since lines wrap differently at a different width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return the size of the whole body at this width, which Qt would measure only once, and at no width."""
        whole, layout = self._body.sizeHint(), self._body.layout()
        if layout is not None and layout.isEmpty():
            whole.setHeight(0)
        elif layout is not None and layout.hasHeightForWidth():
            whole.setHeight(layout.totalHeightForWidth(self.width()))
        return whole

    def minimumSizeHint(self) -> QSize:
        """Return the width of the body plus its scroll bar, but only a few lines of height."""
        minimum, height = self._body.minimumSizeHint(), self.sizeHint().height()
        bar = self.verticalScrollBar().sizeHint().width() if height > MIN_PIXELS else 0
        return QSize(minimum.width() + bar, min(height, MIN_PIXELS))
