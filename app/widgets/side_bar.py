"""Panels beside the text, one at a time, under a head with a tab for each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from app.theme import icon
from app.widgets.controls import icon_button
from app.widgets.layouts import ScrollingBody

DEFAULT_WIDTH_PIXELS, DEFAULT_WIDTH_LETTERS = 340, 38
"""A width in letters at which no tab is elided, even in a large font."""
MIN_WIDTH_PIXELS, MIN_WIDTH_LETTERS = 220, 30
MARGIN_PIXELS = 8


class SideBar(QFrame):
    """A side bar that shows one of its panels, or nothing; `changed` is emitted when that changes.

    Each panel has an action for the View menu, ticked while the panel is shown. If there is no room beside the text,
    `instead` is true: the side bar replaces the text, and `give_way` brings the text back. `width_pixels` is the
    desired width beside the text.
    """

    changed = Signal()
    focus_left = Signal()  # it had the focus when it was hidden

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sideBar")
        self.setAccessibleName("Side bar")
        self.instead = False
        self.width_pixels = max(DEFAULT_WIDTH_PIXELS, DEFAULT_WIDTH_LETTERS * self.fontMetrics().averageCharWidth())
        self._shown = False
        self._expected = ""
        self._actions: list[QAction] = []
        self._bodies: list[ScrollingBody] = []
        self.tabs = QTabBar(self)
        self.tabs.setObjectName("sideTabs")
        self.tabs.setAccessibleName("Panels")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self.close_button = icon_button("Close side bar", icon("close", "faint"), self, "Close")
        self._panels = QStackedWidget(self)
        self._last: QWidget = self.close_button
        """The last widget in the order of the Tab key."""
        self._lay_out()
        self.tabs.currentChanged.connect(self._on_tab)
        self.close_button.clicked.connect(self.close_panel)
        self.hide()

    @property
    def panel(self) -> QWidget | None:
        """The panel on display."""
        return self._bodies[self._panels.currentIndex()].body if self._shown else None

    @property
    def title(self) -> str:
        """The title of the panel on display, or of the expected one; else empty."""
        return self.tabs.tabText(self.tabs.currentIndex()) if self._shown else self._expected

    def add(self, title: str, widget: QWidget) -> QAction:
        """Add a panel after the others; the returned action shows and hides it."""
        action = QAction(title, self, checkable=True)
        self._actions.append(action)
        controls = _in_focus_chain(widget)
        self._bodies.append(ScrollingBody(widget, grow=True))
        self._panels.addWidget(self._bodies[-1])
        self._put_in_order(controls)
        self.tabs.addTab(title)
        action.triggered.connect(self._on_action)
        if title == self._expected and not self._shown:
            self.open(widget)
        return action

    def expect(self, title: str) -> None:
        """Show the panel with this title as soon as it is added."""
        self._expected = title

    def open(self, widget: QWidget) -> None:
        """Show a panel that was added."""
        self._show([body.body for body in self._bodies].index(widget))

    @Slot()
    def close_panel(self) -> None:
        """Close the panel on display."""
        self._expected = ""
        self._become(shown=False)

    @Slot()
    def give_way(self) -> None:
        """Close if the bar replaces the text, after a choice that takes effect there."""
        if self.instead:
            self.close_panel()

    def minimumSizeHint(self) -> QSize:
        """Return the minimum width, regardless of the panels."""
        letters = MIN_WIDTH_LETTERS * self.fontMetrics().averageCharWidth()
        return QSize(max(MIN_WIDTH_PIXELS, letters), super().minimumSizeHint().height())

    def _put_in_order(self, controls: Sequence[QWidget]) -> None:
        """Place the controls of a panel in the Tab order before those beside the side bar, which are older."""
        for control in controls:
            QWidget.setTabOrder(self._last, control)
            self._last = control

    def _show(self, index: int) -> None:
        self._panels.setCurrentIndex(index)
        self.tabs.setCurrentIndex(index)
        self._become(shown=True)

    def _become(self, *, shown: bool) -> None:
        had_focus = self.isAncestorOf(self.window().focusWidget() or self.window())
        self._shown = shown
        self.setVisible(shown)
        for index, action in enumerate(self._actions):
            action.setChecked(shown and index == self._panels.currentIndex())
        self.changed.emit()
        if had_focus and not shown:
            self.focus_left.emit()

    @Slot()
    def _on_action(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        if action.isChecked():
            self._show(self._actions.index(action))
        else:
            self.close_panel()

    @Slot(int)
    def _on_tab(self, index: int) -> None:
        if self._shown and index != self._panels.currentIndex():
            self._show(index)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.tabs, 1)
        head.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN_PIXELS, MARGIN_PIXELS, MARGIN_PIXELS, MARGIN_PIXELS)
        layout.addLayout(head)
        layout.addWidget(self._panels, 1)


def _in_focus_chain(widget: QWidget) -> list[QWidget]:
    """Return the widgets inside a parentless widget that can take the focus, in the order of the Tab key."""
    found: list[QWidget] = []
    each = widget.nextInFocusChain()
    while each is not None and each is not widget:
        found += [each] if each.focusPolicy() & Qt.FocusPolicy.TabFocus else []
        each = each.nextInFocusChain()
    return found
