"""Compares every row's error with two baselines: Kokoro's own float32, and a golden run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.speech import Utterance
from engine.validator.data.results import InputSource, Regime, Row, Verdict
from engine.validator.runs.golden import Golden

MAX_TIMES = 10.0
"""More than this many times an error that was good once is a fault, however small the error is."""

OTHER_PHONEMES = "The golden run has different phonemes for this text, so some errors can’t be compared with it."


class BaselineGrader:
    """Rates rows in the order in which they are measured.

    Of each stage, isolated rows come first, and upstream's before the others' if it has an error. Call
    `begin_utterance` for each utterance: if its phonemes differ from the golden run's, only the floor is used.
    """

    def __init__(self, golden: Golden | None) -> None:
        self._golden = golden
        self._floors: dict[tuple[object, ...], float | None] = {}
        self._worse: set[tuple[object, ...]] = set()
        self._golden_utterances: set[int] = set()
        self._strangers = 0

    @property
    def remark(self) -> str:
        """A remark if the golden run has different phonemes; empty otherwise."""
        return OTHER_PHONEMES if self._golden is not None and self._strangers else ""

    def begin_utterance(self, utterance: Utterance) -> None:
        """Expect the rows of this utterance."""
        if self._golden is not None and self._golden.has(utterance):
            self._golden_utterances.add(utterance.index)
        else:
            self._strangers += 1

    def rated(self, row: Row) -> Row:
        """Return the row with its error over the floor and over the golden run's; worse, not passed, beyond 10 times.

        An end-to-end row is worse only if the same stage is worse when isolated: otherwise the error comes from an
        earlier stage. Students are not rated: they resemble their teacher far less than rounding changes it.
        """
        row = replace(row, times_floor=self._times_floor(row), times_golden=self._times_golden(row))
        if row.verdict not in (Verdict.PASS, Verdict.WORSE) or row.of_teacher:
            return row
        return replace(row, verdict=Verdict.WORSE if self._is_worse(row) else Verdict.PASS)

    def _is_worse(self, row: Row) -> bool:
        itself = row.utterance, row.regime, row.stage, row.output
        worse = any(times is not None and times > MAX_TIMES for times in (row.times_floor, row.times_golden))
        if row.reading is InputSource.ISOLATED and worse:
            self._worse.add(itself)
        return worse and itself in self._worse

    def _times_golden(self, row: Row) -> float | None:
        if self._golden is None or row.utterance not in self._golden_utterances:
            return None
        return self._golden.times(row)

    def _times_floor(self, row: Row) -> float | None:
        """Return the error over upstream's; None if upstream has none: the reference computes the stage alike."""
        key = row.utterance, row.stage, row.output, row.reading
        error = None if row.metrics is None else row.metrics.relative_l2
        if row.regime == Regime.UPSTREAM:
            self._floors[key] = error
            return None
        if key not in self._floors:
            return row.times_floor
        floor = self._floors[key]
        return error / floor if error is not None and floor else None


def unpartnered(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows of outputs of compiled stages that have an error, but no counterpart in the golden run."""
    return tuple(
        row
        for row in rows
        if row.decides and not row.probe and row.times_golden is None and row.metrics and row.metrics.relative_l2
    )


def worsened(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows of compiled stages whose error is more than 10 times the golden run's."""
    return tuple(
        row for row in rows if row.decides and row.verdict is Verdict.WORSE and (row.times_golden or 0) > MAX_TIMES
    )
