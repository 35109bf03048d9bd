"""Small controls: buttons and actions, combo boxes, progress bars, and announcements for screen readers."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAction, QIcon, QKeySequence, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QProgressBar, QPushButton, QToolButton, QWidget

from app.widgets.elided_text import ElidedComboBox

MIN_WIDTH_PIXELS = 48
BAR_PIXELS = 4
BAR_STEPS = 1000
"""Progress bars count in integers."""


class ActionButton(QPushButton):
    """A button for an action, with its title, tool tip and state."""

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
    """Return a flat button with a name for screen readers, which is also its tool tip unless `tool_tip` is given."""
    button = QToolButton(parent)
    button.setAccessibleName(name)
    button.setToolTip(tool_tip or name)
    button.setIcon(icon)
    return button


def action_of(widget: QWidget, title: str, key: str | QKeySequence.StandardKey, slot: object) -> QAction:
    """Add an action to a widget, which calls a slot or emits a signal; its key works while the widget has the focus."""
    action = QAction(title, widget)
    action.setShortcut(QKeySequence(key))
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    action.triggered.connect(slot)  # type: ignore[arg-type]
    widget.addAction(action)
    return action


class ComboBox(ElidedComboBox):
    """A combo box for values of any kind, each with a title and an optional tool tip.

    `chosen` carries the user's choice.
    """

    chosen = Signal(object)

    def __init__(self, name: str, explanation: str, width_characters: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: list[object] = []
        self._explanations: list[str] = []
        self.setAccessibleName(name)
        self.setToolTip(explanation)
        self.setMinimumContentsLength(width_characters)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setIconSize(QSize(0, 0))
        self.activated.connect(self._on_activated)

    @property
    def value(self) -> object:
        """The selected value; None if there is none."""
        return self._values[self.currentIndex()] if self.currentIndex() >= 0 else None

    @property
    def values(self) -> tuple[object, ...]:
        """All values offered."""
        return tuple(self._values)

    def offer(self, entries: Iterable[tuple[object, str, str]]) -> None:
        """Offer values with their titles and tool tips; keep the selection if it is still among them."""
        offered = list(entries)
        titles = [title for _, title, _ in offered]
        shown = [self.itemText(number) for number in range(self.count())]
        if [value for value, _, _ in offered] == self._values and titles == shown:
            return
        kept = self.value if self._values else next((value for value, _, _ in offered), None)
        self.clear()
        self._values = [value for value, _, _ in offered]
        self._explanations = [explanation or title for _, title, explanation in offered]
        for number, (_, title, _) in enumerate(offered):
            self.addItem(title)
            self.setItemData(number, self._explanations[number], Qt.ItemDataRole.ToolTipRole)
        self.choose(kept)

    def forbid(self, value: object, reason: str) -> None:
        """Disable a value, with the reason as its tool tip; without a reason, enable it again."""
        number = self._values.index(value)
        self.setItemData(number, reason or self._explanations[number], Qt.ItemDataRole.ToolTipRole)
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        model.item(number).setEnabled(not reason)

    def choose(self, value: object) -> None:
        """Select a value without emitting `chosen`; the first one if it is not offered."""
        self.setCurrentIndex(self._values.index(value) if value in self._values else min(0, len(self._values) - 1))

    def minimumSizeHint(self) -> QSize:
        """Return a small width, which is enough since the title can be elided."""
        return QSize(MIN_WIDTH_PIXELS, super().minimumSizeHint().height())

    @Slot(int)
    def _on_activated(self, number: int) -> None:
        self.chosen.emit(self._values[number])


def thin_bar(name: str, parent: QWidget, width_pixels: int | None = None) -> QProgressBar:
    """Return a bar without text, of a fixed width or as wide as there is room."""
    bar = QProgressBar(parent)
    bar.setObjectName("progress")
    bar.setAccessibleName(name)
    bar.setTextVisible(False)
    bar.setFixedHeight(BAR_PIXELS)
    if width_pixels is not None:
        bar.setFixedWidth(width_pixels)
    return bar


def show_fraction(bar: QProgressBar, fraction: float | None) -> None:
    """Show a fraction from 0 to 1, or a moving busy indicator for None.

    A bar with a new value paints immediately, and with it every part of the window that waits to be painted; this one
    also waits.
    """
    bar.setUpdatesEnabled(False)
    if fraction is None:
        bar.setRange(0, 0)
    else:
        bar.setRange(0, BAR_STEPS)
        bar.setValue(round(BAR_STEPS * fraction))
    bar.setUpdatesEnabled(True)


def announce(widget: QWidget, words: str, *, urgent: bool = False) -> None:
    """Have a screen reader say these words, immediately or after its current announcement."""
    event = QAccessibleAnnouncementEvent(widget, words)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)
