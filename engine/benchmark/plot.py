"""A plot of cost against length, ours and every peer's.

Importing it loads matplotlib, so it is imported only where a plot is written.
"""

from __future__ import annotations

import io

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from engine.benchmark.measurement import Measurement

_SIZE_INCHES = (9.0, 4.0)
_DOTS_PER_INCH = 150
_MARKERS = "osD^"


def as_png(measured: Measurement) -> bytes:
    """A PNG file of two panels: seconds and real-time factor against seconds of audio."""
    figure = Figure(_SIZE_INCHES, layout="constrained")
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
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=_DOTS_PER_INCH)
    return picture.getvalue()


def _finish(axes: Axes, title: str, unit: str) -> None:
    axes.set_title(title, fontsize="medium")
    axes.set_xlabel("seconds of audio")
    axes.set_ylabel(unit)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
