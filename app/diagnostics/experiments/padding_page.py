"""The page of the padding curve: how each padded regime fares as more and more padding is added."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.diagnostics.experiments.curve_plot import CurvePlot, curve_colour, curve_mark
from app.diagnostics.experiments.experiment_bar import ExperimentBar
from app.diagnostics.experiments.sweep_curves import Curve, curves_of, looks
from app.diagnostics.metric_words import regime_title
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.runs.run_controls import faint_label
from app.diagnostics.stages.stage_pages import StagePage
from app.theme import LIGHT, Colours
from app.widgets.combo_box import ComboBox
from app.widgets.wrapping_bar import WrappingBar
from engine.validator.data import wording
from engine.validator.data.experiments import ServiceEvent, SweepPoint, SweptEvent

SPACE_PIXELS = 6
ROW_PIXELS = 23
FRAME_PIXELS = 4
LOOK_CHARACTERS = 26
EXPLANATION = "Runs the text in every padded configuration with more and more padding"
DONE = "The lowest correlation of all utterances; a gap where the durations differ."


class PaddingPage(StagePage):
    """`start_wanted` and `cancel_wanted` come from its button; `begin`, `take` and `end` tell it what happens."""

    start_wanted = Signal()
    cancel_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.points: tuple[SweepPoint, ...] = ()
        self._colours = LIGHT
        self.bar = ExperimentBar("Measure Padding", EXPLANATION, self)
        self.look = ComboBox("Curve of", "What the curves show", LOOK_CHARACTERS, self)
        self.look.offer((look, look.title, "") for look in looks())
        self.plot = CurvePlot()
        self.table = QTableWidget(self)
        self._lay_out()
        self.bar.start_wanted.connect(self.start_wanted)
        self.bar.cancel_wanted.connect(self.cancel_wanted)
        self.look.chosen.connect(self._on_look)
        self._draw()

    def show_stage(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        """See `StagePage`: a sweep belongs to no run."""

    def set_colours(self, colours: Colours) -> None:
        """See `StagePage`."""
        self._colours = colours
        self.plot.set_colours(colours)
        self._draw()

    @Slot()
    def begin(self) -> None:
        """A sweep has begun."""
        self.bar.begin()

    @Slot(object)
    def take(self, event: ServiceEvent) -> None:
        """Take an event of a sweep."""
        self.bar.take(event)
        if isinstance(event, SweptEvent):
            self.points = event.points
            self._draw()

    @Slot(str)
    def end(self, words: str) -> None:
        """The sweep has ended, for this reason or with its result."""
        self.bar.end(words or DONE)

    @Slot(object)
    def _on_look(self, look: object) -> None:
        self._draw()

    def _draw(self) -> None:
        look = next(look for look in looks() if look == self.look.value)
        curves = curves_of(self.points, look)
        self.plot.show_curves(curves)
        self.plot.setAccessibleDescription(look.title)
        self._fill(curves)

    def _fill(self, curves: tuple[Curve, ...]) -> None:
        paddings = curves[0].paddings if curves else ()
        self.table.setRowCount(len(curves))
        self.table.setColumnCount(len(paddings))
        self.table.setHorizontalHeaderLabels([f"{padding:.0%}" for padding in paddings])
        for number, curve in enumerate(curves):
            header = QTableWidgetItem(f"{curve_mark(number)} {regime_title(curve.regime)}")
            header.setForeground(curve_colour(number, self._colours))
            self.table.setVerticalHeaderItem(number, header)
            for column, value in enumerate(curve.correlations):
                item = QTableWidgetItem(wording.correlation(value))
                item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                self.table.setItem(number, column, item)
        height = self.table.horizontalHeader().sizeHint().height() + ROW_PIXELS * len(curves) + FRAME_PIXELS
        self.table.setFixedHeight(height)
        self.table.setVisible(bool(curves))

    def _lay_out(self) -> None:
        self.table.setObjectName("stages")
        self.table.setAccessibleName("Correlation by configuration and padding")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setTabKeyNavigation(False)
        self.table.setShowGrid(False)
        self.table.verticalHeader().setDefaultSectionSize(ROW_PIXELS)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        top = WrappingBar(self)
        top.add(self.bar, share=1)
        top.add(faint_label("Curve of", self.look), self.look)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(top)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.table)
