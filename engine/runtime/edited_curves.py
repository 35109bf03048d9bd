"""The user's edits as they change what stages pass on: durations, pitch, energy, and the end of a rise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from engine.config import F0_VALUES_PER_FRAME, ModelConfig
from engine.errors import InvalidRequest
from engine.network.ops.harmonic_source import VOICED_ABOVE_HZ
from engine.runtime.edits import MAX_PITCH_HZ, MAX_UTTERANCE_SECONDS, MIN_PITCH_HZ
from engine.runtime.presets import PAUSES
from engine.speech import UNCHANGED, Array, CurveEdit, PhonemeEdit, Samples, Utterance

LEVEL_VALUES = 3
"""The values at the start of a level run whose median is its level: one value may be far off."""
_FADE_OUT_SECONDS = np.array([-0.065, -0.03])
"""When a rising voice fades out, counted from its end: before it may break."""
_FADE_IN_SECONDS = np.array([-0.06, -0.045])
"""When the sound after the pause fades in, counted from its first frame: it begins `LEAD_SECONDS` earlier."""
FIRST_TOKEN = 1
"""The token of the first phoneme, after the border token."""


def passed_on(
    config: ModelConfig, utterance: Utterance | None, inputs: Mapping[str, Array], outputs: Mapping[str, Array]
) -> Mapping[str, Array]:
    """Return a stage's outputs as the later stages get them: with the durations, pitch and energy of an edit.

    Raises `InvalidRequest` if the edits make the utterance too long.
    """
    if utterance is None or utterance.edit is None or not utterance.edit.changes:
        return outputs
    changes, phonemes = utterance.edit.changes, utterance.phonemes
    if "frame_token" in outputs:
        frame_token, frame_count = with_durations(config, changes, outputs["frame_token"][0])
        return {**outputs, "frame_token": frame_token, "frame_count": frame_count}
    if "f0" in outputs:
        f0, energy = with_curves(changes, inputs["frame_token"][0], outputs["f0"], outputs["energy"])
        return {**outputs, "f0": f0, "energy": energy}
    if "magnitude" in outputs:
        frame_token, magnitude = inputs["frame_token"][0], outputs["magnitude"]
        faded = without_breaks(config, changes, phonemes, frame_token, inputs["f0"], magnitude)
        return {**outputs, "magnitude": faded}
    return outputs


def with_durations(
    config: ModelConfig, changes: Iterable[PhonemeEdit], frame_token: Array
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the edited token of each frame [1, frames] and the number of frames [1].

    `frame_token` [frames] is the model's own.
    """
    frames = np.bincount(frame_token)
    frames[FIRST_TOKEN:] = edited_frames(changes, frames[FIRST_TOKEN:])
    seconds = frames.sum() / config.frames_per_second
    if seconds > MAX_UTTERANCE_SECONDS:
        raise InvalidRequest(
            f"The edits make a sentence {seconds:.0f} seconds long.",
            f"Shorten its phonemes; a sentence can last {MAX_UTTERANCE_SECONDS:g} seconds.",
        )
    edited = np.repeat(np.arange(len(frames), dtype=np.int32), frames)
    return edited[None], np.array([len(edited)], np.int32)


