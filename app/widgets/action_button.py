"""Buttons for actions or with an icon alone, and actions whose key counts in one widget."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QIcon, QKeySequence
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget


class ActionButton(QPushButton):
    """A button for an action: its title, its tool tip, and whether it can be used."""

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._action = action
        self.setObjectName("panelButton")
        self.clicked.connect(action.trigger)
        action.changed.connect(self._follow)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        self.setText(self._action.text())
        self.setEnabled(self._action.isEnabled())
        self.setVisible(self._action.isVisible())
        self.setToolTip(self._action.toolTip())


def icon_button(name: str, icon: QIcon, parent: QWidget, tool_tip: str = "") -> QToolButton:
    """A flat button with a name for screen readers, which is its tool tip unless another is given."""
    button = QToolButton(parent)
    button.setAccessibleName(name)
    button.setToolTip(tool_tip or name)
    button.setIcon(icon)
    return button


def action_of(widget: QWidget, title: str, key: str | QKeySequence.StandardKey, slot: object) -> QAction:
    """A new action of a widget, which calls a slot or emits a signal; its key counts while the widget has the focus."""
    action = QAction(title, widget)
    action.setShortcut(QKeySequence(key))
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    action.triggered.connect(slot)  # type: ignore[arg-type]
    widget.addAction(action)
    return action
