"""All metrics of one row, in small type."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from app.diagnostics.colours import verdict_colour
from app.diagnostics.metric_words import VERDICT_TITLES, figures_of, verdict_meaning
from app.theme import LIGHT, Colours
from engine.validator.data.results import Row


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
