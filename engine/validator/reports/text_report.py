"""Renders a validation, and the effect of padding on LSTMs and regimes, as tables of less than 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from engine.stages import STAGE_NAMES
from engine.validator.data import wording
from engine.validator.data.results import InputSource, Report, Row
from engine.validator.data.verdicts import describe_worse, worst
from engine.validator.experiments.fuzz import FuzzReport
from engine.validator.experiments.lstm_comparison import LstmComparison
from engine.validator.experiments.sweep import SweepPoint

WIDTH = 98
_NAME_WIDTH = 17
_LINE = "{:<12} {:<17} {:>11} {:>7} {:>8} {:>8}  {:<7} {:>11} {}"


def text_report(report: Report) -> str:
    """Return the whole report; every line of a table is that of the worst utterance."""
    blocks = [_heading(report), *(_regime(report, name) for name in _regimes(report)), _closing(report)]
    return "\n\n".join("\n".join(block) for block in blocks)


def _heading(report: Report) -> list[str]:
    request = report.request
    verdict = "passed" if report.passed else "FAILED"
    model = request.model if request.weights is None else f"{request.model} with weights {request.weights}"
    title = f"{'Drill: ' if request.fault else ''}Validation of {model} against {request.reference}: {verdict}"
    reading = (
        f"{wording.counted(len(report.utterances), 'utterance')}; each line is its worst, first fed by the reference "
        "(is the stage itself wrong?), then by its own regime; floor, golden: its error over upstream’s, and over the "
        "golden run’s"
    )
    sentences = title, _settings(report), report.golden, reading
    return [line for sentence in sentences for line in _wrapped(sentence)]


def _settings(report: Report) -> str:
    """Return the settings of the request, and the device and LSTM method it ran with, in one sentence."""
    request, speech = report.request, report.request.speech
    return (
        f"voice {speech.voice}, speed {speech.speed:g}, seed {speech.seed}, padding {request.padding:g}, "
        f"device {report.device_choice or wording.NOT_USED}, LSTM method {report.lstm_choice or wording.NOT_USED}"
    )


def _regimes(report: Report) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.regime for row in report.rows))


def _regime(report: Report, name: str) -> list[str]:
    rows = [row for row in report.rows if row.regime == name]
    header = _LINE.format(
        "stage", "output", "correlation", "max err", "floor", "golden", "verdict", "end to end", "verdict"
    )
    return [*_wrapped(name), header, *_lines(rows), *_by_phoneme(rows), *_given_durations(rows), *_sound(rows)]


def _lines(rows: list[Row]) -> Iterator[str]:
    ordered = sorted(rows, key=lambda row: STAGE_NAMES.index(row.stage))
    for stage, output in dict.fromkeys((row.stage, row.output) for row in ordered):
        chosen = [row for row in ordered if (row.stage, row.output) == (stage, output)]
        fed = worst(row for row in chosen if row.reading is InputSource.ISOLATED)
        own = worst(row for row in chosen if row.reading is InputSource.END_TO_END)
        yield _LINE.format(stage, _short(output), *_fed_cells(fed), *_own_cells(own)).rstrip()


def _fed_cells(row: Row | None) -> tuple[str, ...]:
    if row is None:
        return ("",) * 5
    error = wording.magnitude(row.metrics.max_abs if row.metrics else None)
    over = wording.times(row.times_floor), wording.times(row.times_golden)
    return (wording.row_correlation(row), error, *over, row.verdict)


def _own_cells(row: Row | None) -> tuple[str, str]:
    if row is None:
        return ("", "")
    return (wording.row_correlation(row), row.verdict)


def _by_phoneme(rows: Iterable[Row]) -> list[str]:
    """Explain the mark if it is used."""
    if not any(row.by_phoneme is not None for row in rows):
        return []
    return [f"{wording.BY_PHONEME_MARK} the durations differ: its frames paired with the reference’s by phoneme"]


def _given_durations(rows: Iterable[Row]) -> Iterator[str]:
    """Yield a table of the stages run end to end with the reference's durations, if any."""
    given = [row for row in rows if row.reading is InputSource.END_TO_END_REFERENCE_DURATIONS]
    if given:
        names = ("end to end,", "reference", "durations", "max err", "floor", "golden", "verdict", "", "")
        yield _LINE.format(*names).rstrip()
    for stage, output in dict.fromkeys((row.stage, row.output) for row in given):
        row = worst(row for row in given if (row.stage, row.output) == (stage, output))
        yield _LINE.format(stage, _short(output), *_fed_cells(row), "", "").rstrip()


