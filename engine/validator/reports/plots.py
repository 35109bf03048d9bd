"""The plots of a validation as SVG elements: correlations, errors along time, waveforms, single LSTMs, padding.

Importing it loads matplotlib, so only the code that writes a page imports it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from engine.config import SAMPLE_RATE_HZ
from engine.speech import Samples
from engine.stages import STAGES
from engine.validator.data.results import InputSource, Row
from engine.validator.data.verdicts import worst
from engine.validator.data.wording import READING_TITLES, magnitude, readings_of
from engine.validator.reports.plot_data import (
    MAX_DIGITS,
    STRIP_CELLS,
    Numbers,
    digits,
    digits_of,
    most_different,
    outline,
    strips,
)

if TYPE_CHECKING:
    from engine.validator.experiments.lstm_comparison import LstmComparison
    from engine.validator.experiments.sweep import SweepPoint


WIDTH_INCHES = 10.0
LEGEND_COLUMNS = 6
MAX_NAME = 40
"""The limit for names: a crossed regime's name can be longer than its panel is wide."""
TITLES_SIDE_BY_SIDE = 2
"""Titles of more panels than this in a row take two lines."""
ZOOM_SECONDS = 0.01
EXACT = 1.0
_OUTPUTS = tuple((stage, out.name) for stage in STAGES if stage.tolerance < EXACT for out in stage.outputs if out.axes)
_SMALLEST_ERROR_EXPONENT, _LARGEST_ERROR_EXPONENT = -7.0, 0.0
_HEAT = np.array(
    [  # exponent of the error, then red, green, blue and opacity: nothing to see where nothing is wrong
        [_SMALLEST_ERROR_EXPONENT, 0.25, 0.60, 0.60, 0.10],
        [-4.0, 0.25, 0.65, 0.55, 0.45],
        [-2.35, 0.95, 0.70, 0.15, 0.90],
        [-1.0, 0.85, 0.15, 0.15, 1.00],
        [_LARGEST_ERROR_EXPONENT, 0.55, 0.00, 0.25, 1.00],
    ]
)
_HEAT_LEVELS = 28
"""Few enough levels to keep pictures small."""


def correlations(rows: Sequence[Row], name: str) -> str:
    """Plot the nines of each output's correlation, worst utterance, per regime; one panel per reading."""
    regimes = tuple(dict.fromkeys(row.regime for row in rows))
    readings = readings_of(rows)

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, len(readings), sharey=True, squeeze=False)[0]
        for panel, reading in zip(panels, readings, strict=True):
            chosen = [row for row in rows if row.reading is reading and not row.probe]
            _paint_correlations(panel, chosen, regimes)
            panel.set_title(READING_TITLES[reading].capitalize())
        panels[0].set_ylabel("matching digits, −log10(1 − correlation)")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=LEGEND_COLUMNS)

    return draw(WIDTH_INCHES, 3.6, name, "Correlation of every stage with the reference, per regime", paint)


def along_time(
    rows_by_regime: Mapping[str, Sequence[Row]],
    frames_per_token: Sequence[int] | None,
    seconds: float | None,
    name: str,
) -> str:
    """Plot each stage's error along one utterance: a strip per stage, regime and reading."""
    readings = readings_of(row for rows in rows_by_regime.values() for row in rows)
    between = " · " if len(readings) <= TITLES_SIDE_BY_SIDE else "\n"

    def paint(figure: Figure) -> None:
        panels = figure.subplots(len(rows_by_regime), len(readings), sharex=True, sharey=True, squeeze=False)
        for line, (regime, rows) in zip(panels, rows_by_regime.items(), strict=True):
            for panel, reading in zip(line, readings, strict=True):
                _paint_strips(panel, strips(rows, reading, frames_per_token), seconds)
                panel.set_title(f"{_short(regime)}{between}{READING_TITLES[reading]}")
        for panel in panels[-1]:
            panel.set_xlabel("percent of the utterance" if seconds is None else "seconds")
        _paint_heat_legend(figure, panels.ravel().tolist())

    height = 0.8 + 1.3 * len(rows_by_regime)
    return draw(WIDTH_INCHES, height, name, "Error of every stage along time, per regime and reading", paint)


