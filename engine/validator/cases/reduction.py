"""Reduces a failure of a validation to the shortest text found on which a stage still fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from engine.errors import InvalidRequest
from engine.speech import Array, PreparationEvent, Style, Utterance
from engine.stages import STAGE_NAMES, Stage, stage_named
from engine.system.waiting import raise_if_set
from engine.validator.cases.case import CaseFacts, FailingCase
from engine.validator.cases.stage_trial import StageTrial, StageTrials, only
from engine.validator.data.results import InputSource, Report, Row, ValidationRequest, Verdict
from engine.validator.data.wording import counted
from engine.validator.measures.element_errors import ElementErrors
from engine.validator.runners.regimes import Regimes
from engine.validator.runs.validation import SpokenUtterance, ValidationObserver, Validator, ignore, spoken_of
from engine.validator.runs.versions import build_identity

REDUCTION_SECONDS = 60.0
SHORT_TEXT = 5
"""The largest number of phonemes of the texts tried first, at several places of the utterance."""
PLACES = 12
LENGTHS_TRIED = 40
"""The beginning of the utterance is tried at every length up to this: some faults need certain lengths."""


@dataclass(frozen=True)
class Reduction:
    """A failing case, how it was reduced, and its element errors.

    `original_phonemes` is the length of the utterance that failed, `tries` the number of runs of the stage. If
    `complete` is False, time was up while a smaller case was still possible. `elements` is None if shapes differ.
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
    """Reduce the first divergence that a report of the request found, in the given stage if any.

    The result is deterministic unless time is up. Raises `InvalidRequest` if nothing failed there, `Canceled` once
    `cancel` is set, and the errors of `Validator.prepare`.
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
    """Return the first divergence that a report of the request found, without reducing it; see `reduce_failure`."""
    row = _failure(report, stage)
    reducer = _Reducer(validator, request, row, observe, None, 0.0)
    spoken = next(one for one in spoken_of(validator, request) if one.utterance.index == row.utterance)
    phonemes = spoken.utterance.phonemes
    return reducer.case(spoken.utterance, reducer.trial_of(spoken, phonemes), _style(spoken, phonemes))


def check_stage(stage: str | None) -> None:
    """Raise `InvalidRequest` for an unknown stage."""
    if stage is not None and stage not in STAGE_NAMES:
        raise InvalidRequest(f"Unknown stage “{stage}”.", f"Stages: {', '.join(STAGE_NAMES)}.")


def failure_in(report: Report, stage: str | None = None) -> Row | None:
    """Return the row to reduce: of a compiled regime if one fails, then of the first stage and its shortest utterance.

    Returns None if no stage, or not the given one, is itself wrong. Raises `InvalidRequest` for an unknown stage.
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
        what = "No stage is" if stage is None else f"The stage {stage} isn’t"
        raise InvalidRequest(
            f"{what} wrong by itself, so there’s nothing to reduce.", "Try a different text or regime."
        )
    return row


def _is_wrong(row: Row) -> bool:
    return row.reading is InputSource.ISOLATED and row.verdict is Verdict.FAIL and not row.probe


class _Reducer:
    """One reduction, limited to `seconds`."""

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
        self._cancel = cancel
        self._seconds = seconds
        self._began = time.monotonic()
        self._tries = 0

    def reduction(self, spoken: SpokenUtterance) -> Reduction:
        """Return the shortest case found of a failing utterance."""
        whole = spoken.utterance.phonemes
        self._trials.trust(self.trial_of(spoken, whole))
        phonemes = shortest_part(whole, lambda part: self._fails(spoken, part))
        trial = self.trial_of(spoken, phonemes)
        edit = spoken.utterance.edit if phonemes == whole else None
        utterance = replace(spoken.utterance, phonemes=phonemes, words=(), edit=edit)
        case = self.case(utterance, trial, _style(spoken, phonemes))
        return Reduction(case, trial.elements(), len(whole), self._tries, self._spent, self._spent < self._seconds)

    def trial_of(self, spoken: SpokenUtterance, phonemes: str) -> StageTrial:
        """Try the stage on other phonemes, in the voice's style for their number; edits fit only the utterance's."""
        whole = phonemes == spoken.utterance.phonemes
        utterance = replace(spoken.utterance, phonemes=phonemes, edit=spoken.utterance.edit if whole else None)
        return self._trials.on_phonemes(utterance, _style(spoken, phonemes), spoken.speed, spoken.seed)

    def case(self, utterance: Utterance, trial: StageTrial, style: Style) -> FailingCase:
        """Return a trial with all that is needed to repeat it."""
        build = build_identity(self._regimes, self._stage.name, trial.worst.regime)
        row = replace(trial.worst, profile=None, seconds=None, reference_seconds=None)  # no times: equal for every try
        facts = CaseFacts(self._request, utterance, row, build)
        arrays: Mapping[str, Array] = {"timbre": style.timbre, "prosody": style.prosody}
        return FailingCase(facts, trial.inputs, trial.ours, trial.expected, arrays)

    @property
    def _spent(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    def _fails(self, spoken: SpokenUtterance, phonemes: str) -> bool:
        """Return whether this part of an utterance fails; False once time is up."""
        if self._spent >= self._seconds:
            return False
        raise_if_set(self._cancel)
        self._tries += 1
        words = f"Shorter texts than {counted(len(spoken.utterance.phonemes), 'phoneme')}, try {self._tries}"
        self._observe(PreparationEvent(words, self._tries, self._tries + 1))
        trial = self.trial_of(spoken, phonemes)
        return trial.fails and self._trials.witnessed(trial)


def shortest_part(phonemes: str, fails: Callable[[str], bool]) -> str:
    """Return the shortest part tried that fails, or all phonemes if none does.

    Short parts come first: removing phonemes from the whole may end at a long part although a short one fails by
    itself.
    """
    for length in range(1, min(LENGTHS_TRIED + 1, len(phonemes))):
        for start in _spread(len(phonemes) - length + 1, PLACES if length <= SHORT_TEXT else 1):
            if fails(phonemes[start : start + length]):
                return phonemes[start : start + length]
    while len(phonemes) > 1:
        half = len(phonemes) // 2
        smaller = next((part for part in (phonemes[:half], phonemes[half:]) if fails(part)), None)
        if smaller is None:
            break
        phonemes = smaller
    return phonemes


def _spread(count: int, places: int) -> Iterator[int]:
    """Return at most `places` of `count` places, spread evenly from first to last; a single one is the first."""
    if count <= places:
        return iter(range(count))
    return iter(dict.fromkeys(round(place * (count - 1) / max(1, places - 1)) for place in range(places)))


def _style(spoken: SpokenUtterance, phonemes: str) -> Style:
    return spoken.voice.style(len(phonemes))
