"""The curves of a sweep over padding: one for each padded regime, of what is chosen to be looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.stages import STAGES
from engine.validator.data.experiments import SweepPoint
from engine.validator.data.results import Reading

AUDIO = STAGES[-1].outputs[0].name


@dataclass(frozen=True)
class Look:
    """What of the points is drawn: an output in a reading; no output stands for the worst of all outputs.

    `heard` takes the waveform's correlation at its best lag, which is there whatever the durations.
    """

    title: str
    reading: Reading
    output: str = ""
    heard: bool = False


@dataclass(frozen=True)
class Curve:
    """The lowest correlation of any utterance at each of `paddings`, None where it cannot be measured."""

    regime: str
    paddings: tuple[float, ...]
    correlations: tuple[float | None, ...]


def looks() -> tuple[Look, ...]:
    """Everything that can be looked at, the most telling first."""
    outputs = ((stage.title, tensor.name) for stage in STAGES for tensor in stage.outputs if tensor.dtype == "float32")
    return (
        Look("Worst stage, each alone", Reading.REFERENCE_FED),
        Look("Waveform as heard, at its best lag", Reading.OWN_FED, AUDIO, heard=True),
        *(Look(f"{title}: {name.replace('_', ' ')}", Reading.REFERENCE_FED, name) for title, name in outputs),
    )


def curves_of(points: Sequence[SweepPoint], look: Look) -> tuple[Curve, ...]:
    """The curve of every regime among the points."""
    paddings = tuple(sorted({point.padding for point in points}))
    chosen = [point for point in points if point.reading is look.reading and look.output in ("", point.output)]
    return tuple(
        Curve(regime, paddings, tuple(_lowest(chosen, regime, padding, look) for padding in paddings))
        for regime in dict.fromkeys(point.regime for point in points)
    )


def _lowest(points: Iterable[SweepPoint], regime: str, padding: float, look: Look) -> float | None:
    """None if any of them cannot be measured: what is worse than anything is not left out."""
    values = [
        point.best_lag_correlation if look.heard else point.pearson
        for point in points
        if (point.regime, point.padding) == (regime, padding)
    ]
    known = [value for value in values if value is not None]
    return min(known) if known and len(known) == len(values) else None