def waveforms(reference: Samples, others: Mapping[str, Samples], name: str) -> str:
    """Plot each regime's waveform over the reference's, and their difference; on the right, where it is largest."""

    def paint(figure: Figure) -> None:
        panels = figure.subplots(len(others), 2, squeeze=False, width_ratios=(3, 1))
        for number, ((whole, stretch), (regime, ours)) in enumerate(zip(panels, others.items(), strict=True)):
            _paint_whole(whole, reference, ours, SERIES[number % len(SERIES)])
            _paint_stretch(stretch, reference, ours, SERIES[number % len(SERIES)])
            if number:
                whole.sharex(panels[0, 0])
            whole.tick_params(labelbottom=number == len(others) - 1)
            whole.set_title(f"{_short(regime)} · {_format_difference(ours, reference)}")
        panels[-1, 0].set_xlabel("seconds")
        panels[-1, 1].set_xlabel("milliseconds")

    height = 0.4 + 1.15 * len(others)
    return draw(WIDTH_INCHES, height, name, "Waveform of each regime over the reference’s", paint)


def _paint_correlations(panel: Axes, rows: Sequence[Row], regimes: Sequence[str]) -> None:
    positions = np.arange(len(_OUTPUTS))
    for number, regime in enumerate(regimes):
        found = [worst(row for row in rows if (row.regime, row.output) == (regime, output)) for _, output in _OUTPUTS]
        heights = [digits(row) if row else None for row in found]
        shift = 0.5 * (number - (len(regimes) - 1) / 2) / len(regimes)
        plotted = np.array([np.nan if height is None else height for height in heights])
        style: Any = {"color": SERIES[number % len(SERIES)], "marker": MARKERS[number % len(MARKERS)]}
        panel.plot(positions + shift, plotted, label=_short(regime), linewidth=0.5, **style)
    limits = [digits_of(stage.tolerance) for stage, _ in _OUTPUTS]
    panel.step(positions, limits, where="mid", color=ACCENT, linewidth=0.8, linestyle="--", label="tolerance")
    panel.set_xticks(positions, [output for _, output in _OUTPUTS], rotation=40, ha="right")
    panel.set_ylim(-0.3, MAX_DIGITS + 0.3)
    panel.grid(visible=False, axis="x")


def _paint_strips(panel: Axes, found: Sequence[Numbers | None], seconds: float | None) -> None:
    end = 100.0 if seconds is None else seconds
    unknown = np.full(STRIP_CELLS, np.nan)
    picture = heat(np.stack([unknown if errors is None else errors for errors in found]))
    panel.imshow(picture, aspect="auto", extent=(0.0, end, len(found) - 0.5, -0.5), interpolation="none")
    for position, errors in enumerate(found):
        if errors is None:
            panel.add_patch(Rectangle((0, position - 0.5), end, 1.0, fill=False, hatch="////", linewidth=0))
        panel.axhline(position - 0.5, color=PAPER, linewidth=1.2)
    panel.set_yticks(range(len(STAGES)), [stage.title for stage in STAGES])
    panel.grid(visible=False)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)


def _paint_heat_legend(figure: Figure, panels: Sequence[Axes]) -> None:
    exponents = np.linspace(_SMALLEST_ERROR_EXPONENT, _LARGEST_ERROR_EXPONENT, _HEAT_LEVELS + 1)
    limits = LogNorm(10**_SMALLEST_ERROR_EXPONENT, 10**_LARGEST_ERROR_EXPONENT)
    colors = ScalarMappable(limits, ListedColormap(heat(10**exponents).tolist()))
    legend = figure.colorbar(colors, ax=panels, location="bottom", shrink=0.5, aspect=60)
    legend.set_label("largest error, relative to the reference’s rms; hatched: not comparable")
    legend.outline.set_visible(False)
    legend.ax.minorticks_off()
    decades = range(round(_SMALLEST_ERROR_EXPONENT), round(_LARGEST_ERROR_EXPONENT) + 1)
    legend.set_ticks([10.0**decade for decade in decades], labels=[magnitude(10.0**decade) for decade in decades])


def heat(errors: Numbers) -> Numbers:
    """Return colors [..., 4] of errors relative to the reference's rms; transparent if the error is unknown."""
    with np.errstate(divide="ignore"):
        exponents = np.clip(np.log10(errors), _SMALLEST_ERROR_EXPONENT, _LARGEST_ERROR_EXPONENT)
    span = _LARGEST_ERROR_EXPONENT - _SMALLEST_ERROR_EXPONENT
    steps = np.round((exponents - _SMALLEST_ERROR_EXPONENT) / span * _HEAT_LEVELS) / _HEAT_LEVELS
    exponents = _SMALLEST_ERROR_EXPONENT + steps * span
    channels = [np.interp(exponents, _HEAT[:, 0], _HEAT[:, channel]) for channel in range(1, 5)]
    return np.asarray(np.nan_to_num(np.stack(channels, axis=-1), nan=0.0))


