"""The outputs and inner values of one stage, one of which can be selected, and all metrics of it."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLabel,
    QScrollArea,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.diagnostics.colours import PlainSelection, verdict_colour
from app.diagnostics.metric_words import VERDICT_SIGNS, VERDICT_TITLES, agreement_words, figures_of, verdict_meaning
from app.theme import LIGHT, Colours
from engine.stages import stage_named
from engine.validator.data.results import Row

OUTPUT_ROLE = int(Qt.ItemDataRole.UserRole)
TITLE, AGREEMENT, VERDICT = range(3)
HEADINGS = "Output", "Correlation", "Verdict"
"""For screen readers."""
LEAST_HEIGHT_PIXELS = 38


class OutputList(QTreeWidget):
    """`output_chosen` carries the name of an output or the path of an inner value."""

    output_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Row, ...] = ()
        self._colours = LIGHT
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

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        rows, chosen, self._rows = self._rows, self.output, ()
        self.show_rows(rows, chosen or "")

    def _item(self, row: Row) -> QTreeWidgetItem:
        item = QTreeWidgetItem([output_title(row), agreement_words(row), VERDICT_SIGNS[row.verdict]])
        item.setData(TITLE, OUTPUT_ROLE, row.output)
        item.setTextAlignment(AGREEMENT, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(TITLE, f"{output_title(row)} ({row.output})")
        item.setToolTip(VERDICT, VERDICT_TITLES[row.verdict])
        item.setData(VERDICT, int(Qt.ItemDataRole.AccessibleTextRole), VERDICT_TITLES[row.verdict])
        item.setForeground(VERDICT, QColor(verdict_colour(row.verdict, self._colours)))
        if row.probe:
            item.setForeground(TITLE, QColor(self._colours.faint))
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


class FiguresView(QScrollArea):
    """Names and values in two columns, which can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row: Row | None = None
        self._colours = LIGHT
        self.label = QLabel(self)
        self.label.setObjectName("figures")
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setObjectName("figuresArea")
        self.setAccessibleName("Numbers")
        self.setWidget(self.label)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)

    def show_row(self, row: Row | None) -> None:
        """Show the metrics of a row."""
        if row is not self._row:
            self._row = row
            self._write()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        self._write()

    def _write(self) -> None:
        if self._row is None:
            self.label.clear()
            return
        verdict = self._row.verdict
        figures = figures_of(self._row)
        lines = "".join(
            f"<tr><td style='color:{self._colours.faint}; padding-right:8px'>{escape(name)}</td>"
            f"<td>{escape(words)}</td></tr>"
            for name, words in figures
        )
        meaning = f"{VERDICT_TITLES[verdict]}. {verdict_meaning(self._row)}"
        colour = verdict_colour(verdict, self._colours)
        self.label.setText(f"<div style='color:{colour}'>{escape(meaning)}</div><table>{lines}</table>")
        self.label.setWordWrap(True)
        self.setAccessibleDescription("; ".join(f"{name} {words}" for name, words in figures))
