"""Has kernels inspected by the reference process: of stages that turn out to be wrong, and of those looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.diagnostics.inspection.inspection import Inspection
from app.diagnostics.process.controller import DiagnosticsController
from app.diagnostics.process.process import DiagnosticsProcess
from app.diagnostics.runs.run import DiagnosticsRun
from app.messages import words_for
from engine.inspection.results import CodeEvent, GraphEvent, InspectedEvent, KernelEvent, KernelsEvent
from engine.speech import PreparationEvent
from engine.stages import STAGES, Place, stage_named
from engine.validator.data.kernel_request import KernelRequest
from engine.validator.data.results import FailedEvent, FinishedEvent, Reading, Regime, ValidationEvent, Verdict

COMPILED = (Regime.COMPILED, Regime.COMPILED_PADDED)
UNSUSPICIOUS = (Verdict.PASS, Verdict.INHERITED, Verdict.INCOMPARABLE)
BEGINNING = "Looking into the kernels"
ENDED = "The reference process ended while inspecting kernels. {why} Click Inspect to try again."


@dataclass(frozen=True)
class Job:
    """What is to be inspected: stages of an utterance of a run."""

    run: DiagnosticsRun
    stages: tuple[str, ...]
    utterance: int = 0


class InspectionController(QObject):
    """One inspection at a time, which waits while a diagnosis is under way; the latest wanted is the next.

    `changed` carries the run and the stage that more is known of, `told` words on the progress and how much is done, or
    None; no words when it has ended. `found` carries the run and every kernel that is wrong, `failed` why nothing is
    known.
    """

    changed = Signal(object, str)
    told = Signal(str, object)
    found = Signal(object, object)
    failed = Signal(str)

    def __init__(
        self, process: DiagnosticsProcess, controller: DiagnosticsController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._process = process
        self._controller = controller
        self._known: WeakKeyDictionary[DiagnosticsRun, Inspection] = WeakKeyDictionary()
        self._expected: Inspection | None = None
        self._job: Job | None = None
        self._wrong: Job | None = None
        self._wanted: Job | None = None
        self._live: DiagnosticsRun | None = None
        controller.run_started.connect(self._on_run)
        later = Qt.ConnectionType.QueuedConnection  # the run takes it first
        controller.stopped.connect(self._next, later)
        controller.crashed.connect(self._next, later)
        controller.event_received.connect(self._on_finished, later)
        process.event_received.connect(self._on_event)
        process.cancelled.connect(self._on_cancelled)
        process.died.connect(self._on_death)

    @property
    def active(self) -> bool:
        """Whether something is being inspected or waits for it."""
        return any(job is not None for job in (self._job, self._wrong, self._wanted))

    def known(self, run: DiagnosticsRun) -> Inspection:
        """What is known of a run's kernels."""
        return self._known.setdefault(run, self._expected or Inspection())

    def expect(self, modules_of: DiagnosticsRun | None) -> None:
        """Take it that runs that begin now have the modules of another, of whose kernels something is known."""
        self._expected = None if modules_of is None else self.known(modules_of)

    def inspect(self, job: Job) -> None:
        """Inspect this, as soon as no diagnosis is under way and what is wrong has been looked into."""
        self._wanted = job
        self._next()

    @Slot()
    def _next(self) -> None:
        if self._job is not None or self._controller.active:
            return
        job, self._wrong = self._wrong, None
        if job is None:
            job, self._wanted = self._wanted, None
        if job is not None:
            self._process.cancel()  # before the job is there, which is not what is given up
            self._job = job
            request = replace(self._job.run.request, arrays_folder=None)
            self.told.emit(BEGINNING, None)
            self._process.inspect(KernelRequest(request, self._job.utterance, self._job.stages))

    @Slot(object)
    def _on_run(self, run: DiagnosticsRun) -> None:
        """A new run stops everything, as its validation does in the reference process."""
        self._live = run
        self._forget()

    @Slot()
    def _on_cancelled(self) -> None:
        """The process was to stop, or to do something else."""
        if self._job is not None:
            self._forget()

    def _forget(self) -> None:
        self._wanted = self._wrong = None
        if self._job is not None:
            self._job = None
            self.told.emit("", None)

    @Slot(object)
    def _on_finished(self, event: ValidationEvent) -> None:
        """Look into the stages of a finished run that are wrong."""
        run = self._live
        if isinstance(event, FinishedEvent) and run is not None and run.report is not None:  # it is not the one before
            self._live = None
            self._wrong = wrong_stages(run)
            self._next()

    @Slot(object)
    def _on_event(self, event: ValidationEvent) -> None:
        if self._job is None:
            return
        match event:
            case GraphEvent() | KernelEvent() | CodeEvent() | InspectedEvent():
                stage = self.known(self._job.run).take(event)
                self.changed.emit(self._job.run, stage)
                self._tell_progress(stage)
            case PreparationEvent(words):
                self.told.emit(words, None)
            case KernelsEvent(findings):
                self._forget_wanted(self._job)
                self.found.emit(self._job.run, findings)
                self._end()
            case FailedEvent():
                self._end(words_for(event.message, event.hint, event.cure))

    def _forget_wanted(self, done: Job) -> None:
        """What is wanted next has just been inspected, if it was wanted before that was known."""
        if self._wanted is not None and self._wanted.run is done.run and set(self._wanted.stages) <= set(done.stages):
            self._wanted = None

    def _tell_progress(self, stage: str) -> None:
        known = self.known(self._job.run).stage(stage) if self._job is not None else None
        if known is not None:
            measured, kernels = len(known.measurements), len(known.kernels)
            words = f"{stage_named(stage).title}: {measured} of {kernels} kernels measured"
            self.told.emit(words, measured / max(kernels, 1))

    @Slot(str)
    def _on_death(self, why: str) -> None:
        if self._job is not None:
            self._end(ENDED.format(why=why))

    def _end(self, words: str = "") -> None:
        self._job = None
        self.told.emit("", None)
        if words:
            self.failed.emit(words)
        self._next()


def wrong_stages(run: DiagnosticsRun) -> Job | None:
    """What to inspect of a run unasked: the stages that are themselves wrong in the utterance where the first is."""
    rows = [
        row
        for row in run.rows
        if row.regime in COMPILED and row.reading is Reading.REFERENCE_FED and row.verdict not in UNSUSPICIOUS
    ]
    if not rows:
        return None
    utterance = min(row.utterance for row in rows)
    wrong = {row.stage for row in rows if row.utterance == utterance}
    stages = tuple(stage.name for stage in STAGES if stage.name in wrong and stage.runs_on is Place.DEVICE)
    return Job(run, stages, utterance) if stages else None
