"""Correlation against the amount of padding: runs one request in every padded regime at several amounts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from engine.speech import PreparationEvent
from engine.validator.data.results import (
    STUDENT_REGIMES,
    AlignmentEvent,
    InputSource,
    Row,
    ValidationEvent,
    ValidationRequest,
)
from engine.validator.experiments.progress import ExperimentObserver, ProgressEvent, RemainingTime
from engine.validator.runners.regimes import PADDED_REGIMES
from engine.validator.runs.validation import Validator, ignore, spoken_of

PADDINGS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
"""The amounts at which the effect of padding is measured, as padding over valid length."""
SWEPT = "Swept"
SWEPT_REGIMES = tuple(regime for regime in PADDED_REGIMES if regime not in STUDENT_REGIMES)
"""The padded regimes that every model has."""


@dataclass(frozen=True)
class SweepPoint:
    """The correlation of one output of one stage with the reference in one regime at one amount of padding.

    `pearson` is None if the two cannot be compared or ours is not finite; `best_lag_correlation` is the waveform's,
    which stays comparable when durations differ, and None for every other output.
    """

    padding: float
    regime: str
    utterance: int
    stage: str
    output: str
    reading: InputSource
    pearson: float | None
    best_lag_correlation: float | None = None


def sweep_padding(
    request: ValidationRequest, paddings: Sequence[float] = PADDINGS, observe: ExperimentObserver = ignore
) -> tuple[SweepPoint, ...]:
    """Run the request in every padded regime at each of these amounts of padding.

    Ignores the request's own regimes, padding, crossed stages and arrays folder. `observe` gets only preparation and
    progress events, one of the latter before each amount. Raises the errors of `Validator.validate`.
    """
    remaining = RemainingTime([1 + padding for padding in paddings])

    def pass_on(event: ValidationEvent) -> None:
        if isinstance(event, PreparationEvent):
            observe(event)
        elif isinstance(event, AlignmentEvent):  # every model is loaded now
            remaining.start()

    points: list[SweepPoint] = []
    with closing(Validator()) as validator:
        spoken = list(spoken_of(validator, request))
        for done, padding in enumerate(paddings):
            title = f"Padding {padding:g} times the length"
            observe(ProgressEvent(title, done, len(paddings), remaining.seconds_left(done)))
            padded = replace(request, regimes=SWEPT_REGIMES, padding=padding, cross=(), arrays_folder=None)
            rows = validator.validate_utterances(padded, spoken, pass_on).rows
            points += [_point(row, padding) for row in rows if row.durations is None and not row.probe]
    observe(ProgressEvent(SWEPT, len(paddings), len(paddings), 0.0))
    return tuple(points)


def _point(row: Row, padding: float) -> SweepPoint:
    pearson = None if row.metrics is None else row.metrics.pearson
    best_lag = None if row.audio is None else row.audio.best_lag_correlation
    return SweepPoint(padding, row.regime, row.utterance, row.stage, row.output, row.reading, pearson, best_lag)
