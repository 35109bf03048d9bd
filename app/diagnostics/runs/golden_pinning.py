"""Makes the run that is shown the golden one of its text, voice, model and device, or forgets it again."""

from __future__ import annotations

from datetime import date

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.run import DiagnosticsRun
from engine.errors import DamagedFile, EngineError
from engine.validator.data.circumstances import Circumstances
from engine.validator.data.results import Report
from engine.validator.runs.golden import Golden, GoldenRuns, in_words
from engine.validator.runs.yardstick import Yardstick

PIN, UNPIN = "Pin as Golden", "Unpin Golden"
PINNED = "This is the golden run now: later runs of this text are compared with it."
UNPINNED = "This text has no golden run any more."
NOT_YET = "A run can be golden once it is done"
NOT_GOLDEN = "A run can be golden only if it is not a drill and all its compiled stages are right"


class GoldenPinning(QObject):
    """Adds its two actions to the panel. `failed` carries an error, `told` words about what was done."""

    failed = Signal(object)
    told = Signal(str)

    def __init__(self, panel: DiagnosticsPanel, runs: GoldenRuns | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._panel = panel
        self._runs = runs or GoldenRuns()
        self._seen: tuple[DiagnosticsRun | None, Report | None] | None = None
        self.pin = QAction(PIN, self)
        self.unpin = QAction(UNPIN, self)
        for action in (self.pin, self.unpin):
            panel.add_action(action)
        self.pin.triggered.connect(self._on_pin)
        self.unpin.triggered.connect(self._on_unpin)
        panel.refreshed.connect(self._refresh)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        run = self._panel.run
        seen = run, None if run is None else run.report
        if seen != self._seen:  # the panel is drawn often, and a book is long
            self._seen = seen
            self._offer(run)

    def _offer(self, run: DiagnosticsRun | None) -> None:
        now = _circumstances(run)
        obstacle = NOT_YET if now is None or run is None or run.report is None else _obstacle(run.report)
        self.pin.setEnabled(not obstacle)
        self.pin.setToolTip(obstacle or "Compare later runs of this text, voice, model and device with this one")
        self.unpin.setEnabled(now is not None and self._runs.is_pinned(now.subject))
        self.unpin.setToolTip("Forget the golden run of this text, voice, model and device")

    @Slot()
    def _on_pin(self) -> None:
        run, now = self._panel.run, _circumstances(self._panel.run)
        if run is None or now is None:
            return
        golden = Golden.of(run.rows, run.utterances, now, date.today())
        try:
            self._runs.pin(golden)
        except EngineError as error:
            self.failed.emit(error)
            return
        self._hold_against(golden, now)
        self.told.emit(PINNED)

    @Slot()
    def _on_unpin(self) -> None:
        now = _circumstances(self._panel.run)
        if now is None:
            return
        try:
            self._runs.unpin(now.subject)
            golden = self._runs.of(now.subject)
        except (OSError, DamagedFile) as error:
            self.failed.emit(EngineError(f"The golden run could not be forgotten ({error}).", "Try again."))
            return
        self._hold_against(golden, now)
        self.told.emit(UNPINNED)

    def _hold_against(self, golden: Golden | None, now: Circumstances) -> None:
        """Rate again every run of the same."""
        for run in self._panel.history.runs:
            theirs = _circumstances(run)
            if theirs is not None and theirs.subject == now.subject:
                run.rate(_yardstick(golden, run).rated, in_words(golden, theirs))
        self._seen = None
        self._panel.refresh()


def _yardstick(golden: Golden | None, run: DiagnosticsRun) -> Yardstick:
    yardstick = Yardstick(golden)
    for utterance in run.utterances:
        yardstick.begin(utterance)
    return yardstick


def _circumstances(run: DiagnosticsRun | None) -> Circumstances | None:
    return None if run is None or run.report is None or run.active else run.report.circumstances


def _obstacle(report: Report) -> str:
    compiled = any(row.decides for row in report.rows)
    return "" if compiled and report.passed and report.planted is None else NOT_GOLDEN
