"""Plots of what padding does: to one LSTM step by step, and to whole regimes ratio by ratio; as SVG elements.

It does not know the page around them. It brings matplotlib, so it is imported where a page is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from engine.stages import STAGES
from engine.validator.drawing import MARKERS, SERIES, draw
from engine.validator.plot_data import MOST_DIGITS, Numbers, digits_of
from engine.validator.results import Reading

if TYPE_CHECKING:
    from engine.validator.lstm_comparison import LstmComparison
    from engine.validator.sweep import SweepPoint

WIDTH_INCHES = 10.0
HEIGHT_INCHES = 3.0
SMALLEST_ERROR = 1e-9
"""Errors below it, zero among them, are drawn here: a logarithm has no zero."""
_WAVEFORM_STAGE = STAGES[-1].name


def lstm(comparison: LstmComparison, name: str) -> str:
    """One LSTM's error at every timestep, and its error against the amount of padding, per way of running it."""

    def paint(figure: Figure) -> None:
        steps, paddings = figure.subplots(1, 2)
        for number, run in enumerate(comparison.runs):
            style: Any = {"color": SERIES[number % len(SERIES)], "label": run.run.value}
            steps.semilogy(np.arange(1, len(run.errors) + 1), _drawable(run.errors), **style)
            errors = [metrics.relative_l2 for metrics in run.metrics_by_padding]
            _paint_over_padding(paddings, comparison.paddings, _drawable(errors), number, run.run.value)
        paddings.set_yscale("log")
        for panel in (steps, paddings):
            panel.yaxis.set_major_formatter(lambda value, _: f"{value:.0e}")
        steps.set_title(f"error at every timestep, padding {comparison.padding:g}")
        steps.set_xlabel("timestep")
        steps.set_ylabel("relative to the output's rms")
        paddings.set_title("error against padding (relative L2)")
        _paint_legend(figure, paddings)

    return draw(WIDTH_INCHES, HEIGHT_INCHES, name, f"Error of {comparison.title} per way of running it", paint)


def sweep(points: Sequence[SweepPoint], name: str) -> str:
    """Correlation against padding per regime: of the worst stage fed by the reference, and of the heard waveform."""
    ratios = sorted({point.padding for point in points})
    isolated = [point for point in points if point.reading is Reading.REFERENCE_FED]
    heard = [point for point in points if point.reading is Reading.OWN_FED and point.stage == _WAVEFORM_STAGE]

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, 2, sharey=True)
        for number, regime in enumerate(dict.fromkeys(point.regime for point in points)):
            for panel, chosen in zip(panels, (isolated, heard), strict=True):
                lowest = [
                    _lowest(point for point in chosen if (point.regime, point.padding) == (regime, ratio))
                    for ratio in ratios
                ]
                _paint_over_padding(panel, ratios, np.array(lowest), number, regime)
        panels[0].set_ylim(-0.3, MOST_DIGITS + 0.3)
        panels[0].set_ylabel("matching digits, −log10(1 − correlation)")
        panels[0].set_title("worst stage, fed by the reference")
        panels[1].set_title("waveform of the whole chain, at its best lag")
        _paint_legend(figure, panels[0])

    return draw(WIDTH_INCHES, HEIGHT_INCHES, name, "Correlation against the amount of padding, per regime", paint)


def _paint_over_padding(panel: Axes, ratios: Sequence[float], heights: Numbers, number: int, label: str) -> None:
    """Ratios are drawn at equal distances: they grow by doubling."""
    style: Any = {"color": SERIES[number % len(SERIES)], "marker": MARKERS[number % len(MARKERS)], "label": label}
    panel.plot(np.arange(len(ratios)), heights, **style)
    panel.set_xticks(range(len(ratios)), [f"{ratio:g}" for ratio in ratios])
    panel.set_xlabel("padding over valid length")


def _paint_legend(figure: Figure, panel: Axes) -> None:
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)


def _lowest(points: Iterable[SweepPoint]) -> float:
    """Digits of the lowest correlation; not a number, and so a gap, where one of them cannot be told."""
    found = [point.pearson if point.best_lag_correlation is None else point.best_lag_correlation for point in points]
    return min((np.nan if value is None else digits_of(value) for value in found), default=np.nan)


def _drawable(errors: Sequence[float | None]) -> Numbers:
    return np.array([np.nan if error is None else max(error, SMALLEST_ERROR) for error in errors])
