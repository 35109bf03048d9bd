"""Random utterances of all lengths, each validated: the worst one shows whether the tolerances hold in general."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import InvalidRequest
from engine.models.checkpoints import Checkpoint
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED, Utterance
from engine.validator.data.experiments import ExperimentObserver
from engine.validator.data.results import Reading, Report, Row, ValidationRequest, Verdict
from engine.validator.data.verdicts import severity
from engine.validator.experiments.trials import Trials
from engine.validator.runs.validation import Spoken, Validator, ignore

MOST_UTTERANCES = 10_000


@dataclass(frozen=True)
class FuzzReport:
    """How many utterances were within tolerance, the worst row of each output, and every failed row."""

    utterances: int
    within_tolerance: int
    worst: tuple[Row, ...]
    failed: tuple[Row, ...]
    report: Report

    @property
    def passed(self) -> bool:
        """Whether every utterance was within tolerance."""
        return self.within_tolerance == self.utterances


def fuzz(request: ValidationRequest, count: int, observe: ExperimentObserver = ignore) -> FuzzReport:
    """Validate `count` random utterances in the request's model and regimes; its seed determines the utterances.

    `observe` gets a validator's events, and those of `engine.validator.experiments.trials`. Raises `InvalidRequest` for
    a count out of range, and the errors of `Validator.validate`.
    """
    with closing(Validator()) as validator:
        return fuzz_with(validator, request, count, observe)


def fuzz_with(
    validator: Validator,
    request: ValidationRequest,
    count: int,
    observe: ExperimentObserver = ignore,
    cancel: threading.Event | None = None,
) -> FuzzReport:
    """As `fuzz`, with the models that a validator may have loaded."""
    if not 1 <= count <= MOST_UTTERANCES:
        raise InvalidRequest(f"{count} utterances cannot be tried.", f"Choose 1 to {MOST_UTTERANCES:,}.")
    checkpoint = validator.prepare(request).checkpoint
    spoken = list(random_utterances(checkpoint, count, request.speech.seed))
    return _summed_up(validator.validate_utterances(request, spoken, Trials(spoken, observe).take, cancel))


def random_utterances(checkpoint: Checkpoint, count: int, seed: int) -> Iterator[Spoken]:
    """Utterances of random symbols, voices and speeds; their lengths are spread evenly on a logarithmic scale.

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
        yield Spoken(Utterance(index, phonemes, phonemes, 0, length), voice, speed, seed)


def _summed_up(report: Report) -> FuzzReport:
    rows = [replace(row, profile=None) for row in report.rows]
    failed = tuple(row for row in rows if row.verdict is Verdict.FAIL)
    count = len(report.utterances)
    within = count - len({row.utterance for row in failed})
    return FuzzReport(count, within, _worst(rows), failed, replace(report, rows=tuple(rows)))


def _worst(rows: list[Row]) -> tuple[Row, ...]:
    """The worst row of every output when fed by the reference, in the order of the stages."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row.reading is Reading.REFERENCE_FED:
            groups.setdefault((row.regime, row.stage, row.output), []).append(row)
    return tuple(max(group, key=severity) for group in groups.values())