def edited_frames(changes: Iterable[PhonemeEdit], frames: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the edited durations of phonemes; `frames` [phonemes] are the model's own.

    The fractions that rounding leaves of stretched phonemes are carried to the next one, so that words have the length
    that was asked for.
    """
    edited = frames.copy()
    stretched, rest = -1, 0.0
    for change in sorted(changes, key=_index):
        if change.frames is not None:
            edited[change.index] = change.frames
        elif change.stretch != 1:
            exact = float(frames[change.index]) * change.stretch + (rest if stretched == change.index - 1 else 0.0)
            edited[change.index] = max(1, round(exact))
            stretched, rest = change.index, exact - float(edited[change.index])
    return edited


def with_curves(
    changes: Iterable[PhonemeEdit], frame_token: Array, f0: Array, energy: Array
) -> tuple[Samples, Samples]:
    """Return the model's `f0` in Hz and `energy`, both [1, frames, values], with the changes.

    `frame_token` [frames] is the token of each frame.
    """
    changes, part = sorted(changes, key=_index), partial(_part, frame_token)
    own, own_energy = (np.array(each, np.float32).reshape(-1) for each in (f0, energy))
    sounding = own >= MIN_PITCH_HZ
    voiced = own > VOICED_ABOVE_HZ
    for run in _runs(each.index for each in changes if each.pitch.level or each.pitch.factors):
        voiced[part(run[0], run[-1])] &= _between(sounding[part(run[0], run[-1])])  # leave alone where the voice fades
    pitch = _with_level(own, {each.index: each.pitch for each in changes if each.pitch.level}, part, sounding)
    level, everywhere = {each.index: each.energy for each in changes if each.energy.level}, np.ones_like(sounding)
    loudness = _with_level(own_energy, level, part, everywhere)
    for change in changes:
        here = part(change.index, change.index)
        if change.pitch != UNCHANGED:
            changed = _changed(pitch[here], change.pitch, _between(sounding[here]))
            pitch[here] = np.where(voiced[here], np.clip(changed, MIN_PITCH_HZ, MAX_PITCH_HZ), own[here])
        if change.energy != UNCHANGED:
            loudness[here] = _changed(loudness[here], change.energy, everywhere[here])
    return pitch.reshape(np.shape(f0)), loudness.reshape(np.shape(energy))


_index = attrgetter("index")


def _part(frame_token: Array, first: int, last: int) -> slice:
    """Return the values of the curves from one phoneme to another."""
    tokens = FIRST_TOKEN + first, FIRST_TOKEN + last + 1
    return slice(*(F0_VALUES_PER_FRAME * int(place) for place in np.searchsorted(frame_token, tokens)))


def without_breaks(
    config: ModelConfig, changes: Iterable[PhonemeEdit], phonemes: str, frame_token: Array, f0: Array, magnitude: Array
) -> Samples:
    """Return the `magnitude` [1, bins, columns] of a spectrogram, with level phonemes faded out before a pause.

    High and faint, the voice would break there into half its pitch, and a rise would end in a fall. It is silent until
    the next sound. If a consonant or the voice of the next word follows at once, nothing is faded. `frame_token`
    [frames] is the token of each frame; `f0` [1, frames, values] is in Hz.
    """
    faded, sounding = np.array(magnitude, np.float32), np.asarray(f0, np.float32).reshape(-1) >= MIN_PITCH_HZ
    columns_per_value = config.stft_frames_per_frame // F0_VALUES_PER_FRAME
    seconds = np.arange(faded.shape[-1]) / (config.frames_per_second * config.stft_frames_per_frame)
    for run in _runs(sorted(change.index for change in changes if change.pitch.level)):
        here, behind = _part(frame_token, run[0], run[-1]), phonemes[run[-1] + 1 :]
        end = here.stop - int(np.argmax(sounding[here][::-1]))
        after_pause = behind.lstrip("".join(PAUSES))
        if not sounding[here].any() or (behind and after_pause == behind) or (behind[:1] == " " and sounding[end]):
            continue  # without a voice, or with a sound that follows at once
        next_sound = _part(frame_token, run[0], len(phonemes) - len(after_pause) - 1).stop
        stops = seconds[end * columns_per_value]
        starts = seconds[next_sound * columns_per_value] if after_pause else np.inf
        starts = max(starts, stops - _FADE_IN_SECONDS[0])  # in a short pause, it fades in later
        times = *(stops + _FADE_OUT_SECONDS), *(starts + _FADE_IN_SECONDS)
        faded *= np.sin(np.pi / 2 * np.interp(seconds, times, (1, 0, 0, 1))).astype(np.float32) ** 2
    return faded


def _runs(indexes: Iterable[int]) -> Iterator[list[int]]:
    """Yield runs of consecutive indexes, which are in order."""
    run: list[int] = []
    for index in indexes:
        if run and index != run[-1] + 1:
            yield run
            run = []
        run.append(index)
    if run:
        yield run


def _between(sounding: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask of the values from the first to the last one that sounds."""
    places = np.flatnonzero(sounding)
    mask = np.zeros_like(sounding)
    if len(places):
        mask[places[0] : places[-1] + 1] = True
    return mask


def _with_level(
    own: Samples, curves: Mapping[int, CurveEdit], part: Callable[[int, int], slice], sounding: NDArray[np.bool_]
) -> Samples:
    """Return a curve in which the level phonemes of each run have its level, times their factors over the whole run."""
    values = own.copy()
    for run in _runs(curves):
        here = part(run[0], run[-1])
        spoken = _between(sounding[here])
        if spoken.any():
            level = np.median(own[here][sounding[here]][:LEVEL_VALUES])
            factors = [factor for index in run for factor in curves[index].factors or (1.0,)]
            values[here][spoken] = level * _spread(factors, int(spoken.sum()))
    return values


def _changed(values: Samples, curve: CurveEdit, sounding: NDArray[np.bool_]) -> Samples:
    """Return the values [n] of one phoneme with a change; level ones have their level and factors already."""
    if curve.drawn and not curve.level:
        values = _spread(curve.drawn, len(values))
    if curve.factors and not curve.level:
        values = values.copy()
        values[sounding] *= _spread(curve.factors, int(sounding.sum()))
    return np.asarray(values * np.float32(curve.scale) + np.float32(curve.shift), np.float32)


def _spread(points: Sequence[float], count: int) -> Samples:
    """Return `count` values along a line through evenly spaced points."""
    places = np.linspace(0, len(points) - 1, count)
    return np.interp(places, np.arange(len(points)), points).astype(np.float32)