def _paint_whole(panel: Axes, reference: Samples, ours: Samples, color: str) -> None:
    expected = outline(reference, SAMPLE_RATE_HZ)
    panel.fill_between(expected.seconds, expected.lowest, expected.highest, color=MUTED, alpha=0.35, linewidth=0)
    shown = outline(ours - reference if len(ours) == len(reference) else ours, SAMPLE_RATE_HZ)
    panel.fill_between(shown.seconds, shown.lowest, shown.highest, color=color, alpha=0.8, linewidth=0.4)
    panel.margins(x=0)


def _paint_stretch(panel: Axes, reference: Samples, ours: Samples, color: str) -> None:
    stretch = most_different(ours, reference, round(ZOOM_SECONDS * SAMPLE_RATE_HZ))
    milliseconds = np.arange(stretch.start, stretch.stop) * (1000 / SAMPLE_RATE_HZ)
    panel.plot(milliseconds, reference[stretch], color=INK, linewidth=1.6, alpha=0.35)
    panel.plot(milliseconds, ours[stretch], color=color, linewidth=0.8)
    panel.margins(x=0)


def _format_difference(ours: Samples, reference: Samples) -> str:
    if len(ours) != len(reference):
        return f"{(len(ours) - len(reference)) / SAMPLE_RATE_HZ:+.3f} s, so that no sample has a partner"
    return f"difference up to {magnitude(float(np.abs(ours - reference).max(initial=0.0)))}"


def _short(name: str) -> str:
    return name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"


HEIGHT_INCHES = 3.0
MIN_ERROR = 1e-9
"""Smaller errors, including zero, are drawn at this one: zero has no logarithm."""
_WAVEFORM_STAGE = STAGES[-1].name


def lstm(comparison: LstmComparison, name: str) -> str:
    """Plot one LSTM's error at every timestep, and its error against the amount of padding, per way of running it."""

    def paint(figure: Figure) -> None:
        steps, over_padding = figure.subplots(1, 2)
        for number, run in enumerate(comparison.runs):
            style: Any = {"color": SERIES[number % len(SERIES)], "label": run.run.value}
            steps.semilogy(np.arange(1, len(run.errors) + 1), _drawable(run.errors), **style)
            errors = [metrics.relative_l2 for metrics in run.metrics_by_padding]
            _paint_over_padding(over_padding, comparison.paddings, _drawable(errors), number, run.run.value)
        over_padding.set_yscale("log")
        for panel in (steps, over_padding):
            panel.yaxis.set_major_formatter(lambda value, _: magnitude(value))
        steps.set_title(f"error at every timestep, padding {comparison.padding:g}")
        steps.set_xlabel("timestep")
        steps.set_ylabel("relative to the output’s rms")
        over_padding.set_title("error against padding (relative L2)")
        _paint_legend(figure, over_padding)

    return draw(WIDTH_INCHES, HEIGHT_INCHES, name, f"Error of {comparison.title} per way of running it", paint)


def sweep(points: Sequence[SweepPoint], name: str) -> str:
    """Plot correlation against padding per regime: of the worst isolated stage, and of the end-to-end waveform."""
    paddings = sorted({point.padding for point in points})
    isolated = [point for point in points if point.reading is InputSource.ISOLATED]
    heard = [point for point in points if point.reading is InputSource.END_TO_END and point.stage == _WAVEFORM_STAGE]

    def paint(figure: Figure) -> None:
        panels = figure.subplots(1, 2, sharey=True)
        for number, regime in enumerate(dict.fromkeys(point.regime for point in points)):
            for panel, chosen in zip(panels, (isolated, heard), strict=True):
                lowest = [
                    _lowest(point for point in chosen if (point.regime, point.padding) == (regime, padding))
                    for padding in paddings
                ]
                _paint_over_padding(panel, paddings, np.array(lowest), number, regime)
        panels[0].set_ylim(-0.3, MAX_DIGITS + 0.3)
        panels[0].set_ylabel("matching digits, −log10(1 − correlation)")
        panels[0].set_title("worst stage, fed by the reference")
        panels[1].set_title("waveform of the whole chain, at its best lag")
        _paint_legend(figure, panels[0])

    return draw(WIDTH_INCHES, HEIGHT_INCHES, name, "Correlation against the amount of padding, per regime", paint)


