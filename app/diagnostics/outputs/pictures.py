"""The images of a stage's output, drawn in the background at screen resolution, and the values in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.diagnostics.colors import Scale, Steps, error_positions, steps_of
from app.diagnostics.metric_text import regime_title
from app.diagnostics.stages.stage_arrays import AUDIO, Numbers, Pair, pair_of, pair_to_draw
from app.diagnostics.stages.utterance_clock import TOKENS, UtteranceClock
from app.tasks import Tasks
from engine.errors import EngineError
from engine.speech import Utterance
from engine.validator.data.results import NotFinite, Row
from engine.validator.data.wording import magnitude
from engine.validator.measures.audio_metrics import height_of_hz, hz_at_height, spectrogram_db
from engine.validator.measures.metrics import on_circle
from engine.validator.runs.arrays import Arrays

MAX_LINES = 128
DEFAULT_PERCENT = 99.5
QUIETEST_DB = -90.0
QUIETEST_ERROR_DB = -150.0
"""The level of float32 noise, relative to the loudest part of the reference."""
FREQUENCY_TICKS_HZ = (200, 1000, 2000, 4000, 8000)
CHANNEL_TICKS = (0.25, 0.5, 0.75)
NO_ARRAYS = "The arrays of this run weren’t saved."
PROBES_NOT_KEPT = "intermediate activations aren’t saved"
NO_LONGER_KEPT = "the arrays of this utterance are no longer saved"
OTHER_LENGTH = "different numbers of frames, so there is no difference to show"
BY_PHONEME = "ours moved to the reference’s frames, phoneme by phoneme"


@dataclass(frozen=True)
class Envelope:
    """The `lowest` and `highest` values [columns] of a signal; column i covers values `edges[i]` to `edges[i + 1]`."""

    edges: NDArray[np.int_]
    lowest: Numbers
    highest: Numbers


def envelope(signal: Numbers, start: int, end: int, columns: int) -> Envelope:
    """Return values `start` to `end` of a signal [n] in at most `columns` columns; fewer if there are fewer values."""
    start, end = max(start, 0), min(end, len(signal))
    if end <= start:
        nothing = np.zeros(0, np.float32)
        return Envelope(np.zeros(1, int), nothing, nothing)
    count = min(columns, end - start)
    edges = start + np.arange(count + 1) * (end - start) // count
    part = np.asarray(signal[start:end])
    starts = edges[:-1] - start
    return Envelope(edges, np.minimum.reduceat(part, starts), np.maximum.reduceat(part, starts))


@dataclass(frozen=True, eq=False)
class PictureRequest:
    """A request to draw a row's arrays from `start_seconds` to `end_seconds` in `columns` columns."""

    arrays: Arrays | None
    row: Row
    clock: UtteranceClock
    start_seconds: float
    end_seconds: float
    columns: int
    spectrogram: bool = False


@dataclass(frozen=True, eq=False)
class SignalPicture:
    """Two signals and their difference, `values_per_second` each; the difference may be None.

    `note` describes how the compiled signal was changed to draw it over the reference, if at all.
    """

    values_per_second: float
    ours: Envelope
    reference: Envelope
    difference: Envelope | None
    unit: str
    note: str = ""


@dataclass(frozen=True, eq=False)
class HeatPane:
    """One heat map: `steps` [lines, columns] of a color scale; `decibels` [lines, columns] for spectrograms."""

    title: str
    steps: Steps
    scale: Scale
    decibels: NDArray[np.float32] | None = None


@dataclass(frozen=True, eq=False)
class HeatPicture:
    """Stacked heat maps, all from `start_seconds` to `end_seconds`; `top` describes the lines.

    `ticks` are labels at heights from 0 to 1. `sample_rate_hz` is that of the audio of a spectrogram, else 0.
    """

    panes: tuple[HeatPane, ...]
    start_seconds: float
    end_seconds: float
    top: str
    ticks: tuple[tuple[float, str], ...] = ()
    sample_rate_hz: float = 0.0


@dataclass(frozen=True, eq=False)
class ProfilePicture:
    """The errors [cells] of a row without arrays, between `edges` [cells + 1] in seconds; `why` is the reason."""

    edges: NDArray[np.float64]
    errors: NDArray[np.float64]
    why: str


