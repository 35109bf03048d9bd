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
"""As many letters as no tab is elided beside, in a large font."""
MIN_WIDTH_PIXELS, MIN_WIDTH_LETTERS = 220, 30
MARGIN_PIXELS = 8


class SideBar(QFrame):
    """Shows one of its panels, or nothing at all; `changed` tells that another panel is shown, or none.

    Each panel has an action for the View menu, ticked while the panel is shown. Where there is no room beside the text,
    `instead` is true: the side bar takes the place of the text, and `give_way` gives that back. `width_pixels` is the
    width that it should have beside the text.
    """

    changed = Signal()
    focus_left = Signal()  # it had the focus and is gone

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
        """Of what the Tab key leads through."""
        self._lay_out()
        self.tabs.currentChanged.connect(self._on_tab)
        self.close_button.clicked.connect(self.close_panel)
        self.hide()

    @property
    def panel(self) -> QWidget | None:
        """The panel that is shown."""
        return self._bodies[self._panels.currentIndex()].body if self._shown else None

    @property
    def title(self) -> str:
        """The title of the panel that is shown, or will be once it is added; else empty."""
        return self.tabs.tabText(self.tabs.currentIndex()) if self._shown else self._expected

    def add(self, title: str, widget: QWidget) -> QAction:
        """Add a panel after the others; the action shows it and hides it."""
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
        """Show none."""
        self._expected = ""
        self._become(shown=False)

    @Slot()
    def give_way(self) -> None:
        """Give back the place of the text, after something was chosen whose effect is there."""
        if self.instead:
            self.close_panel()

    def minimumSizeHint(self) -> QSize:
        """The least width, whatever the panels would like."""
        letters = MIN_WIDTH_LETTERS * self.fontMetrics().averageCharWidth()
        return QSize(max(MIN_WIDTH_PIXELS, letters), super().minimumSizeHint().height())

    def _put_in_order(self, controls: Sequence[QWidget]) -> None:
        """Let the Tab key lead to the controls of a panel before those beside the side bar, which are older."""
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
    """Everything in a widget that has no parent yet that can take the focus, in the order of the Tab key."""
    found: list[QWidget] = []
    each = widget.nextInFocusChain()
    while each is not None and each is not widget:
        found += [each] if each.focusPolicy() & Qt.FocusPolicy.TabFocus else []
        each = each.nextInFocusChain()
    return found
