"""Renders a validation as one self-contained page: findings in plain words, tables, plots; light and dark.

The layout of the page is in `resources/report`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.config import SAMPLE_RATE_HZ
from engine.errors import EngineError
from engine.speech import Samples, Utterance
from engine.stages import STAGE_NAMES, stage_named
from engine.system.atomic_write import atomic_write
from engine.system.paths import resources_folder
from engine.validator.data import wording
from engine.validator.data.results import REGIME_DESCRIPTIONS, InputSource, Regime, Report, Row
from engine.validator.data.verdicts import describe_worse, severity, worst
from engine.validator.data.wording import NOT_USED, readings_of
from engine.validator.reports.wavs import waveform
from engine.validator.runs.arrays import Arrays

if TYPE_CHECKING:
    from engine.validator.experiments.lstm_comparison import LstmComparison
    from engine.validator.experiments.sweep import SweepPoint


MAX_SHOWN = 8
"""Utterances shown in full; a page with more would be too large to open."""


@dataclass(frozen=True)
class UtteranceView:
    """Everything the page shows of one utterance; plots are SVG elements, or None for lack of data."""

    number: int
    text: str
    phonemes: str
    regimes: tuple[str, ...]
    readings: tuple[InputSource, ...]
    lines: tuple[OutputLine, ...]
    sounds: tuple[tuple[str, str], ...]
    figures: tuple[tuple[tuple[str, ...], str], ...]
    along_time: Any
    waveforms: Any


def write_html(
    path: Path,
    report: Report,
    arrays: Arrays | None = None,
    lstms: Sequence[LstmComparison] = (),
    sweep: Sequence[SweepPoint] = (),
) -> None:
    """Write the page to a file; raises `OutputError` if it cannot be written."""
    page = html_report(report, arrays, lstms, sweep)
    with atomic_write(path) as file:
        file.write(page.encode(errors="backslashreplace"))


def html_report(
    report: Report,
    arrays: Arrays | None = None,
    lstms: Sequence[LstmComparison] = (),
    sweep: Sequence[SweepPoint] = (),
) -> str:
    """Return the page; `arrays` adds waveforms and seconds, `lstms` and `sweep` their sections. Takes some seconds."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = FileSystemLoader(resources_folder() / "report")
    environment = Environment(
        loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html").render(_page(report, arrays, lstms, sweep))


def _page(
    report: Report, arrays: Arrays | None, lstms: Sequence[LstmComparison], sweep: Sequence[SweepPoint]
) -> dict[str, Any]:
    from engine.validator.reports import plots

    shown = _shown(report)
    fault_injection = "Drill: " if report.request.fault else ""
    return {
        "title": f"{fault_injection}Validation of {report.request.model} against {report.request.reference}",
        "passed": report.passed,
        "verdict_words": "The verdict is about the compiled modules; the other regimes show how strict it is.",
        "text": report.request.speech.text,
        "asked": _asked(report),
        "findings": report.findings,
        "worse": describe_worse(report.rows),
        "regimes": [summary(name, rows) for name, rows in by_regime(report.rows).items()],
        "correlations": _svg(plots.correlations(report.rows, "correlations")) if report.rows else None,
        "figure_names": FIGURE_NAMES,
        "utterances": [_view(utterance, report, arrays) for utterance in shown],
        "left_out": _left_out(report, len(shown)),
        "lstms": [(_lstm_heading(one), _svg(plots.lstm(one, f"l{n}"))) for n, one in enumerate(lstms)],
        "sweep": _svg(plots.sweep(sweep, "sweep")) if sweep else None,
        "versions": report.versions,
    }


def _asked(report: Report) -> dict[str, str]:
    request = report.request
    mixed = ", ".join(f"{stage} from {regime}" for stage, regime in request.cross)
    return {
        "model": request.model,
        "weights": request.weights or "the model’s own",
        "voice": request.speech.voice,
        "speed": f"{request.speech.speed:g}",
        "seed": str(request.speech.seed),
        "reference": request.reference,
        "padding of static regimes": f"{request.padding:g} times the length",
        "device": report.device_choice or NOT_USED,
        "LSTM method": report.lstm_choice or NOT_USED,
        **({"golden run": report.golden} if report.golden else {}),
        **({"crossed stages": mixed} if mixed else {}),
        "utterances": str(len(report.utterances)),
    }


def _shown(report: Report) -> list[Utterance]:
    """Return all utterances, or the worst of many, in the order of the text."""

    def badness(utterance: Utterance) -> tuple[int, float, float]:
        row = worst(row for row in report.rows if row.utterance == utterance.index)
        return (-1, 0.0, 0.0) if row is None else severity(row)

    chosen = sorted(report.utterances, key=badness, reverse=True)[:MAX_SHOWN]
    return sorted(chosen, key=lambda utterance: utterance.index)


def _left_out(report: Report, shown: int) -> str:
    total = len(report.utterances)
    return "" if shown == total else f"The worst {shown} of {total} utterances are shown; the JSON report has them all."


def _view(utterance: Utterance, report: Report, arrays: Arrays | None) -> UtteranceView:
    rows = [row for row in report.rows if row.utterance == utterance.index]
    grouped, index = by_regime(rows), utterance.index
    spoken = _waveforms(arrays, index, (report.request.reference, *grouped))
    reference = spoken.pop(report.request.reference, None)
    return UtteranceView(
        number=index + 1,
        text=utterance.text,
        phonemes=utterance.phonemes,
        regimes=tuple(grouped),
        readings=readings_of(rows),
        lines=tuple(lines(rows, tuple(grouped))),
        sounds=tuple(sounds(rows)),
        figures=tuple((figures(row), row.verdict.value) for row in rows),
        along_time=_along_time(grouped, index, _frames_per_token(arrays, index, report.request.reference), reference),
        waveforms=_waveform_plot(reference, spoken, index),
    )


def _waveforms(arrays: Arrays | None, utterance: int, regimes: Sequence[str]) -> dict[str, Samples]:
    """Return the waveforms of the regimes that have one; a regime that crashed has none."""
    found: dict[str, Samples] = {}
    if arrays is None:
        return found
    for regime in regimes:
        try:
            found[regime] = waveform(arrays, utterance, regime)
        except EngineError:
            continue
    return found


def _frames_per_token(arrays: Arrays | None, utterance: int, reference: str) -> tuple[int, ...] | None:
    if arrays is None or not arrays.holds(utterance, reference, InputSource.END_TO_END, "frame_token"):
        return None
    frame_token = arrays.load(utterance, reference, InputSource.END_TO_END, "frame_token")
    return tuple(np.bincount(frame_token.reshape(-1)).tolist())


def _along_time(
    grouped: Mapping[str, Sequence[Row]],
    utterance: int,
    frames_per_token: tuple[int, ...] | None,
    reference: Samples | None,
) -> Any:
    from engine.validator.reports import plots

    if not any(row.profile is not None for rows in grouped.values() for row in rows):
        return None
    seconds = None if reference is None else len(reference) / SAMPLE_RATE_HZ
    return _svg(plots.along_time(grouped, frames_per_token, seconds, f"t{utterance}"))


def _waveform_plot(reference: Samples | None, others: Mapping[str, Samples], utterance: int) -> Any:
    from engine.validator.reports import plots

    if reference is None or not others:
        return None
    return _svg(plots.waveforms(reference, others, f"w{utterance}"))


def _lstm_heading(comparison: LstmComparison) -> str:
    return f"{comparison.title}, utterance {comparison.utterance + 1} ({comparison.step_count} timesteps)"


def _svg(element: str) -> Any:
    """Wrap an element that the template inserts unchanged; `draw` has escaped its text."""
    from markupsafe import Markup

    return Markup(element)


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
class OutputLine:
    """One output in the table of an utterance, with a cell for each regime and reading."""

    stage: str
    output: str
    is_probe: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class RegimeSummary:
    """One regime over all utterances."""

    name: str
    description: str
    worst: Cell
    heard: Cell


def by_regime(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each regime, in their order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.regime, []).append(row)
    return found


def summary(name: str, rows: Sequence[Row]) -> RegimeSummary:
    """Summarize a regime: its worst isolated stage, and its worst end-to-end waveform."""
    isolated = worst(row for row in rows if row.reading is InputSource.ISOLATED)
    heard = worst(row for row in rows if row.reading is InputSource.END_TO_END and row.stage == STAGE_NAMES[-1])
    description = REGIME_DESCRIPTIONS.get(Regime(name), "") if name in tuple(Regime) else "stages of several regimes"
    return RegimeSummary(name, description, _cell(isolated, with_stage=True), _cell(heard))


def lines(rows: Sequence[Row], regimes: Sequence[str]) -> Iterator[OutputLine]:
    """Yield the table of one utterance: a line for each output and probe, in the order of the stages."""
    ordered = sorted(rows, key=lambda row: STAGE_NAMES.index(row.stage))
    found = {(row.output, row.regime, row.reading): row for row in rows}
    readings = wording.readings_of(rows)
    for stage, output, is_probe in dict.fromkeys((row.stage, row.output, row.probe) for row in ordered):
        cells = (_cell(found.get((output, regime, reading))) for regime in regimes for reading in readings)
        yield OutputLine(stage_named(stage).title, output, is_probe, tuple(cells))


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
    """Yield each regime with the comparison, as audio, of its end-to-end waveform with the reference's."""
    for row in rows:
        if row.audio is not None and row.reading is InputSource.END_TO_END:
            yield row.regime, wording.audio(row.audio)


def figures(row: Row) -> tuple[str, ...]:
    """Return the values under `FIGURE_NAMES`, except the verdict."""
    names = (stage_named(row.stage).title, row.output, row.regime, wording.READING_TITLES[row.reading])
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