@dataclass(frozen=True)
class NoPicture:
    """The reason why there is nothing to draw."""

    words: str


Picture = SignalPicture | HeatPicture | ProfilePicture | NoPicture


def picture_of(request: PictureRequest) -> Picture:
    """Return the image of a row: of its arrays if they are stored, else of its profile."""
    row = request.row
    if row.probe or request.arrays is None:
        return _profile(request, PROBES_NOT_KEPT if row.probe else NO_ARRAYS)
    try:
        pair = pair_to_draw(request.arrays, row)
    except EngineError as error:
        return _profile(request, NO_LONGER_KEPT, error.message)
    if request.spectrogram and row.output == AUDIO:
        return _spectrograms(request, pair)
    return _signals(request, pair) if pair.reference.ndim == 1 else _heat_maps(request, pair)


def _profile(request: PictureRequest, why: str, otherwise: str = NO_ARRAYS) -> Picture:
    profile = request.row.profile
    if profile is None or not profile.errors:
        return NoPicture(otherwise)
    errors = np.array(profile.errors, np.float64)
    return ProfilePicture(request.clock.edges(profile.axis, len(errors)), errors, why)


def _signals(request: PictureRequest, pair: Pair) -> SignalPicture:
    rate = len(pair.reference) / request.clock.seconds
    start, end = int(request.start_seconds * rate), int(np.ceil(request.end_seconds * rate)) + 1
    ours, reference = (envelope(signal, start, end, request.columns) for signal in (pair.ours, pair.reference))
    difference = None
    if pair.comparable:
        part = slice(max(start, 0), end)
        apart = np.asarray(pair.ours[part], np.float64) - pair.reference[part]
        found = envelope(apart, 0, len(apart), request.columns)
        difference = Envelope(found.edges + max(start, 0), found.lowest, found.highest)
    return SignalPicture(rate, ours, reference, difference, pair.unit, BY_PHONEME if pair.by_phoneme else "")


def _heat_maps(request: PictureRequest, pair: Pair) -> HeatPicture:
    largest = _typical_magnitude(pair.reference[:, _columns(request, pair.reference.shape[-1], pair.axis)])
    values = [
        HeatPane(regime_title(name), _value_steps(request, array, pair.axis, largest), Scale.VALUES)
        for name, array in ((request.row.regime, pair.ours), (request.row.reference, pair.reference))
    ]
    panes = (*values, _difference_pane(request, pair))
    top = f"{len(pair.reference)} channels, ±{magnitude(largest)}{pair.unit and f' {pair.unit}'}{_note(pair)}"
    ticks = tuple((share, str(int(share * len(pair.reference)))) for share in CHANNEL_TICKS)
    return HeatPicture(panes, request.start_seconds, request.end_seconds, top, ticks)


def _note(pair: Pair) -> str:
    return f" · {BY_PHONEME}" if pair.by_phoneme else ""


def _typical_magnitude(values: Numbers) -> float:
    """Return a bound on nearly all values, so that a few large ones do not make the others colorless."""
    size = np.abs(values)
    return float(np.percentile(size, DEFAULT_PERCENT)) or float(size.max(initial=0)) or 1.0


def _difference_pane(request: PictureRequest, pair: Pair) -> HeatPane:
    if not pair.comparable:
        return HeatPane(OTHER_LENGTH.capitalize(), np.zeros((1, 1), np.uint8), Scale.ERRORS)
    rms = float(np.sqrt(np.mean(np.square(pair.reference, dtype=np.float64)))) or 1.0
    first, last = _in_view(request, pair.reference.shape[-1], pair.axis)
    ours, reference = pair.ours[:, first:last], pair.reference[:, first:last]
    apart = np.abs(on_circle(request.row.output, ours, reference) - reference)
    lines = np.maximum.reduceat(apart, _group_starts(len(apart), MAX_LINES), axis=0)
    starts = _columns(request, pair.reference.shape[-1], pair.axis) - first
    found = np.maximum.reduceat(lines, np.clip(starts, 0, lines.shape[1] - 1), axis=1)
    return HeatPane("Difference over the rms", steps_of(error_positions(found / rms)), Scale.ERRORS)


def _value_steps(request: PictureRequest, array: Numbers, axis: str, largest: float) -> Steps:
    columns = _columns(request, array.shape[-1], axis)
    shown = array[_group_starts(len(array), MAX_LINES)][:, columns]
    return steps_of(0.5 + shown / (2 * largest))


