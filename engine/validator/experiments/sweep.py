"""Correlation against the amount of padding: one request in every padded regime, at one amount after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from engine.speech import PreparationEvent
from engine.validator.data.experiments import PADDINGS, ExperimentObserver, ProgressEvent, SweepPoint
from engine.validator.data.results import STUDENT_REGIMES, AlignmentEvent, Row, ValidationEvent, ValidationRequest
from engine.validator.experiments.remaining_time import RemainingTime
from engine.validator.runners.regimes import PADDED_REGIMES
from engine.validator.runs.validation import Spoken, Validator, ignore, spoken_of

SWEPT = "Swept"
SWEPT_REGIMES = tuple(regime for regime in PADDED_REGIMES if regime not in STUDENT_REGIMES)
"""Those that every model has."""


def sweep_padding(
    request: ValidationRequest,
    paddings: Sequence[float] = PADDINGS,
    observe: ExperimentObserver = ignore,
    cancel: threading.Event | None = None,
) -> tuple[SweepPoint, ...]:
    """Run the request in every padded regime at each of these amounts of padding.

    The request's own regimes, padding, crossed stages and arrays folder are ignored. `observe` gets only preparation
    and progress events, among these one before each amount. Raises the errors of `Validator.validate`.
    """
    with closing(Validator()) as validator:
        return sweep_with(validator, request, paddings, observe, cancel)


def sweep_with(
    validator: Validator,
    request: ValidationRequest,
    paddings: Sequence[float] = PADDINGS,
    observe: ExperimentObserver = ignore,
    cancel: threading.Event | None = None,
) -> tuple[SweepPoint, ...]:
    """As `sweep_padding`, with the models that a validator may have loaded."""
    spoken = list(spoken_of(validator, request))
    remaining = RemainingTime([1 + padding for padding in paddings])
    points: list[SweepPoint] = []
    for done, padding in enumerate(paddings):
        title = f"Padding {padding:g} times the length"
        observe(ProgressEvent(title, done, len(paddings), remaining.seconds_left(done)))
        points += _points_at(validator, request, padding, spoken, observe, cancel, remaining)
    observe(ProgressEvent(SWEPT, len(paddings), len(paddings), 0.0))
    return tuple(points)


def _points_at(
    validator: Validator,
    request: ValidationRequest,
    padding: float,
    spoken: list[Spoken],
    observe: ExperimentObserver,
    cancel: threading.Event | None,
    remaining: RemainingTime,
) -> Iterator[SweepPoint]:
    padded = replace(request, regimes=SWEPT_REGIMES, padding=padding, cross=(), arrays_folder=None)

    def pass_on(event: ValidationEvent) -> None:
        if isinstance(event, PreparationEvent):
            observe(event)
        elif isinstance(event, AlignmentEvent):  # by now every model is loaded
            remaining.start()

    report = validator.validate_utterances(padded, spoken, pass_on, cancel)
    return (_point(row, padding) for row in report.rows if row.durations is None and not row.probe)


def _point(row: Row, padding: float) -> SweepPoint:
    pearson = None if row.metrics is None else row.metrics.pearson
    best_lag = None if row.audio is None else row.audio.best_lag_correlation
    return SweepPoint(padding, row.regime, row.utterance, row.stage, row.output, row.reading, pearson, best_lag)