def _sound(rows: Iterable[Row]) -> list[str]:
    """Compare the end-to-end waveform as audio."""
    heard = worst(row for row in rows if row.audio is not None and row.reading is InputSource.END_TO_END)
    return [] if heard is None or heard.audio is None else _wrapped(f"heard: {wording.audio(heard.audio)}")


def _closing(report: Report) -> list[str]:
    words = [f"{finding.regime}: {finding.words}" for finding in report.findings]
    words = [*(words or ["No stage is wrong by itself."]), *describe_worse(report.rows)]
    lines = [line for sentence in words for line in _wrapped(sentence)]
    row = worst(row for row in report.rows if row.decides) or worst(report.rows)
    return lines if row is None else [*lines, *_wrapped(f"Worst: {_format_row(row)}")]


def _format_row(row: Row) -> str:
    reading = wording.READING_TITLES[row.reading]
    where = f"{row.stage}, {row.output} of utterance {row.utterance + 1} in {row.regime}, {reading}"
    error = wording.magnitude(row.metrics.max_abs if row.metrics else None)
    measured = f"correlation {wording.row_correlation(row)}, max error {error}, SQNR {wording.noise_ratio(row.metrics)}"
    return f"{where}: {row.verdict} ({wording.row_correlation(row) if row.durations else measured})"


def _short(name: str) -> str:
    """Return the end of a long name, where module paths differ."""
    return name if len(name) <= _NAME_WIDTH else "…" + name[-_NAME_WIDTH + 1 :]


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, WIDTH, subsequent_indent="  ")


_CELL = "{:>12}"


def lstm_text(comparisons: Sequence[LstmComparison]) -> str:
    """Return the correlation with the exact LSTM against the amount of padding, a line for each way of running it."""
    return "\n\n".join("\n".join(_lstm_lines(comparison)) for comparison in comparisons)


def sweep_text(points: Sequence[SweepPoint]) -> str:
    """Return the lowest correlation of all utterances against the amount of padding, a line for each regime and output.

    Stages are isolated; the last line of a regime is the end-to-end waveform.
    """
    return "\n".join(_sweep_lines(points))


def _lstm_lines(comparison: LstmComparison) -> Iterator[str]:
    steps = wording.counted(comparison.step_count, "timestep")
    yield f"{comparison.title}, utterance {comparison.utterance + 1} ({steps}); correlation against padding"
    yield _line("padding / length", [f"{padding:g}" for padding in comparison.paddings])
    for run in comparison.runs:
        yield _line(run.run, [wording.correlation(metrics.pearson) for metrics in run.metrics_by_padding])


def _sweep_lines(points: Sequence[SweepPoint]) -> Iterator[str]:
    paddings = sorted({point.padding for point in points})
    yield _line("padding / length", [f"{padding:g}" for padding in paddings])
    for regime in dict.fromkeys(point.regime for point in points):
        chosen = [point for point in points if point.regime == regime]
        yield regime
        for output in dict.fromkeys(point.output for point in chosen):
            fed = [point for point in chosen if point.output == output and point.reading is InputSource.ISOLATED]
            yield _line(f"  {output}", [_least(fed, padding) for padding in paddings])
        heard = [point for point in chosen if point.best_lag_correlation is not None]
        own = [point for point in heard if point.reading is InputSource.END_TO_END]
        yield _line("  heard at the end", [_heard(own, padding) for padding in paddings])


def _line(name: str, cells: Sequence[str]) -> str:
    return f"{name:<20}" + "".join(_CELL.format(cell) for cell in cells)


def _least(points: Sequence[SweepPoint], padding: float) -> str:
    values = [point.pearson for point in points if point.padding == padding]
    known = [value for value in values if value is not None]
    return wording.correlation(min(known) if len(known) == len(values) and known else None)


def _heard(points: Sequence[SweepPoint], padding: float) -> str:
    values = [point.best_lag_correlation for point in points if point.padding == padding]
    known = [value for value in values if value is not None]
    return wording.correlation(min(known, default=None))


def fuzz_text(found: FuzzReport) -> str:
    """Return the number of random utterances within tolerance, and a line for the worst of each output."""
    lines = [f"{found.within_tolerance} of {found.utterances} utterances within tolerance; the worst of each output:"]
    for row in found.worst:
        phonemes = len(found.report.utterances[row.utterance].phonemes)
        where = f"utterance {row.utterance + 1}, {wording.counted(phonemes, 'phoneme')}"
        lines.append(f"{row.regime:<16} {row.stage:<14} {row.output:<18} {wording.row_correlation(row):>12}  {where}")
    return "\n".join(lines)
