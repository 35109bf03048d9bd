"""The queue of the reference process: one diagnosis, and inspections of kernels when there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.diagnostics.kernels.inspection import Inspection
from app.diagnostics.reference_process import ReferenceProcess
from app.diagnostics.runs.run import DiagnosticsOptions, DiagnosticsRun
from app.diagnostics.runs.run_folders import RunFolders
from app.diagnostics.runs.run_text import under_way
from app.messages import describe_failure
from engine.errors import EngineError
from engine.models.checkpoints import STARTER, model_config
from engine.speech import PreparationEvent, SpeechRequest
from engine.stages import STAGES, StagePlace, stage_named
from engine.system.bundle import require_reference
from engine.validator.data.results import (
    FailedEvent,
    FinishedEvent,
    InputSource,
    KernelRequest,
    Regime,
    Replacement,
    ValidationEvent,
    ValidationRequest,
    Verdict,
)
from engine.validator.data.verdicts import with_kernels
from engine.validator.inspection.results import CodeEvent, GraphEvent, InspectedEvent, KernelEvent, KernelsEvent
from engine.validator.runs.arrays import ArrayFolder

KEPT_RUNS = 5
"""The number of runs whose arrays are stored; older runs still show their metrics."""
MAX_ARRAY_BYTES = 400_000_000
"""The limit for the arrays of one run on disk: enough for about 20 sentences."""
COMPILED = (Regime.COMPILED, Regime.COMPILED_PADDED)
UNSUSPICIOUS = (Verdict.PASS, Verdict.INHERITED, Verdict.INCOMPARABLE)
WAITING_WORDS = "Waiting for speech"
TRY_AGAIN = "Click Diagnose to try again."
INSPECTING = "Inspecting kernels"
NOT_INSPECTED = "The reference process ended while inspecting kernels. {why} Click Inspect to try again."


@dataclass(frozen=True)
class InspectionJob:
    """The kernels to inspect or replace: those of some stages in an utterance of a run."""

    run: DiagnosticsRun
    stages: tuple[str, ...]
    utterance: int = 0


class RunQueue(QObject):
    """The queue of diagnoses and inspections.

    A new diagnosis stops all other work; an inspection waits until there is no diagnosis, and the latest request
    replaces earlier ones. `run_started` carries a run, which then receives its events; `changed` carries the event, or
    None when the run has ended or waits. `failed` carries the reason why no run has started. `inspected` carries a run
    and the stage whose kernels have new results, `message_sent` the progress of the inspection as text and fraction (or
    None), and an empty text at its end; `not_inspected` carries the reason of a failed inspection.
    """

    run_started = Signal(object)
    changed = Signal(object)
    failed = Signal(object)
    inspected = Signal(object, str)
    message_sent = Signal(str, object)
    not_inspected = Signal(str)

    def __init__(self, process: ReferenceProcess, folders: RunFolders, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = process
        self._folders = folders
        self._run: DiagnosticsRun | None = None
        self._kept: list[Path] = []
        self._known: WeakKeyDictionary[DiagnosticsRun, Inspection] = WeakKeyDictionary()
        self._held_back = False
        self._heard: int | None = None
        self._waiting: Callable[[], None] | None = None
        self._job: InspectionJob | None = None
        self._wrong: InspectionJob | None = None
        self._wanted: InspectionJob | None = None
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._begin)
        process.event_received.connect(self._on_event)
        process.died.connect(self._on_death)
        process.stalled.connect(self._on_stall)

    @property
    def active(self) -> bool:
        """True if a diagnosis is in progress."""
        return self._run is not None and self._run.active

    @property
    def inspecting(self) -> bool:
        """True if kernels are being inspected or wait for it."""
        return any(job is not None for job in (self._job, self._wrong, self._wanted))

    def known(self, run: DiagnosticsRun) -> Inspection:
        """Return the results for a run's kernels."""
        return self._known.setdefault(run, Inspection())

    def diagnose(self, speech: SpeechRequest, options: DiagnosticsOptions, model: str = STARTER) -> None:
        """Diagnose this speech; emits `failed` if PyTorch, the model or disk space is missing."""
        self._compare(ValidationRequest(speech, model, **vars(options)), self._process.validate)

    def substitute(self, job: InspectionJob, replacements: tuple[Replacement, ...]) -> DiagnosticsRun | None:
        """Compare an utterance of a run again, with replacements for some kernels or stages; return None if it failed.

        The new run shares the kernel results of the old one.
        """

        def ask(again: ValidationRequest) -> None:
            self._process.inspect(KernelRequest(again, job.utterance, replacements=replacements))

        return self._compare(job.run.request, ask, self.known(job.run))

    @Slot(object)
    def inspect(self, job: InspectionJob) -> None:
        """Inspect these kernels once no diagnosis is in progress and the failing stages have been inspected."""
        self._wanted = job
        self._next()

    def hear(self, character: int) -> None:
        """Compare the text at this character next, because playback has reached it."""
        self._heard = character
        self._process.hear(character)

    def hold_back(self, held_back: bool) -> None:
        """Hold back any diagnosis for now, or start the one that waits.

        The speech engine and the reference both compile missing modules on this machine; running at the same time, they
        would compile them twice.
        """
        self._held_back = held_back
        self._begin()

    @Slot()
    def start_again(self) -> None:
        """End a process that no longer responds, and repeat its comparison in a new one."""
        if self._run is None or not self._run.active:
            return
        request = self._run.request
        self._crash(f"The reference process was stopped because it wasn’t responding while {under_way(self._run)}.")
        self._process.release()
        options = {field.name: getattr(request, field.name) for field in fields(DiagnosticsOptions)}
        self.diagnose(request.speech, DiagnosticsOptions(**options), request.model)

    @Slot()
    def stop(self) -> None:
        """Stop the work in progress; its results up to now stay."""
        self._give_up()
        self._next()

    @Slot()
    def release(self) -> None:
        """Stop everything, and end the reference process; the next diagnosis starts a new one."""
        self._give_up()
        self._forget_inspections()
        self._process.release()

    def shut_down(self, timeout_ms: int) -> None:
        """Stop everything, wait until the process has ended, and delete all arrays."""
        self._give_up()
        self._forget_inspections()
        self._process.shut_down(timeout_ms)
        self._folders.close()

    def _compare(
        self, request: ValidationRequest, ask: Callable[[ValidationRequest], None], known: Inspection | None = None
    ) -> DiagnosticsRun | None:
        self._heard = None
        self._give_up()
        try:
            require_reference()
            config = model_config(request.model)
            folder = self._folders.make()
        except EngineError as error:
            self.failed.emit(error)
            return None
        self._forget_inspections()
        self._keep(folder)
        request = replace(request, arrays_folder=str(folder), most_array_bytes=MAX_ARRAY_BYTES)
        run = self._run = DiagnosticsRun(request, config, ArrayFolder(folder))
        self._known[run] = known or Inspection()
        self.run_started.emit(run)
        self._waiting = partial(ask, request)
        if self._held_back:
            self._run.handle_event(PreparationEvent(WAITING_WORDS, 0, 1))
            self.changed.emit(None)
        else:
            self._turn.start()  # starting a process takes a while: the window first shows the new run
        return run

    @Slot()
    def _begin(self) -> None:
        if self._waiting is not None and not self._held_back:
            start, self._waiting = self._waiting, None
            start()
            if self._heard is not None:
                self._process.hear(self._heard)

    def _give_up(self) -> None:
        """Cancel the work in progress; if it is an inspection, cancel the waiting ones as well."""
        self._waiting = None
        self._process.cancel()
        if self._job is not None:
            self._forget_inspections()
        if self._run is not None and self._run.active:
            self._run.stop()
            self.changed.emit(None)

    def _forget_inspections(self) -> None:
        self._wanted = self._wrong = None
        if self._job is not None:
            self._job = None
            self.message_sent.emit("", None)

    def _keep(self, folder: Path) -> None:
        self._kept.append(folder)
        while len(self._kept) > KEPT_RUNS:
            self._folders.delete(self._kept.pop(0))

    def _next(self) -> None:
        """Start the next inspection if the process is free."""
        if self._job is not None or self.active:
            return
        job, self._wrong = self._wrong, None
        if job is None:
            job, self._wanted = self._wanted, None
        if job is not None:
            self._job = job
            self.message_sent.emit(INSPECTING, None)
            self._process.inspect(
                KernelRequest(replace(job.run.request, arrays_folder=None), job.utterance, job.stages)
            )

    @Slot(object)
    def _on_event(self, event: ValidationEvent) -> None:
        if self._job is not None:
            self._take_kernels(event, self._job)
        elif self._run is not None:
            run = self._run
            run.handle_event(event)
            if isinstance(event, FinishedEvent):
                self._wrong = wrong_stages(run)
            self.changed.emit(event)
            self._next()

    def _take_kernels(self, event: ValidationEvent, job: InspectionJob) -> None:
        match event:
            case GraphEvent() | KernelEvent() | CodeEvent() | InspectedEvent():
                inspection = self.known(job.run)
                stage = inspection.handle_event(event)
                self.inspected.emit(job.run, stage)
                known = inspection.stage(stage)
                if known is not None:
                    measured, kernels = len(known.measurements), len(known.kernels)
                    words = f"{stage_named(stage).title}: {measured} of {kernels} kernels measured"
                    self.message_sent.emit(words, measured / max(kernels, 1))
            case PreparationEvent(words):
                self.message_sent.emit(words, None)
            case KernelsEvent(findings):
                if self._wanted is not None and self._wanted.run is job.run and {*self._wanted.stages} <= {*job.stages}:
                    self._wanted = None  # it was requested before it was clear that these would be inspected anyway
                if job.run.report is not None:
                    found = with_kernels(job.run.report.findings, findings)
                    job.run.report = replace(job.run.report, findings=found)
                self.changed.emit(event)
                self._end_inspection()
            case FailedEvent():
                self._end_inspection(describe_failure(event.message, event.hint, event.recovery_action))

    def _end_inspection(self, why: str = "") -> None:
        self._job = None
        self.message_sent.emit("", None)
        if why:
            self.not_inspected.emit(why)
        self._next()

    @Slot(str)
    def _on_death(self, why: str) -> None:
        if self._job is not None:
            self._end_inspection(NOT_INSPECTED.format(why=why))
        elif self._run is not None and self._run.active:
            self._crash(f"The reference process ended while {under_way(self._run)}. {why} {TRY_AGAIN}")
            self._next()

    @Slot(int)
    def _on_stall(self, seconds: int) -> None:
        if self._run is not None:
            self._run.stall(seconds)
            self.changed.emit(None)

    def _crash(self, words: str) -> None:
        if self._run is not None:
            self._run.crash(words)
            self.changed.emit(None)


def wrong_stages(run: DiagnosticsRun) -> InspectionJob | None:
    """Return the stages to inspect automatically: those that are themselves wrong in the first affected utterance."""
    rows = [
        row
        for row in run.rows
        if row.regime in COMPILED and row.reading is InputSource.ISOLATED and row.verdict not in UNSUSPICIOUS
    ]
    if not rows:
        return None
    utterance = min(row.utterance for row in rows)
    wrong = {row.stage for row in rows if row.utterance == utterance}
    stages = tuple(stage.name for stage in STAGES if stage.name in wrong and stage.runs_on is StagePlace.DEVICE)
    return InspectionJob(run, stages, utterance) if stages else None
