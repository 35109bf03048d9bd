"""The plain data of experiments with a request: a sweep over amounts of padding, and random utterances (a fuzz)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.speech import Utterance
from engine.validator.data.results import Reading, Row, ValidationEvent, ValidationRequest

PADDINGS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Padding over valid length, where its effect is measured at several amounts."""


@dataclass(frozen=True)
class SweepRequest:
    """Run the request in every padded regime at each of these amounts of padding over the valid length."""

    request: ValidationRequest
    paddings: tuple[float, ...] = PADDINGS


@dataclass(frozen=True)
class FuzzRequest:
    """Run `count` random utterances, which the seed of the request's speech determines, in its regimes."""

    request: ValidationRequest
    count: int


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


@dataclass(frozen=True)
class Trial:
    """One random utterance: how it was spoken, its worst row fed by the reference, and whether any row failed."""

    utterance: Utterance
    voice: str
    speed: float
    seed: int
    worst: Row
    within_tolerance: bool


@dataclass(frozen=True)
class ProgressEvent:
    """`done` of `total` parts of an experiment are done; `seconds_left` is None while there is nothing to judge by."""

    title: str
    done: int
    total: int
    seconds_left: float | None = None


@dataclass(frozen=True)
class SweptEvent:
    """A sweep is done."""

    points: tuple[SweepPoint, ...]


@dataclass(frozen=True)
class TrialEvent:
    """A random utterance has been compared."""

    trial: Trial


@dataclass(frozen=True)
class FuzzedEvent:
    """All random utterances have been compared; `worst` has the worst row of every output fed by the reference."""

    utterances: int
    within_tolerance: int
    worst: tuple[Row, ...]


ServiceEvent = ValidationEvent | ProgressEvent | SweptEvent | TrialEvent | FuzzedEvent
ExperimentRequest = SweepRequest | FuzzRequest
ExperimentObserver = Callable[[ServiceEvent], None]
EXPERIMENT_ENDS = (SweptEvent, FuzzedEvent)
