"""The numbers under the mouse: which channel and place, what is spoken there, both values and their difference."""

from __future__ import annotations

import numpy as np

from app.diagnostics.metric_words import regime_title
from app.diagnostics.outputs.pictures import HeatPicture, Picture, PictureRequest, ProfilePicture
from app.diagnostics.stages.stage_arrays import AUDIO, Numbers, Pair, pair_of
from app.diagnostics.stages.utterance_clock import TOKENS, UtteranceClock
from engine.errors import EngineError
from engine.speech import Utterance
from engine.validator.data.results import NotFinite, Row
from engine.validator.data.wording import magnitude
from engine.validator.measures.audio_metrics import hz_at_height

BETWEEN = " · "


def readout_of(
    request: PictureRequest, picture: Picture, utterance: Utterance | None, seconds: float, height: float
) -> str:
    """What there is at a time of a picture, and at a height of it from 0 to 1; empty outside of it."""
    clock = request.clock
    if not 0 <= seconds <= clock.seconds or not 0 <= height <= 1:
        return ""
    where = [f"{seconds:.3f} s", clock.spoken_at(utterance, seconds)]
    if isinstance(picture, ProfilePicture):
        cell = int(np.clip(np.searchsorted(picture.edges, seconds, side="right") - 1, 0, len(picture.errors) - 1))
        return _joined(*where, f"error {magnitude(float(picture.errors[cell]))} of the rms")
    if isinstance(picture, HeatPicture) and picture.panes[0].decibels is not None:
        return _joined(*_loudness(request, picture, seconds, height), *where)
    try:
        pair = pair_of(request.arrays, request.row) if request.arrays is not None else None
    except EngineError:
        pair = None
    if pair is None:
        return ""
    return _joined(*_values(request.row, pair, clock, seconds, height), *where)


def not_finite_words(found: NotFinite, clock: UtteranceClock, utterance: Utterance | None) -> str:
    """How much of a row is no number, and where along time that begins."""
    counts = " and ".join(f"{n:,} {what}" for n, what in ((found.nan, "NaN"), (found.infinite, "infinite")) if n)
    share = found.at / max(found.extent, 1)
    seconds = float(clock.edges(found.axis, max(found.extent, 1))[found.at]) if found.extent else share
    place = f"[{', '.join(map(str, found.first))}]"
    return _joined(f"{counts}; the first at {place}", f"{seconds:.3f} s", clock.spoken_at(utterance, seconds))


def _values(row: Row, pair: Pair, clock: UtteranceClock, seconds: float, height: float) -> list[str]:
    channels = len(pair.reference) if pair.reference.ndim > 1 else 0
    channel = min(int(height * channels), channels - 1)
    ours, reference = (_value(array, pair.axis, clock, seconds, channel) for array in (pair.ours, pair.reference))
    index = _index(pair.reference, pair.axis, clock, seconds)
    return [
        *([f"channel {channel}"] if channels else []),
        _place(row, pair, clock, seconds, index),
        f"{regime_title(row.regime)} {_number(ours)}",
        f"{regime_title(row.reference)} {_number(reference)}",
        f"difference {_number(ours - reference, digits=3)}" if pair.comparable else "no difference",
    ]


def _place(row: Row, pair: Pair, clock: UtteranceClock, seconds: float, index: int) -> str:
    if pair.axis == TOKENS:
        return f"token {index}"
    frame = f"frame {min(int(seconds * clock.frames_per_second), sum(clock.frames_per_token) - 1)}"
    if pair.reference.shape[-1] == sum(clock.frames_per_token):
        return frame
    return f"{frame}, {'sample' if row.output == AUDIO else 'value'} {index:,}"


def _index(array: Numbers, axis: str, clock: UtteranceClock, seconds: float) -> int:
    count = array.shape[-1]
    at = clock.token_at(seconds) if axis == TOKENS else int(seconds / clock.seconds * count)
    return int(min(max(at, 0), count - 1))


def _value(array: Numbers, axis: str, clock: UtteranceClock, seconds: float, channel: int) -> float:
    at = _index(array, axis, clock, seconds)
    return float(array[channel, at] if array.ndim > 1 else array[at])


def _loudness(request: PictureRequest, picture: HeatPicture, seconds: float, height: float) -> list[str]:
    levels = [pane.decibels for pane in picture.panes]
    assert levels[0] is not None
    assert levels[1] is not None
    lines, columns = levels[0].shape
    share = (seconds - picture.start_seconds) / (picture.end_seconds - picture.start_seconds)
    if not 0 <= share <= 1:
        return []
    at = min(int(height * lines), lines - 1), min(int(share * columns), columns - 1)
    ours, reference = float(levels[0][at]), float(levels[1][at])
    return [
        f"{hz_at_height(height, picture.sample_rate_hz):,.0f} Hz",
        f"{regime_title(request.row.regime)} {ours:.1f} dB",
        f"{regime_title(request.row.reference)} {reference:.1f} dB",
        f"difference {ours - reference:+.1f} dB",
    ]


def _number(value: float, digits: int = 7) -> str:
    return f"{value:.{digits}g}"


def _joined(*parts: str) -> str:
    return BETWEEN.join(part for part in parts if part)
