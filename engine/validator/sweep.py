"""Correlation against the amount of padding: one request in every padded regime, at one amount after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.speech import PreparationEvent
from engine.validator.regimes import PADDED_REGIMES, PADDINGS
from engine.validator.results import Reading, Row, ValidationEvent, ValidationRequest
from engine.validator.validation import Spoken, ValidationObserver, Validator, ignore, spoken_of


@dataclass(frozen=True)
class SweepPoint:
    """How well one output of one stage correlates with the reference in one regime at one amount of padding.

    `pearson` is None where the two cannot be compared or ours is not finite; `best_lag_correlation` is the waveform's,
    which stays comparable when durations differ, and None for every other output.
    """

    padding: float
    regime: str
    utterance: int
    stage: str
    output: str
    reading: Reading
    pearson: float | None
    best_lag_correlation: float | None = None


def sweep_padding(
    request: ValidationRequest,
    paddings: Sequence[float] = PADDINGS,
    observe: ValidationObserver = ignore,
    cancel: threading.Event | None = None,
) -> tuple[SweepPoint, ...]:
    """Run the request in every padded regime at each of these amounts of padding.

    The request's own regimes, padding, crossed stages and arrays folder are ignored. `observe` gets only preparation
    events, among them one before each amount. Raises the errors of `Validator.validate`.
    """
    validator = Validator()
    try:
        spoken = list(spoken_of(validator, request))
        points: list[SweepPoint] = []
        for done, padding in enumerate(paddings):
            observe(PreparationEvent(f"Padding {padding:g} times the length", done, len(paddings)))
            points += _points_at(validator, request, padding, spoken, observe, cancel)
        observe(PreparationEvent("Swept", len(paddings), len(paddings)))
        return tuple(points)
    finally:
        validator.close()


def _points_at(
    validator: Validator,
    request: ValidationRequest,
    padding: float,
    spoken: list[Spoken],
    observe: ValidationObserver,
    cancel: threading.Event | None,
) -> Iterator[SweepPoint]:
    padded = replace(request, regimes=PADDED_REGIMES, padding=padding, cross=(), arrays_folder=None)

    def pass_on(event: ValidationEvent) -> None:
        if isinstance(event, PreparationEvent):
            observe(event)

    report = validator.validate_utterances(padded, spoken, pass_on, cancel)
    return (_point(row, padding) for row in report.rows if row.durations is None and not row.probe)


def _point(row: Row, padding: float) -> SweepPoint:
    pearson = None if row.metrics is None else row.metrics.pearson
    best_lag = None if row.audio is None else row.audio.best_lag_correlation
    return SweepPoint(padding, row.regime, row.utterance, row.stage, row.output, row.reading, pearson, best_lag)
