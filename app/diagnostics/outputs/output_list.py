"""The outputs and inner values of one stage, each with its correlation and verdict; one can be selected."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.diagnostics.colours import FollowsTheme, PlainSelection, Tone, tone_colour, verdict_tone
from app.diagnostics.metric_words import VERDICT_SIGNS, VERDICT_TITLES
from engine.stages import stage_named
from engine.validator.data.results import Row
from engine.validator.data.wording import row_correlation

OUTPUT_ROLE = int(Qt.ItemDataRole.UserRole)
TITLE, AGREEMENT, VERDICT = range(3)
HEADINGS = "Output", "Correlation", "Verdict"
"""For screen readers."""
LEAST_HEIGHT_PIXELS = 38


class OutputList(FollowsTheme, QTreeWidget):
    """`output_chosen` carries the name of an output or the path of an inner value."""

    output_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Row, ...] = ()
        self.setObjectName("outputs")
        self.setAccessibleName("Outputs and inner values")
        self.setHeaderLabels([""] * len(HEADINGS))  # hidden, but columns are as wide as what is in them
        for column, heading in enumerate(HEADINGS):
            self.headerItem().setData(column, Qt.ItemDataRole.AccessibleTextRole, heading)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setTabKeyNavigation(False)
        self.setItemDelegateForColumn(VERDICT, PlainSelection(self))
        self.setMinimumHeight(LEAST_HEIGHT_PIXELS)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        for column in (AGREEMENT, VERDICT):
            self.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.itemSelectionChanged.connect(self._on_selection)

    @property
    def output(self) -> str | None:
        """The selected output."""
        chosen = self.selectedItems()
        return str(chosen[0].data(TITLE, OUTPUT_ROLE)) if chosen else None

    def show_rows(self, rows: tuple[Row, ...], chosen: str) -> None:
        """List these rows, with one selected; emits no signal."""
        blocked = self.blockSignals(True)
        if rows != self._rows:
            self._rows = rows
            self.clear()
            self.addTopLevelItems([self._item(row) for row in rows])
        for number, row in enumerate(rows):
            item = self.topLevelItem(number)
            if item is not None and row.output == chosen and self.output != chosen:
                self.setCurrentItem(item)
        self.blockSignals(blocked)

    def restyle(self) -> None:
        """Take the colours of the theme."""
        rows, chosen, self._rows = self._rows, self.output, ()
        self.show_rows(rows, chosen or "")

    def _item(self, row: Row) -> QTreeWidgetItem:
        item = QTreeWidgetItem([output_title(row), row_correlation(row), VERDICT_SIGNS[row.verdict]])
        item.setData(TITLE, OUTPUT_ROLE, row.output)
        item.setTextAlignment(AGREEMENT, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(TITLE, f"{output_title(row)} ({row.output})")
        item.setToolTip(VERDICT, VERDICT_TITLES[row.verdict])
        item.setData(VERDICT, int(Qt.ItemDataRole.AccessibleTextRole), VERDICT_TITLES[row.verdict])
        item.setForeground(VERDICT, QColor(tone_colour(verdict_tone(row.verdict))))
        if row.probe:
            item.setForeground(TITLE, QColor(tone_colour(Tone.FAINT)))
        return item

    @Slot()
    def _on_selection(self) -> None:
        if self.output is not None:
            self.output_chosen.emit(self.output)


def output_title(row: Row) -> str:
    """An output's name as text; for an inner value, its title and what distinguishes it from similar ones."""
    if not row.probe:
        return row.output.replace("_", " ")
    probe = next((each for each in stage_named(row.stage).probes if each.matches(row.output)), None)
    if probe is None:
        return row.output
    starred = "*" in probe.module
    return f"{probe.title} {row.output.rsplit('.', 1)[-1]}" if starred else probe.title
