"""The building blocks of the settings pages."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.widgets.controls import ComboBox
from app.widgets.elided_text import ElidedLabel

LIST_CHARACTERS = 18
"""The width of a drop-down list, in characters."""
MARGIN_PIXELS = 16
MAX_PIXELS = 480
GROUP_SPACE_PIXELS = 18
SPACE_PIXELS = 5


class SettingsPage(QScrollArea):
    """A scrollable column of controls, each with a title above and an explanation below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        body = QWidget()
        body.setObjectName("settingsBody")
        self._rows = QVBoxLayout(body)
        self._rows.setContentsMargins(MARGIN_PIXELS, MARGIN_PIXELS, MARGIN_PIXELS, MARGIN_PIXELS)
        self._rows.setSpacing(GROUP_SPACE_PIXELS)
        self._rows.addStretch(1)
        self.setObjectName("settingsArea")
        self.setWidget(body)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls along when Tab moves the focus

    def add_row(self, title: str, control: QWidget, explanation: str = "") -> WrappedLabel:
        """Add a control and its optional title; return the label of the explanation, whose text may change."""
        row = QVBoxLayout()
        row.setSpacing(SPACE_PIXELS)
        if title:
            name = WrappedLabel(title, self)
            name.setObjectName("settingTitle")
            name.setBuddy(control)
            row.addWidget(name)
        grows = control.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Expanding
        row.addWidget(control, 0, Qt.AlignmentFlag(0) if grows else Qt.AlignmentFlag.AlignLeft)
        words = WrappedLabel(explanation, self)
        words.setObjectName("faint")
        row.addWidget(words)
        self._rows.insertLayout(self._rows.count() - 1, row)
        return words


class WrappedLabel(QLabel):
    """Plain text that wraps to the available width; hidden while empty."""

    def __init__(self, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.set_text(words)

    def minimumSizeHint(self) -> QSize:
        """Return the height of one line; by default, Qt would reserve one line per word at any width."""
        return QSize(1, self.fontMetrics().height())

    def set_text(self, words: str) -> None:
        """Show this text."""
        self.setText(words)
        self.setHidden(not words)


class GroupChoice(ComboBox):
    """A drop-down list of a menu's actions: shows the checked one, and triggers the one that the user chooses."""

    def __init__(self, name: str, explanation: str, group: QActionGroup, parent: QWidget | None = None) -> None:
        super().__init__(name, explanation, LIST_CHARACTERS, parent)
        self._group = group
        self.offer((action.data(), action.text(), "") for action in group.actions())
        self.chosen.connect(self._on_chosen)
        for action in group.actions():
            action.toggled.connect(self._follow)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        if (ticked := self._group.checkedAction()) is not None:
            self.choose(ticked.data())

    @Slot(object)
    def _on_chosen(self, value: object) -> None:
        next(action for action in self._group.actions() if action.data() == value).trigger()


class ValueWithButton(QWidget):
    """Shows a value, with a button for it, by default one that opens the place to change it."""

    def __init__(self, name: str, title: str = "Choose…", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = ElidedLabel(self)
        self.label.setAccessibleName(name)
        self.button = QPushButton(title, self)
        self.button.setAutoDefault(False)
        self.button.setAccessibleName(f"{title.removesuffix('…')} {name[:1].lower()}{name[1:]}")
        self.setFocusProxy(self.button)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMaximumWidth(MAX_PIXELS)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.button)
