"""What makes do with little room: a bar whose controls wrap, and a body that scrolls."""

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
    """A group is never split; spare width on a line goes to the groups that were added with a share."""

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
        """All on one line."""
        widths = [group.sizeHint().width() + GROUP_SPACE_PIXELS for group, _ in self._groups]
        return QSize(sum(widths) - GROUP_SPACE_PIXELS, self._column.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """The width of the widest group alone; the current height."""
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
    """The counts of `broken` with the narrowest lines that need no more of them, so that no short last line is left."""
    counts = broken(widths, room)
    while room > STEP_PIXELS and len(narrower := broken(widths, room - STEP_PIXELS)) == len(counts):
        counts, room = narrower, room - STEP_PIXELS
        if max(widths, default=0) > room:
            break
    return counts


def broken(widths: Iterable[int], room: int) -> list[int]:
    """How many items of these widths fit on each line of width `room`."""
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
        bar = self.verticalScrollBar().sizeHint().width() if height > MIN_PIXELS else 0
        return QSize(least.width() + bar, min(height, MIN_PIXELS))
