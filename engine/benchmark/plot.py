"""A plot of speed, ours and every peer's: bars for one length of audio, curves for several.

Importing it loads matplotlib, so import it only where a plot is written.
"""

from __future__ import annotations

import io

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from engine.benchmark.measurement import LengthMeasurement, Measurement
from engine.benchmark.peers import OURS, PEERS

_SIZE_INCHES = (9.0, 4.0)
_DOTS_PER_INCH = 150
_MARKERS = "osD^"
_ACCENT = "#5a50d6"
_GRAY = "#b9b6c4"


def as_png(measured: Measurement) -> bytes:
    """Return a PNG file: bars of real-time factors, or curves of seconds and factors for several lengths of audio."""
    figure = Figure(_SIZE_INCHES, layout="constrained")
    if len(measured.lengths) == 1:
        _draw_bars(figure.subplots(), measured.lengths[0], measured)
    else:
        _draw_curves(figure, measured)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=_DOTS_PER_INCH)
    return picture.getvalue()


def _draw_bars(axes: Axes, one: LengthMeasurement, measured: Measurement) -> None:
    """Draw the bars, fastest on top; peers that compute in less than float32 are hatched."""
    names = sorted((OURS, *one.peers), key=one.real_time_factor, reverse=True)
    bars = axes.barh(
        [_title(name) for name in names],
        [one.real_time_factor(name) for name in names],
        color=[_ACCENT if name == OURS else _GRAY for name in names],
        edgecolor="white",
    )
    for bar, name in zip(bars, names, strict=True):
        bar.set_hatch("///" if name in one.lossy_peers else "")
    axes.bar_label(bars, fmt="%.3f", padding=4)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.1)
    axes.set_xlabel("computing time per second of audio, in seconds (lower is better)")
    threads = f"{measured.job.threads} CPU threads"
    axes.set_title(f"Real-time factor, {measured.job.model}, {one.length.seconds:g} s of audio, {threads}", loc="left")


def _title(name: str) -> str:
    if name == OURS:
        return "Kokoro Desk"
    peer = PEERS[name]
    return f"{name} ({peer.precision})" if peer.lossy else name


def _draw_curves(figure: Figure, measured: Measurement) -> None:
    seconds, factors = figure.subplots(1, 2)
    for number, name in enumerate(measured.processes):
        marker = _MARKERS[number % len(_MARKERS)]
        audio = [one.length.seconds for one in measured.lengths]
        seconds.plot(audio, [one.seconds(name) for one in measured.lengths], marker=marker, label=name)
        factors.plot(audio, [one.real_time_factor(name) for one in measured.lengths], marker=marker)
    _finish(seconds, "Seconds for an utterance", "s")
    seconds.legend(frameon=False)
    _finish(factors, "Real-time factor", "seconds per second of audio")
    figure.suptitle(f"{measured.job.model}, {measured.job.threads} threads: all stages", fontsize="medium")


def _finish(axes: Axes, title: str, unit: str) -> None:
    axes.set_title(title, fontsize="medium")
    axes.set_xlabel("seconds of audio")
    axes.set_ylabel(unit)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
