"""A combo box that holds values of any kind."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QWidget

from app.widgets.elided_text import ElidedComboBox

SMALLEST_PIXELS = 48


class ComboBox(ElidedComboBox):
    """Values of any kind, each with a title and optionally a tool tip; `chosen` carries the user's selection."""

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
        """All values on offer."""
        return tuple(self._values)

    def offer(self, entries: Iterable[tuple[object, str, str]]) -> None:
        """Offer values with their titles and tool tips; keeps the selection if it is still among them."""
        offered = list(entries)
        titles = [title for _, title, _ in offered]
        if [value for value, _, _ in offered] == self._values and titles == self._titles():
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
        """Disable a value, of which the tool tip says why; without a reason, allow it again."""
        number = self._values.index(value)
        self.setItemData(number, reason or self._explanations[number], Qt.ItemDataRole.ToolTipRole)
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        model.item(number).setEnabled(not reason)

    def choose(self, value: object) -> None:
        """Select a value without emitting `chosen`; the first one if it is not on offer."""
        self.setCurrentIndex(self._values.index(value) if value in self._values else min(0, len(self._values) - 1))

    def _titles(self) -> list[str]:
        return [self.itemText(number) for number in range(self.count())]

    def minimumSizeHint(self) -> QSize:
        """A small width is enough, since the title can be elided."""
        return QSize(SMALLEST_PIXELS, super().minimumSizeHint().height())

    @Slot(int)
    def _on_activated(self, number: int) -> None:
        self.chosen.emit(self._values[number])
