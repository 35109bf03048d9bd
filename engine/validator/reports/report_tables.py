"""The tables of a validation as text, row by row and cell by cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.stages import STAGE_NAMES, stage_named
from engine.validator.data import wording
from engine.validator.data.results import REGIME_MEANINGS, Reading, Regime, Row
from engine.validator.data.verdicts import worst

FIGURE_NAMES = (
    "stage", "output", "regime", "reading", "correlation", "cosine", "SQNR", "max error", "relative L2",
    "over the floor", "over golden", "finite", "energy in padding", "ms", "ms, reference", "verdict",
)  # fmt: skip
"""Headings of the table of all figures."""


@dataclass(frozen=True)
class Cell:
    """One cell of a table; `verdict` is empty in an empty cell, `hint` shows on hovering."""

    value: str = ""
    verdict: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Line:
    """One output in the table of an utterance, with a cell for each regime and reading."""

    stage: str
    output: str
    is_probe: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class RegimeSummary:
    """One regime over all utterances."""

    name: str
    meaning: str
    worst: Cell
    heard: Cell


def by_regime(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each regime, in their order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.regime, []).append(row)
    return found


def summary(name: str, rows: Sequence[Row]) -> RegimeSummary:
    """A regime's worst stage fed by the reference, and its worst waveform fed by itself."""
    isolated = worst(row for row in rows if row.reading is Reading.REFERENCE_FED)
    heard = worst(row for row in rows if row.reading is Reading.OWN_FED and row.stage == STAGE_NAMES[-1])
    meaning = REGIME_MEANINGS.get(Regime(name), "") if name in tuple(Regime) else "stages of several regimes"
    return RegimeSummary(name, meaning, _cell(isolated, with_stage=True), _cell(heard))


def lines(rows: Sequence[Row], regimes: Sequence[str]) -> Iterator[Line]:
    """The table of one utterance: a line for each output and probe, in the order of the stages."""
    ordered = sorted(rows, key=lambda row: STAGE_NAMES.index(row.stage))
    found = {(row.output, row.regime, row.reading): row for row in rows}
    readings = wording.readings_of(rows)
    for stage, output, is_probe in dict.fromkeys((row.stage, row.output, row.probe) for row in ordered):
        cells = (_cell(found.get((output, regime, reading))) for regime in regimes for reading in readings)
        yield Line(stage_named(stage).title, output, is_probe, tuple(cells))


def _cell(row: Row | None, with_stage: bool = False) -> Cell:
    if row is None:
        return Cell()
    value = wording.row_correlation(row)
    return Cell(f"{value} ({row.output})" if with_stage else value, row.verdict, _hint(row))


def _hint(row: Row) -> str:
    metrics = row.metrics or row.by_phoneme
    if metrics is None:
        return ""
    error, l2 = wording.magnitude(metrics.max_abs), wording.magnitude(metrics.relative_l2)
    tolerance = wording.correlation(row.tolerance)
    over = f"{wording.times(row.times_floor)} the floor, {wording.times(row.times_golden)} golden"
    return f"max error {error}, relative L2 {l2}, {over}, SQNR {wording.noise_ratio(metrics)}, tolerance {tolerance}"


def sounds(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Each regime with the comparison, as sound, of its whole waveform with the reference's."""
    for row in rows:
        if row.audio is not None and row.reading is Reading.OWN_FED:
            yield row.regime, wording.audio(row.audio)


def figures(row: Row) -> tuple[str, ...]:
    """The values under `FIGURE_NAMES`, except the verdict."""
    names = (stage_named(row.stage).title, row.output, row.regime, row.reading)
    times = (wording.milliseconds(row.seconds), wording.milliseconds(row.reference_seconds))
    metrics = row.metrics or row.by_phoneme
    if metrics is None:
        return (*names, wording.row_correlation(row), *[wording.NOTHING] * 8, *times)
    return (
        *names,
        wording.row_correlation(row),
        wording.correlation(metrics.cosine),
        wording.noise_ratio(metrics),
        wording.magnitude(metrics.max_abs),
        wording.magnitude(metrics.relative_l2),
        wording.times(row.times_floor),
        wording.times(row.times_golden),
        wording.percent(metrics.finite_percent),
        wording.magnitude(metrics.tail_energy),
        *times,
    )
