"""The columns of the table of stages: the text of each cell, and the number it is sorted by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from app.diagnostics.metric_words import (
    VERDICT_MEANINGS,
    VERDICT_TITLES,
    agreement_words,
    change_words,
    correlation_words,
    decibel_words,
    millisecond_words,
    number_words,
    regime_title,
    verdict_words,
)
from engine.stages import Stage
from engine.validator.results import Row
from engine.validator.verdicts import severity
from engine.validator.wording import NOTHING

WAITING = "waiting"


class Column(IntEnum):
    """The columns from left to right."""

    STAGE = 0
    CORRELATION = 1
    FLOOR = 2
    MAX_ERROR = 3
    SQNR = 4
    OURS_MS = 5
    REFERENCE_MS = 6
    VERDICT = 7
    CHANGE = 8


TITLES: Mapping[Column, tuple[str, str]] = {
    Column.STAGE: ("Stage", "The step from text to speech"),
    Column.CORRELATION: ("Correlation", "Pearson correlation with the reference"),
    Column.FLOOR: ("Floor", "The same for PyTorch in float32: nearer than that need no one come"),
    Column.MAX_ERROR: ("Max error", "The largest absolute difference"),
    Column.SQNR: ("SQNR", "How far the difference is below the signal"),
    Column.OURS_MS: ("Ours ms", "Milliseconds that the stage took"),
    Column.REFERENCE_MS: ("Ref. ms", "Milliseconds of the reference, which is more exact than PyTorch usually is"),
    Column.VERDICT: ("Verdict", "Whether the stage is within its tolerance"),
    Column.CHANGE: ("Change", "Against the run it is compared with"),
}


@dataclass(frozen=True)
class StageEntry:
    """What is known of one stage: its worst row, and that of the noise floor and of an earlier run."""

    stage: Stage
    number: int
    row: Row | None = None
    floor: Row | None = None
    earlier: Row | None = None
    token_count: int = 0
    awaited: bool = False


def words_of(entry: StageEntry, column: Column) -> str:
    """The text of a cell."""
    if column is Column.STAGE:
        return entry.stage.title
    if entry.row is not None:
        return _WORDS[column](entry, entry.row)
    return WAITING if entry.awaited and column is Column.VERDICT else ""


def sort_key(entry: StageEntry, column: Column) -> tuple[float, ...]:
    """The sort key of a cell; empty, and so the smallest, if the value is unknown."""
    if column is Column.STAGE:
        return (entry.number,)
    if entry.row is None:
        return ()
    if column is Column.VERDICT:
        return severity(entry.row)
    number = _NUMBERS[column](entry, entry.row)
    return () if number is None else (number,)


def explanation_of(entry: StageEntry, column: Column) -> str:
    """What a cell means, in a sentence."""
    row = entry.row
    if row is None:
        return ""
    if column is Column.VERDICT:
        return VERDICT_MEANINGS[row.verdict]
    if column is Column.CHANGE and entry.earlier is not None:
        return f"Before: {correlation_words(entry.earlier.metrics)}, {VERDICT_TITLES[entry.earlier.verdict]}"
    what = "durations of tokens" if row.durations is not None else row.output
    return f"{entry.stage.title}: {what}, {regime_title(row.regime)} against {regime_title(row.reference)}"


def _agreement(row: Row | None, token_count: int) -> str:
    return "" if row is None else agreement_words(row, token_count)


def _change_words(entry: StageEntry, row: Row) -> str:
    return change_words(row, entry.earlier) if entry.earlier is not None else ""


_WORDS: Mapping[Column, Callable[[StageEntry, Row], str]] = {
    Column.CORRELATION: lambda entry, row: _agreement(row, entry.token_count),
    Column.FLOOR: lambda entry, row: _agreement(entry.floor, entry.token_count),
    Column.MAX_ERROR: lambda entry, row: number_words(row.metrics.max_abs) if row.metrics is not None else NOTHING,
    Column.SQNR: lambda entry, row: decibel_words(row.metrics),
    Column.OURS_MS: lambda entry, row: millisecond_words(row.seconds),
    Column.REFERENCE_MS: lambda entry, row: millisecond_words(row.reference_seconds),
    Column.VERDICT: lambda entry, row: verdict_words(row.verdict),
    Column.CHANGE: _change_words,
}


def _pearson(row: Row | None) -> float | None:
    return None if row is None or row.metrics is None else row.metrics.pearson


def _sqnr(row: Row | None) -> float | None:
    if row is None or row.metrics is None or row.metrics.finite_percent < 100:
        return None
    return float("inf") if row.metrics.sqnr_db is None else row.metrics.sqnr_db


def _change(entry: StageEntry, row: Row) -> float | None:
    now, before = _sqnr(row), _sqnr(entry.earlier)
    if now is None or before is None:
        return None
    return 0.0 if now == before else now - before


_NUMBERS: Mapping[Column, Callable[[StageEntry, Row], float | None]] = {
    Column.CORRELATION: lambda entry, row: _pearson(row),
    Column.FLOOR: lambda entry, row: _pearson(entry.floor),
    Column.MAX_ERROR: lambda entry, row: None if row.metrics is None else row.metrics.max_abs,
    Column.SQNR: lambda entry, row: _sqnr(row),
    Column.OURS_MS: lambda entry, row: row.seconds,
    Column.REFERENCE_MS: lambda entry, row: row.reference_seconds,
    Column.CHANGE: _change,
}
