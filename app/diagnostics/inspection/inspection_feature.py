"""The kernels of a run as a page of the panel, connected to the process that inspects them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from app.diagnostics.controller import DiagnosticsController
from app.diagnostics.inspection.inspection_controller import COMPILED, InspectionController, Job
from app.diagnostics.inspection.kernel_page import KernelPage
from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.process import DiagnosticsProcess
from app.diagnostics.run import DiagnosticsRun
from engine.inspection.results import KernelFinding
from engine.validator.kernel_request import Replacement
from engine.validator.results import Report

TITLE = "Kernels"
MEANING = "The stage's graph, and the error, source and code of each of its kernels"


class InspectionFeature(QObject):
    """Adds the page to a panel; stages that turn out to be wrong are inspected without being asked for."""

    def __init__(self, panel: DiagnosticsPanel, controller: DiagnosticsController, process: DiagnosticsProcess) -> None:
        super().__init__(panel)
        self._panel = panel
        self._controller = controller
        self.inspections = InspectionController(process, controller, self)
        self.page = KernelPage(self.inspections.known)
        panel.add_page(TITLE, self.page, MEANING)
        self.page.inspect_wanted.connect(self._on_inspect)
        self.page.replacements_wanted.connect(self._on_replace)
        self.inspections.changed.connect(self._on_change)
        self.inspections.found.connect(self._on_found)
        self.inspections.told.connect(self._on_told)
        self.inspections.failed.connect(self.page.tell)

    def shut_down(self, timeout_ms: int) -> None:
        """End the process that lays graphs out."""
        self.page.shut_down(timeout_ms)

    @Slot(object)
    def _on_inspect(self, job: Job) -> None:
        self.inspections.inspect(job)

    @Slot(object, object)
    def _on_replace(self, job: Job, replacements: tuple[Replacement, ...]) -> None:
        self._controller.substitute(job.run.request, job.utterance, replacements)

    @Slot(object, str)
    def _on_change(self, run: DiagnosticsRun, stage: str) -> None:
        self.page.refresh_stage(run, stage)

    @Slot(object, object)
    def _on_found(self, run: DiagnosticsRun, findings: tuple[KernelFinding, ...]) -> None:
        if run.report is not None:
            run.report = naming_kernels(run.report, findings)
        self._panel.refresh()

    @Slot(str, object)
    def _on_told(self, words: str, fraction: float | None) -> None:
        self._panel.tell(words, fraction)
        self.page.tell(words)


def naming_kernels(report: Report, found: Sequence[KernelFinding]) -> Report:
    """The report, its findings on compiled stages saying which kernel is wrong."""
    words = {finding.stage: finding.words for finding in reversed(found)}
    named = (
        replace(finding, words=words.get(finding.stage, finding.words)) if finding.regime in COMPILED else finding
        for finding in report.findings
    )
    return replace(report, findings=tuple(named))
