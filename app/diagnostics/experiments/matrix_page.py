"""The page of all regimes at once: a run of every regime, its matrix, and the crossing of stages."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.diagnostics.experiments.crossing_editor import CrossingEditor
from app.diagnostics.experiments.matrix_cells import Matrix, column_explanation, matrix_of
from app.diagnostics.experiments.regime_matrix import RegimeMatrix
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.stage_pages import StagePage
from app.theme import Colours
from app.widgets.elided_text import ElidedLabel
from engine.validator.data.results import Regime

SPACE_PIXELS = 6
LEGEND = "Green: within tolerance. Red: beyond it, pale where it only comes from an earlier stage."
MIX = "Mix Stages"
START = "Click Compare All to run every stage in every configuration."


class MatrixPage(StagePage):
    """`compare_wanted` carries the stages to cross, each with its regime, in a run of every regime."""

    compare_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = Shown(Regime.COMPILED)
        self.compare = QPushButton("Compare All", self)
        self.crossing = QPushButton(MIX, self)
        self.editor = CrossingEditor(self)
        self.words = ElidedLabel(self)
        self.table = RegimeMatrix(self)
        self._lay_out()
        self.compare.clicked.connect(self._on_compare)
        self.crossing.toggled.connect(self.editor.setVisible)
        self.editor.changed.connect(self._say)
        self.table.cell_chosen.connect(self._on_cell)
        self._say()

    def show_stage(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        """See `StagePage`."""
        self._shown = shown
        self.table.show_matrix(matrix_of(run, shown) if run is not None else Matrix())
        self.table.mark(stage, shown.regime)
        self._say()

    def set_colours(self, colours: Colours) -> None:
        """See `StagePage`."""
        self.table.set_colours(colours)

    @Slot()
    def _on_compare(self) -> None:
        self.compare_wanted.emit(self.editor.cross)

    @Slot(str, str)
    def _on_cell(self, stage: str, regime: str) -> None:
        self.part_wanted.emit(replace(self._shown, regime=regime), stage)

    @Slot()
    def _say(self) -> None:
        crossed = "+".join([Regime.COMPILED, *(f"{stage}={regime}" for stage, regime in self.editor.cross)])
        self.crossing.setText(f"{MIX} ({len(self.editor.cross)})" if self.editor.cross else MIX)
        words = START if not self.table.matrix.regimes else LEGEND
        self.words.say(f"Next: {column_explanation(crossed)}. {words}" if self.editor.cross else words)

    def _lay_out(self) -> None:
        self.compare.setToolTip("Run every stage in every configuration, on the text named above")
        self.crossing.setToolTip("Also run the compiled model with some stages taken from other configurations")
        self.crossing.setCheckable(True)
        for button in (self.compare, self.crossing):
            button.setObjectName("panelButton")
        self.words.setObjectName("faint")
        self.words.setAccessibleName("Meaning of the colours")
        self.editor.hide()
        top, layout = QHBoxLayout(), QVBoxLayout(self)
        for part in (self.compare, self.crossing):
            top.addWidget(part)
        top.addWidget(self.words, 1)
        for each in (top, layout):
            each.setContentsMargins(0, 0, 0, 0)
            each.setSpacing(SPACE_PIXELS)
        layout.addLayout(top)
        layout.addWidget(self.editor)
        layout.addWidget(self.table, 1)
