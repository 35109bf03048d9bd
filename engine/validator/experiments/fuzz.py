"""Validates random utterances of all lengths; the worst one shows whether the tolerances hold in general."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import InvalidRequest
from engine.models.checkpoints import Checkpoint
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED, Utterance
from engine.validator.data.results import (
    AlignmentEvent,
    FinishedEvent,
    InputSource,
    Report,
    Row,
    RowEvent,
    ValidationEvent,
    ValidationRequest,
    Verdict,
)
from engine.validator.data.verdicts import severity
from engine.validator.experiments.progress import ExperimentObserver, ProgressEvent, RemainingTime
from engine.validator.runs.validation import SpokenUtterance, Validator, ignore

MAX_UTTERANCES = 10_000
TRYING = "Random utterances"
FIXED_PHONEMES = 20
"""The fixed cost of an utterance, in phonemes of a long one."""


@dataclass(frozen=True)
class FuzzReport:
    """The number of utterances within tolerance, the worst row of each output, and every failed row."""

    utterances: int
    within_tolerance: int
    worst: tuple[Row, ...]
    failed: tuple[Row, ...]
    report: Report

    @property
    def passed(self) -> bool:
        """True if every utterance was within tolerance."""
        return self.within_tolerance == self.utterances


def fuzz(request: ValidationRequest, count: int, observe: ExperimentObserver = ignore) -> FuzzReport:
    """Validate `count` random utterances in the request's model and regimes; its seed determines the utterances.

    `observe` gets a validator's events, and a `ProgressEvent` after each utterance. Raises `InvalidRequest` for a count
    out of range, and the errors of `Validator.validate`.
    """
    if not 1 <= count <= MAX_UTTERANCES:
        raise InvalidRequest(f"{count} utterances are out of range.", f"Choose 1 to {MAX_UTTERANCES:,}.")
    with closing(Validator()) as validator:
        spoken = list(random_utterances(validator.prepare(request).checkpoint, count, request.speech.seed))
        return _summed_up(validator.validate_utterances(request, spoken, _Progress(spoken, observe).handle_event))


class _Progress:
    """Passes a validator's events on, and adds a `ProgressEvent` once all rows of an utterance are there."""

    def __init__(self, spoken: Sequence[SpokenUtterance], observe: ExperimentObserver) -> None:
        self._count = len(spoken)
        self._observe = observe
        self._remaining = RemainingTime([FIXED_PHONEMES + len(one.utterance.phonemes) for one in spoken])
        self._utterance: int | None = None
        self._done = 0

    def handle_event(self, event: ValidationEvent) -> None:
        """Handle the next event; utterances come one after the other."""
        if isinstance(event, AlignmentEvent):  # every model is loaded now
            self._remaining.start()
        utterance = event.row.utterance if isinstance(event, RowEvent) else None
        begins = utterance is not None and utterance != self._utterance
        if self._utterance is not None and (begins or isinstance(event, FinishedEvent)):
            self._done += 1
            self._observe(ProgressEvent(TRYING, self._done, self._count, self._remaining.seconds_left(self._done)))
        if begins:
            self._utterance = utterance
        self._observe(event)


def random_utterances(checkpoint: Checkpoint, count: int, seed: int) -> Iterator[SpokenUtterance]:
    """Yield utterances of random symbols, voices and speeds, with lengths spread evenly on a logarithmic scale.

    The first has one phoneme, the second as many as the model takes.
    """
    generator = np.random.default_rng(seed)
    symbols, voices = sorted(checkpoint.config.vocab), list(checkpoint.voices.values())
    limit = checkpoint.config.phoneme_limit
    extremes = (1, limit)
    for index in range(count):
        length = extremes[index] if index < len(extremes) else round(limit ** generator.random())
        phonemes = "".join(generator.choice(symbols, length))
        voice = voices[generator.integers(len(voices))]
        speed = float(generator.uniform(SLOWEST_SPEED, FASTEST_SPEED))
        yield SpokenUtterance(Utterance(index, phonemes, phonemes, 0, length), voice, speed, seed)


def _summed_up(report: Report) -> FuzzReport:
    rows = [replace(row, profile=None) for row in report.rows]
    failed = tuple(row for row in rows if row.verdict is Verdict.FAIL)
    count = len(report.utterances)
    within = count - len({row.utterance for row in failed})
    return FuzzReport(count, within, _worst(rows), failed, replace(report, rows=tuple(rows)))


def _worst(rows: list[Row]) -> tuple[Row, ...]:
    """Return the worst row of every output of isolated stages, in the order of the stages."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row.reading is InputSource.ISOLATED:
            groups.setdefault((row.regime, row.stage, row.output), []).append(row)
    return tuple(max(group, key=severity) for group in groups.values())