def _columns(request: PictureRequest, count: int, axis: str) -> NDArray[np.int_]:
    """Return the index of the value at the start of every column."""
    moments = np.linspace(request.start_seconds, request.end_seconds, request.columns, endpoint=False)
    if axis == TOKENS:
        positions = np.searchsorted(request.clock.token_edges, moments, side="right") - 1
    else:
        positions = np.floor(moments / request.clock.seconds * count)
    return np.clip(positions, 0, count - 1).astype(int)


def _in_view(request: PictureRequest, count: int, axis: str) -> tuple[int, int]:
    columns = _columns(request, count, axis)
    width = int(np.ceil(count / max(request.columns, 1)))
    return int(columns[0]), min(int(columns[-1]) + max(width, 1), count)


def _group_starts(count: int, max_groups: int) -> NDArray[np.int_]:
    return np.linspace(0, count, min(count, max_groups) + 1).astype(int)[:-1]


def _spectrograms(request: PictureRequest, pair: Pair) -> HeatPicture:
    rate = len(pair.reference) / request.clock.seconds
    window = int(request.start_seconds * rate), int(request.end_seconds * rate), request.columns, MAX_LINES
    ours, reference = (spectrogram_db(_audible(each), rate, *window) for each in (pair.ours, pair.reference))
    loudest = float(reference.max())
    panes = [
        HeatPane(regime_title(name), steps_of(1 - (found - loudest) / QUIETEST_DB), scale, found)
        for name, found, scale in (
            (request.row.regime, ours, Scale.OURS),
            (request.row.reference, reference, Scale.REFERENCE),
        )
    ]
    if pair.comparable:
        apart = spectrogram_db(_audible(pair.ours - pair.reference), rate, *window)
        level = float(apart.max()) - loudest
        title = "Difference, none" if not np.any(pair.ours != pair.reference) else f"Difference, up to {level:.0f} dB"
        panes.append(HeatPane(title, steps_of(1 - (apart - loudest) / QUIETEST_ERROR_DB), Scale.ERRORS, apart))
    else:
        panes.append(_difference_pane(request, pair))
    ticks = tuple((height_of_hz(each, rate), _hertz(each)) for each in FREQUENCY_TICKS_HZ if each < rate / 2)
    top = f"mel to {rate / 2000:.3g} kHz{_note(pair)}"
    return HeatPicture(tuple(panes), request.start_seconds, request.end_seconds, top, ticks, rate)


def _hertz(frequency_hz: int) -> str:
    return f"{frequency_hz / 1000:g}k" if frequency_hz >= 1000 else str(frequency_hz)


def _audible(samples: Numbers) -> NDArray[np.float32]:
    return np.nan_to_num(np.asarray(samples, np.float32), nan=0.0, posinf=1.0, neginf=-1.0)


class PictureLoader(QObject):
    """A background renderer of one image at a time; `loaded` carries the request and its `Picture`."""

    loaded = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._newest: PictureRequest | None = None
        self._tasks = Tasks("pictures", self, at_once=True)

    @property
    def busy(self) -> bool:
        """True if a requested image has not been delivered."""
        return self._newest is not None

    def load(self, request: PictureRequest) -> None:
        """Draw this image; requests that have not been started are dropped."""
        self._newest = request
        if not self._tasks.busy:
            self._begin(request)

    def forget(self) -> None:
        """Drop all requests."""
        self._newest = None

    def _begin(self, request: PictureRequest) -> None:
        self._tasks.run(picture_of, request, done=partial(self._on_made, request))

    def _on_made(self, request: PictureRequest, picture: Picture) -> None:
        if request is self._newest:
            self._newest = None
            self.loaded.emit(request, picture)
        elif self._newest is not None:
            self._begin(self._newest)


BETWEEN = " · "


def readout_of(
    request: PictureRequest, picture: Picture, utterance: Utterance | None, seconds: float, height: float
) -> str:
    """Describe the values at a time of an image, and at a height from 0 to 1; empty outside of it."""
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


def describe_not_finite(found: NotFinite, clock: UtteranceClock, utterance: Utterance | None) -> str:
    """Describe how many values of a row are not finite, and where the first is along time."""
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
