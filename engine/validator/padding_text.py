"""What padding does to single LSTMs and to whole regimes, as tables for the terminal, under 100 columns.

It does not know where they are printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.validator import wording
from engine.validator.lstm_comparison import LstmComparison
from engine.validator.results import Reading
from engine.validator.sweep import SweepPoint

_CELL = "{:>11}"


def lstm_text(comparisons: Sequence[LstmComparison]) -> str:
    """Correlation with the exact LSTM against the amount of padding, a line per way of running it."""
    return "\n\n".join("\n".join(_lstm_lines(comparison)) for comparison in comparisons)


def sweep_text(points: Sequence[SweepPoint]) -> str:
    """The least correlation of all utterances against the amount of padding, a line per regime and output.

    Stages are fed by the reference; the last line of a regime is the waveform of its whole chain.
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
            fed = [point for point in chosen if point.output == output and point.reading is Reading.REFERENCE_FED]
            yield _line(f"  {output}", [_least(fed, padding) for padding in paddings])
        heard = [point for point in chosen if point.best_lag_correlation is not None]
        own = [point for point in heard if point.reading is Reading.OWN_FED]
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
