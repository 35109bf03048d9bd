"""The kernels of a run as a page of the panel, connected to the queue in which they are inspected."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from app.diagnostics.kernels.kernel_page import KernelPage
from app.diagnostics.metric_words import correlation_words, verdict_words
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.run_queue import Job, RunQueue
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from engine.stages import STAGE_NAMES, stage_named
from engine.validator.data.kernel_request import Replacement
from engine.validator.data.results import Reading, Regime, Row

TITLE = "Kernels"
WAVEFORM = STAGE_NAMES[-1]
COMPUTING = "Computing speech with this replacement…"
NOTHING_CAME = "No result. See the run status for details."
HEAR = "Play it on the Signals page."
MEANING = "The error, source and code of each kernel of the stage"


class InspectionFeature(QObject):
    """Adds the page to a panel; stages that turn out to be wrong are inspected without being asked for."""

    def __init__(self, panel: DiagnosticsPanel, queue: RunQueue) -> None:
        super().__init__(panel)
        self._panel = panel
        self._queue = queue
        self._replaced: Job | None = None
        self.page = KernelPage(queue.known)
        panel.add_page(TITLE, self.page, MEANING)
        self.page.inspect_wanted.connect(queue.inspect)
        self.page.replacements_wanted.connect(self._on_replace)
        queue.run_started.connect(self._on_run)
        queue.changed.connect(self._tell_outcome)
        queue.inspected.connect(self.page.refresh_stage)
        queue.told.connect(self._on_told)
        queue.not_inspected.connect(self.page.tell)

    @Slot(object, object)
    def _on_replace(self, job: Job, replacements: tuple[Replacement, ...]) -> None:
        run = self._queue.substitute(job, replacements)
        self._replaced = None if run is None else replace(job, run=run)
        self.page.details.source.say("" if run is None else COMPUTING)

    @Slot()
    def _on_run(self) -> None:
        self._replaced = None

    @Slot()
    def _tell_outcome(self) -> None:
        """Show what came of replacing kernels, and say it, once the run in which they are replaced is at an end."""
        if self._replaced is None or self._replaced.run.active:
            return
        job, self._replaced = self._replaced, None
        shown = replaced_part(job.run) if job.run.report is not None else None
        if shown is None:
            self.page.details.source.say(NOTHING_CAME)
            return
        self._panel.refresh()  # now the regime can be chosen
        self._panel.show_part(shown, job.stages[0])
        self.page.details.source.say(outcome_words(job.run, shown, job.stages[0]))

    @Slot(str, object)
    def _on_told(self, words: str, fraction: float | None) -> None:
        self._panel.tell(self._queue, words, fraction)
        self.page.tell(words)


def replaced_part(run: DiagnosticsRun) -> Shown | None:
    """The regime of a run in which kernels are replaced, each stage by itself; None if nothing of it has come."""
    known = tuple(Regime)
    replaced = next((regime for regime in run.regimes if regime not in known), None)
    return None if replaced is None else Shown(replaced)


def outcome_words(run: DiagnosticsRun, shown: Shown, stage: str) -> str:
    """How a stage and the waveform do in a regime with replaced kernels, and where that can be heard."""
    row, last = run.stage_summary(shown, stage), run.stage_summary(replace(shown, reading=Reading.OWN_FED), WAVEFORM)
    parts = [f"{stage_named(each.stage).title}: {_row_words(each)}." for each in (row, last) if each is not None]
    return " ".join((*parts, HEAR))


def _row_words(row: Row) -> str:
    fed = "" if row.reading is Reading.REFERENCE_FED else ", everything before it included"
    return f"{verdict_words(row.verdict)}, {correlation_words(row.metrics)}{fed}"
