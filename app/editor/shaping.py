"""Changes of an edit: each function takes one `UtteranceEdit` and returns the next.

Phonemes are counted in the respelled utterance, except in a `Respelling`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.runtime.edits import MAX_PHONEME_SECONDS
from engine.runtime.presets import change_at, scaled, with_changes
from engine.speech import UNCHANGED, PhonemeEdit, Preset, Respelling, Utterance, UtteranceEdit

PRESET_TITLES = {
    Preset.RISE: "Rise as a Question",
    Preset.FALL: "Fall",
    Preset.EMPHASIS: "Emphasize",
    Preset.DEEMPHASIS: "De-emphasize",
    Preset.SLOW: "Slower",
    Preset.FAST: "Faster",
}


def with_frames(edit: UtteranceEdit, frames: Mapping[int, int], frames_per_second: float) -> UtteranceEdit:
    """Set the durations of phonemes, each at least one frame."""
    max_frames = round(MAX_PHONEME_SECONDS * frames_per_second)
    return with_changes(
        edit,
        (
            replace(change_at(edit, index), frames=min(max(count, 1), max_frames), stretch=1.0)
            for index, count in frames.items()
        ),
    )


def with_total_frames(
    edit: UtteranceEdit, first: int, total: int, old: NDArray[np.int64], frames_per_second: float
) -> UtteranceEdit:
    """Give phonemes from `first` on a total duration, shared in proportion to their `old` durations."""
    total = max(len(old), total)
    borders = np.round(np.concatenate([[0], np.cumsum(old)]) / old.sum() * total).astype(int)
    frames = {first + place: int(count) for place, count in enumerate(np.diff(borders))}
    return with_frames(edit, frames, frames_per_second)


def with_pitch_scaled(edit: UtteranceEdit, factors: Mapping[int, float]) -> UtteranceEdit:
    """Multiply the pitch of phonemes."""
    changes = ((change_at(edit, index), by) for index, by in factors.items())
    return with_changes(edit, (replace(change, pitch=scaled(change.pitch, by)) for change, by in changes))


def with_energy_scaled(edit: UtteranceEdit, factors: Mapping[int, float]) -> UtteranceEdit:
    """Multiply the energy of phonemes."""
    changes = ((change_at(edit, index), by) for index, by in factors.items())
    return with_changes(edit, (replace(change, energy=scaled(change.energy, by)) for change, by in changes))


def with_pitch_drawn(edit: UtteranceEdit, curves: Mapping[int, tuple[float, ...]]) -> UtteranceEdit:
    """Replace the pitch of phonemes by drawn values in Hz; without values, the model's own returns."""
    return with_changes(
        edit,
        (replace(change_at(edit, index), pitch=replace(UNCHANGED, drawn=values)) for index, values in curves.items()),
    )


def without(edit: UtteranceEdit, indexes: Iterable[int]) -> UtteranceEdit:
    """Return the model's own durations, pitch and energy to phonemes."""
    return with_changes(edit, (PhonemeEdit(index) for index in indexes))


def respelled(edit: UtteranceEdit, first: int, end: int, symbols: str) -> UtteranceEdit:
    """Replace the phonemes from `first` to `end`; their changes are removed, those behind move.

    A replaced part that overlaps an earlier respelling is joined with it.
    """
    kept: list[Respelling] = []
    low, high, text, shift = first, end, symbols, 0
    before = after = 0
    for each in edit.respellings:
        start = each.first_phoneme + shift
        stop = start + len(each.phonemes)
        shift += len(each.phonemes) - (each.end_phoneme - each.first_phoneme)
        if start < end and first < stop:
            if start < first:
                text, low = each.phonemes[: first - start] + text, start
            if stop > end:
                text, high = text + each.phonemes[end - start :], stop
        else:
            kept.append(each)
            before = shift if stop <= first else before
        after = shift if stop <= high else after
    low, high = low - before, high - after
    if edit.phonemes[low:high] != text:
        kept.append(Respelling(low, high, text))
    moved = len(symbols) - (end - first)
    changes = (
        each if each.index < first else replace(each, index=each.index + moved)
        for each in edit.changes
        if not first <= each.index < end
    )
    ordered = sorted(kept, key=lambda each: each.first_phoneme)
    return replace(edit, respellings=tuple(ordered), changes=tuple(changes))


def unspelled(edit: UtteranceEdit, first: int, end: int) -> UtteranceEdit:
    """Return the planned phonemes to every respelling between `first` and `end`."""
    shift = 0
    for each in edit.respellings:
        start = each.first_phoneme + shift
        stop = start + len(each.phonemes)
        if start < end and first < stop:
            planned = edit.phonemes[each.first_phoneme : each.end_phoneme]
            return unspelled(respelled(edit, start, stop, planned), first, end + len(planned) - (stop - start))
        shift += len(each.phonemes) - (each.end_phoneme - each.first_phoneme)
    return edit


def edited_phonemes(edit: UtteranceEdit) -> frozenset[int]:
    """Return the phonemes that are respelled or have a change."""
    found, shift = {each.index for each in edit.changes}, 0
    for each in edit.respellings:
        start = each.first_phoneme + shift
        found |= set(range(start, start + len(each.phonemes)))
        shift += len(each.phonemes) - (each.end_phoneme - each.first_phoneme)
    return frozenset(found)


def word_span(utterance: Utterance, index: int) -> tuple[int, int]:
    """Return the phonemes of the word that contains one; outside words, only that phoneme."""
    words = ((each.first_phoneme, each.end_phoneme) for each in utterance.words)
    return next(((first, end) for first, end in words if first <= index < end), (index, index + 1))


def respelled_phonemes(edit: UtteranceEdit) -> frozenset[int]:
    """Return the phonemes that are respelled."""
    return edited_phonemes(replace(edit, changes=()))
