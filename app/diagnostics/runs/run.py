"""One diagnostic run: the request, the results from its events, and its duration."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from engine.config import ModelConfig
from engine.errors import RecoveryAction
from engine.runtime.preparation.devices import AUTO
from engine.speech import Plan, PlanEvent, PreparationEvent, Utterance
from engine.stages import STAGE_NAMES, stage_named
from engine.system.durations import format_approximate_duration
from engine.validator.data.results import (
    AlignmentEvent,
    FailedEvent,
    Finding,
    FinishedEvent,
    InputSource,
    Regime,
    Report,
    Row,
    RowEvent,
    ValidationEvent,
    ValidationRequest,
    Verdict,
)
from engine.validator.data.verdicts import severity
from engine.validator.runs.arrays import Arrays

FEWEST_FOR_ESTIMATE = 2
"""The first utterance takes longer than the others, and a text of one or two is finished soon."""
DEFAULT_PADDING = 1.0
STOPPED_WORDS = "Stopped."
GIVEN = InputSource.END_TO_END_REFERENCE_DURATIONS  # sent before the same end-to-end row if the durations differ
MAX_UTTERANCES = 40
"""The curves of a whole book would fill the memory."""


class RunProgress:
    """The progress of a run; it receives each plan, and each utterance when it begins."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.plan = Plan(())
        """The known utterances of the text."""
        self._current: int | None = None
        self._done: set[int] = set()
        self._ends: list[float] = []
        self._first_phonemes = 0

    @property
    def compared(self) -> int:
        """The number of finished utterances."""
        return len(self._done)

    def begin_utterance(self, utterance: int) -> None:
        """Note that this utterance is being compared, which means that the previous one is finished."""
        if utterance == self._current:
            return
        if self._current is not None and self._current not in self._done:
            self._done.add(self._current)
            self._ends.append(self._clock())
            self._first_phonemes = self._first_phonemes or self._phonemes_done
        self._current = utterance

    @property
    def words(self) -> str:
        """The number of compared utterances and the time left, such as “3 of 90 compared, about 2 minutes left”."""
        if not self.compared:
            return ""
        planned = len(self.plan.utterances)
        of = f"{planned}" if self.plan.whole else f"{planned} or more"
        left = self.seconds_left
        return f"{self.compared} of {of} compared" + (
            f", {format_approximate_duration(left)} left" if left is not None else ""
        )

    @property
    def seconds_per_phoneme(self) -> float | None:
        """The comparison time per phoneme; None until enough is done."""
        timed = self._phonemes_done - self._first_phonemes
        enough = self.compared >= FEWEST_FOR_ESTIMATE and timed
        return (self._ends[-1] - self._ends[0]) / timed if enough else None

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the numbers of finished and remaining phonemes; None until enough is done."""
        rate = self.seconds_per_phoneme
        if rate is None:
            return None
        whole = rate * (self._phonemes_expected - self._phonemes_done)
        return max(0.0, whole - (self._clock() - self._ends[-1]))

    @property
    def _phonemes_done(self) -> int:
        return sum(len(each.phonemes) for each in self.plan.utterances if each.index in self._done)

    @property
    def _phonemes_expected(self) -> float:
        planned = sum(len(each.phonemes) for each in self.plan.utterances)
        characters = max(1, self.plan.utterances[-1].end - self.plan.utterances[0].start)
        return planned * (1 + self.plan.characters_left / characters)


@dataclass(frozen=True)
class DiagnosticsOptions:
    """The options of a run, named as in `ValidationRequest`; `regimes` does not list the reference."""

    regimes: tuple[Regime, ...] = (Regime.UPSTREAM, Regime.COMPILED)
    reference: Regime = Regime.DYNAMIC
    padding: float = DEFAULT_PADDING
    device: str = AUTO
    lstm_method: str = AUTO
    probes: bool = False
    cross: tuple[tuple[str, Regime], ...] = ()


class RunState(Enum):
    """The state of a run."""

    LOADING = "loading"
    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"
    CRASHED = "crashed"


@dataclass(frozen=True)
class Shown:
    """The part of a run to show; `utterance` is None for the worst of all."""

    regime: str
    reading: InputSource = InputSource.ISOLATED
    utterance: int | None = None


class DiagnosticsRun:
    """A run, collected from events; `message`, `hint` and `recovery_action` describe how it ended."""

    def __init__(
        self,
        request: ValidationRequest,
        config: ModelConfig,
        arrays: Arrays | None = None,
        started: datetime | None = None,
    ) -> None:
        self.request = request
        self.config = config
        self.arrays = arrays
        self.started = started or datetime.now().astimezone()
        self.state = RunState.LOADING
        self.preparation: PreparationEvent | None = None
        self.utterances: tuple[Utterance, ...] = ()
        self.report: Report | None = None
        self.last_row: Row | None = None
        self.progress = RunProgress()
        self.stalled_seconds = 0
        self.message = ""
        self.hint = ""
        self.recovery_action: RecoveryAction | None = None
        self._alignments: dict[int, tuple[int, ...]] = {}
        self._order: list[tuple[tuple[int, str, InputSource, str], str]] = []
        self._curves = StoredCurves()
        self._worst: dict[tuple[str, InputSource, str], Row] = {}
        self._reported: dict[tuple[str, InputSource, str], set[int]] = {}
        self._rows: dict[tuple[int, str, InputSource, str], dict[str, Row]] = {}

    @property
    def active(self) -> bool:
        """True if more events may arrive."""
        return self.state in (RunState.LOADING, RunState.RUNNING)

    @property
    def is_stuck(self) -> bool:
        """True if its process has not responded for a long time."""
        return self.active and self.stalled_seconds > 0

    @property
    def reference(self) -> str:
        """The configuration that all others are compared with."""
        return str(self.request.reference)

    @property
    def regimes(self) -> tuple[str, ...]:
        """The compared configurations: the requested ones, then any others with results."""
        asked = [str(regime) for regime in self.request.regimes]
        seen = [regime for _, regime, _, _ in self._rows]
        return tuple(regime for regime in dict.fromkeys(asked + seen) if regime != self.reference)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of outputs and probes received up to now, by utterance in text order, within each by arrival."""
        return tuple(self._rows[key][output] for key, output in sorted(self._order, key=lambda each: each[0][0]))

    @property
    def report_so_far(self) -> Report:
        """The report, or a partial one without versions until the run has finished."""
        report = self.report or Report(self.request, self.utterances, (), (), {})
        return report if report.rows else replace(report, rows=self.rows)

    @property
    def row_count(self) -> int:
        """The number of rows of outputs and probes received up to now."""
        return len(self._order)

    def handle_event(self, event: ValidationEvent) -> None:
        """Process an event; a run that has ended ignores it."""
        if not self.active:
            return
        self.stalled_seconds = 0
        match event:
            case PreparationEvent():
                self.preparation = event if event.done < event.total else None
            case PlanEvent():
                self._take_plan(event.plan)
            case AlignmentEvent():
                self._alignments[event.utterance] = event.frames_per_token
            case RowEvent():
                self._take_row(event.row)
            case FinishedEvent():
                self._finish(event.report)
            case FailedEvent():
                self._end(RunState.FAILED, event.message, event.hint, event.recovery_action)

    def stall(self, seconds: int) -> None:
        """Note that the process has not responded for this long; 0 once it does again."""
        self.stalled_seconds = seconds

    def crash(self, message: str) -> None:
        """End the run because its process has ended; missing results are shown as crashed."""
        if self.active:
            self._end(RunState.CRASHED, message)

    def stop(self) -> None:
        """Stop the run on request; its results stay."""
        if self.active:
            self._end(RunState.STOPPED, STOPPED_WORDS)

    def alignment(self, utterance: int) -> tuple[int, ...]:
        """Return the frames per token of an utterance in the reference; empty while unknown."""
        return self._alignments.get(utterance, ())

    def rows_of(self, utterance: int, regime: str, reading: InputSource, stage: str) -> tuple[Row, ...]:
        """Return the rows of one stage: its outputs, then its probes."""
        rows = self._rows.get((utterance, regime, reading, stage), {}).values()
        return tuple(sorted(rows, key=lambda row: row.probe))

    def stage_summary(self, shown: Shown, stage: str) -> Row | None:
        """Return the row of the stage's worst output, in one utterance or of all; None while there is none."""
        if shown.utterance is not None:
            return self._summary_of(shown.utterance, shown, stage)
        key = (shown.regime, shown.reading, stage)
        worst = self._worst.get(key)
        if worst is None:
            return self._summary_of(min(self._indices()), shown, stage)
        cut_short = self._broke_off and len(self._reported[key]) < len(self.utterances)
        return replace(worst, verdict=Verdict.CRASHED) if cut_short and worst.verdict is not Verdict.FAIL else worst

    def utterance_to_show(self, shown: Shown, stage: str | None = None) -> int:
        """Return the selected utterance, else the one where the stage (or any stage) is worst, or the current one."""
        if shown.utterance is not None:
            return shown.utterance
        if stage is None and self.active and self.last_row is not None:
            return self.last_row.utterance
        stages = STAGE_NAMES if stage is None else (stage,)
        rows = [row for name in stages if (row := self.stage_summary(shown, name)) is not None]
        latest = self.last_row.utterance if self.last_row is not None else 0
        return max(rows, key=severity).utterance if rows else latest

    def utterance_at(self, index: int) -> Utterance | None:
        """Return an utterance of the plan; None while it is unknown."""
        return next((utterance for utterance in self.utterances if utterance.index == index), None)

    def first_divergence(self, regime: str) -> Finding | None:
        """Return the first stage that is itself wrong: the report's finding, or until then the first failing stage."""
        if self.report is not None:
            return next((finding for finding in self.report.findings if finding.regime == regime), None)
        shown = Shown(regime, InputSource.ISOLATED)
        for stage in STAGE_NAMES:
            row = self.stage_summary(shown, stage)
            if row is not None and row.verdict is Verdict.FAIL:
                return Finding(regime, stage, "")
        return None

    @property
    def _broke_off(self) -> bool:
        """True if it ended prematurely: its process crashed, or the comparison failed."""
        return self.state is RunState.CRASHED or (self.state is RunState.FAILED and self.last_row is not None)

    def _indices(self) -> tuple[int, ...]:
        planned = tuple(utterance.index for utterance in self.utterances)
        return planned or tuple(sorted({key[0] for key in self._rows} or {0}))

    def _summary_of(self, utterance: int, shown: Shown, stage: str) -> Row | None:
        rows = self._rows.get((utterance, shown.regime, shown.reading, stage), {}).values()
        outputs = [row for row in rows if not row.probe]
        if outputs:
            return max(outputs, key=severity)
        if self._broke_off and shown.regime in self.regimes:
            return crashed_row(utterance, shown.regime, self.reference, shown.reading, stage)
        return None

    def _take_plan(self, plan: Plan) -> None:
        """Add a plan, which may continue the known utterances."""
        first = plan.utterances[0].index if plan.utterances else 0
        self.utterances = (*self.utterances[:first], *plan.utterances)
        self.progress.plan = replace(plan, utterances=self.utterances)
        self.state = RunState.RUNNING

    def _take_row(self, row: Row) -> None:
        self.state = RunState.RUNNING
        self.preparation = None
        self.last_row = row
        self.progress.begin_utterance(row.utterance)
        self._curves.make_room(row.utterance, self._rows, self._worst.values())
        if row.output not in self._held(row, row.reading):
            self._order.append(((row.utterance, row.regime, row.reading, row.stage), row.output))
        self._file(row, row.reading)
        if row.reading is InputSource.END_TO_END and row.output not in self._held(row, GIVEN):
            self._file(row, GIVEN)

    def _held(self, row: Row, reading: InputSource) -> dict[str, Row]:
        return self._rows.setdefault((row.utterance, row.regime, reading, row.stage), {})

    def _file(self, row: Row, reading: InputSource) -> None:
        """Store a row for an input source; a stage with equal durations has the same row in two of them."""
        self._held(row, reading)[row.output] = row
        if row.probe:
            return
        self._reported.setdefault((row.regime, reading, row.stage), set()).add(row.utterance)
        self._note_worst(row, reading)

    def _note_worst(self, row: Row, reading: InputSource) -> None:
        key = (row.regime, reading, row.stage)
        worst = self._worst.get(key)
        if not row.probe and (worst is None or severity(row) > severity(worst)):
            self._worst[key] = row

    def _finish(self, report: Report) -> None:
        self.utterances = report.utterances or self.utterances  # utterances arrive piece by piece, and rows one by one
        self.report = replace(report, rows=report.rows or self.rows, utterances=self.utterances)
        if len(report.rows) != self.row_count:
            for row in report.rows:
                self._take_row(row)
        self._end(RunState.FINISHED, "")

    def _end(
        self, state: RunState, message: str, hint: str = "", recovery_action: RecoveryAction | None = None
    ) -> None:
        self.state, self.message, self.hint, self.recovery_action = state, message, hint, recovery_action


def crashed_row(utterance: int, regime: str, reference: str, reading: InputSource, stage: str) -> Row:
    """Return a row without metrics for the first output of a stage."""
    declared = stage_named(stage)
    output = declared.outputs[0].name
    return Row(utterance, stage, output, regime, reference, reading, Verdict.CRASHED, declared.tolerance)


class StoredCurves:
    """The curves in memory: those of the most recent utterances, and of rows that are the worst of all."""

    def __init__(self) -> None:
        self._utterances: deque[int] = deque()

    def make_room(
        self, utterance: int, rows: Mapping[tuple[int, str, InputSource, str], dict[str, Row]], worst: Iterable[Row]
    ) -> None:
        """Discard the curves of the oldest utterance if there are too many.

        The keys of `rows` begin with the number of the utterance.
        """
        if utterance in self._utterances:
            return
        self._utterances.append(utterance)
        if len(self._utterances) <= MAX_UTTERANCES:
            return
        let_go, kept = self._utterances.popleft(), {id(row) for row in worst}
        for of_stage in (found for key, found in rows.items() if key[0] == let_go):
            of_stage.update({name: replace(row, profile=None) for name, row in of_stage.items() if id(row) not in kept})
