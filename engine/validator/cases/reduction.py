"""Reduces a failure of a validation: the fewest phonemes on which a stage still fails, then its smallest inputs."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.errors import InvalidRequest
from engine.speech import Array, PreparationEvent, Style, Utterance
from engine.stages import STAGE_NAMES, Stage, stage_named
from engine.validator.cases.array_reduction import smallest_inputs, what_was_left_out
from engine.validator.cases.case import CaseFacts, FailingCase
from engine.validator.cases.delta_debugging import Budget, Tries, minimised, shortest_run
from engine.validator.cases.stage_trial import StageTrials, Trial, only
from engine.validator.data.results import Reading, Report, Row, ValidationRequest, Verdict
from engine.validator.data.wording import counted
from engine.validator.measures.element_errors import ElementErrors
from engine.validator.runners.regimes import Regimes
from engine.validator.runs.build_identity import build_identity
from engine.validator.runs.validation import Spoken, ValidationObserver, Validator, ignore, spoken_of

REDUCTION_SECONDS = 60.0
SHORT_TEXT = 5
"""Texts of at most so many phonemes are looked for first, at several places of the utterance."""
PLACES = 12
LENGTHS_TRIED = 40
"""The beginning of the utterance is tried at every length up to this: some faults need certain lengths."""


@dataclass(frozen=True)
class Reduction:
    """A failing case, how it was reduced, and what differs in it, element by element.

    `original_phonemes` is the length of the utterance that failed, `tries` how often the stage was run. Unless it is
    `complete`, time was up before nothing more could be left out. `elements` is None where shapes differ.
    """

    case: FailingCase
    elements: ElementErrors | None
    original_phonemes: int
    tries: int
    seconds: float
    complete: bool


def reduce_failure(
    validator: Validator,
    request: ValidationRequest,
    report: Report,
    stage: str | None = None,
    observe: ValidationObserver = ignore,
    cancel: threading.Event | None = None,
    seconds: float = REDUCTION_SECONDS,
) -> Reduction:
    """Reduce the first divergence that a report of the request found, or that of a stage.

    The result is the same every time unless time is up. Raises `InvalidRequest` when nothing failed there, `Cancelled`
    once `cancel` is set, and the errors of `Validator.prepare`.
    """
    row = _failure(report, stage)
    reducer = _Reducer(validator, request, row, observe, cancel, seconds)
    spoken = next(one for one in spoken_of(validator, request) if one.utterance.index == row.utterance)
    return reducer.reduction(spoken)


def failing_case(
    validator: Validator,
    request: ValidationRequest,
    report: Report,
    stage: str | None = None,
    observe: ValidationObserver = ignore,
) -> FailingCase:
    """The first divergence that a report of the request found, or that of a stage, as it is; see `reduce_failure`."""
    row = _failure(report, stage)
    reducer = _Reducer(validator, request, row, observe, None, 0.0)
    spoken = next(one for one in spoken_of(validator, request) if one.utterance.index == row.utterance)
    phonemes = spoken.utterance.phonemes
    return reducer.case(spoken.utterance, reducer.trial_of(spoken, phonemes), (), _style(spoken, phonemes))


def check_stage(stage: str | None) -> None:
    """Raise `InvalidRequest` for the name of no stage."""
    if stage is not None and stage not in STAGE_NAMES:
        raise InvalidRequest(f"There is no stage “{stage}”.", f"Stages: {', '.join(STAGE_NAMES)}.")


def failure_in(report: Report, stage: str | None = None) -> Row | None:
    """The row to reduce: of a compiled regime if one fails, of the first stage that fails, of its shortest utterance.

    It is None where no stage, or not this one, is itself wrong. Raises `InvalidRequest` for an unknown stage.
    """
    check_stage(stage)
    failed = [row for row in report.rows if _is_wrong(row) and stage in (None, row.stage)]
    phonemes = {utterance.index: len(utterance.phonemes) for utterance in report.utterances}

    def order(row: Row) -> tuple[bool, int, int]:
        return not row.decides, STAGE_NAMES.index(row.stage), phonemes[row.utterance]

    return min(failed, key=order, default=None)


def _failure(report: Report, stage: str | None) -> Row:
    row = failure_in(report, stage)
    if row is None:
        what = "No stage is" if stage is None else f"The stage {stage} is not"
        raise InvalidRequest(f"{what} itself wrong, so there is nothing to reduce.", "Try another text or regime.")
    return row


def _is_wrong(row: Row) -> bool:
    return row.reading is Reading.REFERENCE_FED and row.verdict is Verdict.FAIL and not row.probe


class _Reducer:
    """The steps of one reduction, on one budget."""

    def __init__(
        self,
        validator: Validator,
        request: ValidationRequest,
        row: Row,
        observe: ValidationObserver,
        cancel: threading.Event | None,
        seconds: float,
    ) -> None:
        self._request = only(request, row.regime)
        self._regimes: Regimes = validator.prepare(self._request)
        self._stage: Stage = stage_named(row.stage)
        self._trials = StageTrials(self._regimes, self._request, row.regime, self._stage, observe, cancel)
        self._observe = observe
        self._words = ""
        self._budget = Budget(seconds, cancel, self._tell)

    def reduction(self, spoken: Spoken) -> Reduction:
        """The smallest case that is found of a failing utterance."""
        whole = spoken.utterance.phonemes
        self._trials.trust(self.trial_of(spoken, whole))
        phonemes = self._fewest_phonemes(spoken)
        trial = self.trial_of(spoken, phonemes)
        self._words = f"Smaller inputs for {counted(len(phonemes), 'phoneme')}"
        inputs = smallest_inputs(self._regimes.checkpoint.config, self._stage, trial.inputs, self._fails, self._budget)
        steps = what_was_left_out(self._stage, trial.inputs, inputs)
        reduced = trial if inputs is trial.inputs else self._trials.on_inputs(inputs)
        utterance = replace(spoken.utterance, phonemes=phonemes, words=())
        case = self.case(utterance, reduced, steps, _style(spoken, phonemes))
        return Reduction(
            case, reduced.elements(), len(whole), self._budget.tries, self._budget.seconds, not self._budget.spent
        )

    def trial_of(self, spoken: Spoken, phonemes: str) -> Trial:
        """The stage on other phonemes, in the voice's style for so many."""
        utterance = replace(spoken.utterance, phonemes=phonemes)
        return self._trials.on_phonemes(utterance, _style(spoken, phonemes), spoken.speed, spoken.seed)

    def case(self, utterance: Utterance, trial: Trial, steps: Sequence[str], style: Style) -> FailingCase:
        """What was tried, with all that is needed to try again."""
        build = build_identity(self._regimes, self._stage.name, trial.worst.regime)
        row = replace(trial.worst, profile=None, seconds=None, reference_seconds=None)  # equal whenever it is tried
        facts = CaseFacts(self._request, utterance, row, build, tuple(steps))
        arrays: Mapping[str, Array] = {"timbre": style.timbre, "prosody": style.prosody}
        return FailingCase(facts, trial.inputs, trial.ours, trial.expected, arrays)

    def _fewest_phonemes(self, spoken: Spoken) -> str:
        """Short parts first: leaving out phonemes may end at a long text of which no part of the sizes tried fails."""
        self._words = f"Shorter texts than {counted(len(spoken.utterance.phonemes), 'phoneme')}"
        fails = Tries[str](lambda kept: self._is_ours(self.trial_of(spoken, "".join(kept))), self._budget)
        phonemes = tuple(spoken.utterance.phonemes)
        longest = len(phonemes) - 1
        short = shortest_run(phonemes, range(1, min(SHORT_TEXT, longest) + 1), PLACES, fails)
        short = short or shortest_run(phonemes, range(SHORT_TEXT + 1, min(LENGTHS_TRIED, longest) + 1), 1, fails)
        return "".join(minimised(short or phonemes, fails))

    def _fails(self, inputs: Mapping[str, Array]) -> bool:
        return self._is_ours(self._trials.on_inputs(inputs))

    def _is_ours(self, trial: Trial) -> bool:
        return trial.fails and self._trials.witnessed(trial)

    def _tell(self, tries: int) -> None:
        self._observe(PreparationEvent(f"{self._words}, try {tries}", tries, tries + 1))


def _style(spoken: Spoken, phonemes: str) -> Style:
    return spoken.voice.style(len(phonemes))