def _paint_over_padding(panel: Axes, paddings: Sequence[float], heights: Numbers, number: int, label: str) -> None:
    """Draw amounts of padding at equal distances, because they grow by doubling."""
    style: Any = {"color": SERIES[number % len(SERIES)], "marker": MARKERS[number % len(MARKERS)], "label": label}
    panel.plot(np.arange(len(paddings)), heights, **style)
    panel.set_xticks(range(len(paddings)), [f"{padding:g}" for padding in paddings])
    panel.set_xlabel("padding over valid length")


def _paint_legend(figure: Figure, panel: Axes) -> None:
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)


def _lowest(points: Iterable[SweepPoint]) -> float:
    """Return the digits of the lowest correlation; NaN, which leaves a gap, if any of them is unknown."""
    found = [point.pearson if point.best_lag_correlation is None else point.best_lag_correlation for point in points]
    return min((np.nan if value is None else digits_of(value) for value in found), default=np.nan)


def _drawable(errors: Sequence[float | None]) -> Numbers:
    return np.array([np.nan if error is None else max(error, MIN_ERROR) for error in errors])


INK, MUTED, FAINT, PAPER = "#010101", "#010102", "#010103", "#010104"
"""Placeholders for the page's text, secondary text, lines and background: matplotlib takes only real colors."""
SERIES = tuple(f"#0102{number:02x}" for number in range(6))
"""Placeholders for the page's colors of regimes and runs."""
ACCENT = "#010301"
"""Placeholder for the page's color of limits."""
MARKERS = "osD^vP"

_PAGE_COLORS = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    FAINT: "var(--line)",
    PAPER: "var(--paper)",
    ACCENT: "var(--fail)",
    **{color: f"var(--series-{number})" for number, color in enumerate(SERIES)},
}
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "",
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.linewidth": 0.6,
    "grid.linewidth": 0.4,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": FAINT,
    "axes.titlecolor": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "grid.color": FAINT,
    "hatch.color": FAINT,
    "text.parse_math": False,
}
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_POSITION = re.compile(r' (?:d|x|y)="[^"]*"')
_NOT_FOR_A_PAGE = re.compile(
    r'\s*<metadata>.*?</metadata>|<style[^>]*>.*?</style>| font-family: [^;"]*;| transform="rotate\(-?0 [^"]*"',
    re.DOTALL,
)
_REFERENCE = re.compile(r'(?:url\(|xlink:href=")#([^")]+)')
_NAMED = re.compile(r' id="([^"]*)"')


def draw(width_inches: float, height_inches: float, name: str, title: str, paint: Callable[[Figure], None]) -> str:
    """Return an `<svg>` element on which `paint` has drawn; equal drawings give equal characters.

    `name` is unique for the figure in its page; `title` describes the figure to readers who cannot see it.
    """
    content = io.StringIO()
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(width_inches, height_inches), layout="constrained")
        paint(figure)
        figure.savefig(content, format="svg", transparent=True, metadata={"Date": None})
    return _for_page(content.getvalue(), name, title)


def _for_page(drawn: str, name: str, title: str) -> str:
    element = _NOT_FOR_A_PAGE.sub("", drawn[drawn.index("<svg") :])
    element = _POSITION.sub(_shortened, element)
    element = _with_own_names(" ".join(element.split()).replace("> <", "><"), name)
    for color, variable in _PAGE_COLORS.items():
        element = element.replace(color, variable)
    return element.replace("<svg", f'<svg role="img" aria-label="{escape(title)}"', 1)


def _shortened(attribute: re.Match[str]) -> str:
    """Round coordinates to a tenth of a point, which is finer than a screen shows."""
    return _NUMBER.sub(lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), attribute[0])


def _with_own_names(element: str, name: str) -> str:
    """Prefix the ids that are referred to with `name`, and drop all other ids."""
    needed = set(_REFERENCE.findall(element))
    element = _NAMED.sub(lambda match: f' id="{name}-{match[1]}"' if match[1] in needed else "", element)
    return _REFERENCE.sub(lambda match: match[0].replace("#", f"#{name}-"), element)
