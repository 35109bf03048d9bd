"""What the pages of the settings are made of."""

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
"""The width of a list of choices."""
MARGIN_PIXELS = 16
MAX_PIXELS = 480
GROUP_SPACE_PIXELS = 18
SPACE_PIXELS = 5


class SettingsPage(QScrollArea):
    """Controls below each other, each under its title and above an explanation; scrolls where they need more room."""

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
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls along when the tab key reaches what is in it

    def add_row(self, title: str, control: QWidget, explanation: str = "") -> WrappedLabel:
        """Add a control, which its title leads to if it has one; returns the explanation, to say something else."""
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
    """Plain text, on as many lines as it needs in the width that there is; hidden while it is empty."""

    def __init__(self, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.say(words)

    def minimumSizeHint(self) -> QSize:
        """One line: Qt would want the height that one word a line needs, at any width."""
        return QSize(1, self.fontMetrics().height())

    def say(self, words: str) -> None:
        """Show this."""
        self.setText(words)
        self.setHidden(not words)


class GroupChoice(ComboBox):
    """A list of the actions of a menu: shows the one that is ticked, and triggers the one that is chosen."""

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


class ChosenElsewhere(QWidget):
    """Shows what is chosen, beside a button that opens where it is chosen."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = ElidedLabel(self)
        self.label.setAccessibleName(name)
        self.button = QPushButton("Choose…", self)
        self.button.setAutoDefault(False)
        self.button.setAccessibleName(f"Choose {name[:1].lower()}{name[1:]}")
        self.setFocusProxy(self.button)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMaximumWidth(MAX_PIXELS)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.button)
