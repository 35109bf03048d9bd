"""The page that makes a failure small: the shortest text and the smallest inputs on which the chosen stage fails."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.diagnostics.cases.case_making import MadeCase
from app.diagnostics.metric_words import regime_title
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.stage_pages import StagePage
from app.widgets.elided_text import ElidedLabel
from app.widgets.wrapping_bar import WrappingBar
from engine.stages import stage_named
from engine.validator.data.results import Reading, Verdict

SPACE_PIXELS = 4
MEANING = "Find the fewest phonemes and the smallest inputs on which the chosen stage still fails"
NOT_FAILING = "Select a stage that fails in isolation."
READY = "{stage} fails in {regime}: Reduce finds the shortest text and smallest inputs that show it."


class ReductionPage(StagePage):
    """`reduce_wanted`, `stop_wanted` and `save_wanted` ask for what the buttons say; `show_*` tell what came of it."""

    reduce_wanted = Signal()
    stop_wanted = Signal()
    save_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._case: MadeCase | None = None
        self._running = False
        self._fails = False
        self.state = ElidedLabel(self)
        self.button = QPushButton("Reduce", self)
        self.save_button = QPushButton("Save Case…", self)
        self.text = QPlainTextEdit(self)
        self._prepare()
        self._lay_out()
        self.button.clicked.connect(self._on_button)
        self.save_button.clicked.connect(self._on_save)
        self._refresh()

    @property
    def case(self) -> MadeCase | None:
        """The case that is shown."""
        return self._case

    def show_stage(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        """Say whether the chosen stage can be reduced."""
        self._fails = fails(run, shown, stage)
        if not self._running:
            self.state.say(_ready_words(shown, stage) if self._fails and stage is not None else NOT_FAILING)
        self._refresh()

    def show_running(self, words: str) -> None:
        """Show progress, in words; `show_case` or `show_end` ends it."""
        self._running = True
        self.state.say(words)
        self._refresh()

    def show_case(self, case: MadeCase) -> None:
        """Show what was found."""
        self._case = case
        self.text.setPlainText(case.words)
        self.show_end(f"{stage_named(case.stage).title} fails on {case.phonemes}")

    def show_end(self, words: str) -> None:
        """Show that nothing is being reduced any more, and why."""
        self._running = False
        self.state.say(words)
        self._refresh()

    def _refresh(self) -> None:
        words = "Stop" if self._running else "Reduce"
        self.button.setText(words)
        self.button.setAccessibleName(words)
        self.button.setEnabled(self._running or self._fails)
        self.save_button.setEnabled(self._case is not None and not self._running)

    @Slot()
    def _on_button(self) -> None:
        (self.stop_wanted if self._running else self.reduce_wanted).emit()

    @Slot()
    def _on_save(self) -> None:
        self.save_wanted.emit(self._case)

    def _prepare(self) -> None:
        self.button.setToolTip(MEANING)
        self.save_button.setToolTip(
            "Save the inputs on which it fails; “python -m engine validate --case” runs them again"
        )
        self.state.setAccessibleName("Reducing")
        self.text.setObjectName("case")
        self.text.setReadOnly(True)
        self.text.setAccessibleName("The reduced case")
        self.text.setPlaceholderText("The first wrong element and a histogram of all errors appear here.")
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setTabChangesFocus(True)

    def _lay_out(self) -> None:
        bar = WrappingBar(self)
        bar.add(self.button)
        bar.add(self.save_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(bar)
        layout.addWidget(self.state)
        layout.addWidget(self.text, 1)


def fails(run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> bool:
    """Whether a stage of this regime is itself wrong in any utterance."""
    if run is None or stage is None:
        return False
    row = run.stage_summary(Shown(shown.regime, Reading.REFERENCE_FED), stage)
    return row is not None and row.verdict is Verdict.FAIL


def _ready_words(shown: Shown, stage: str) -> str:
    return READY.format(stage=stage_named(stage).title, regime=regime_title(shown.regime))
