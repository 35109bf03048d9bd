"""Changes of an edit: each function takes one `UtteranceEdit` and returns the next.

Phonemes are counted in the respelled utterance, except in a `Respelling`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from engine.runtime.edits import MAX_PHONEME_SECONDS, MAX_SCALE, MAX_STRETCH
from engine.speech import UNCHANGED, PhonemeEdit, Respelling, Utterance, UtteranceEdit

VOWELS = frozenset("AIOQWYaeiouyæɐɑɒɔəɚɛɜɝɞɤɨɪɯɵɶøœʉʊʌʏᵊᵻ")
MARKS = frozenset("ˈˌː")
UNVOICED = frozenset("ptkfθsʃhxʧʦʔcç") | MARKS
PAUSES = frozenset(' .,;:!?…—–-“”"()«»¡¿')

RISE, FALL = 1.35, 0.75
"""The pitch at the end of a rise or fall, relative to the model's own."""
EMPHASIS_PITCH, EMPHASIS_ENERGY, EMPHASIS_STRETCH = 1.12, 1.15, 1.15
SLOWER, FASTER = 1.25, 0.8
MIN_SCALE = 0.05


class PhonemeKind(Enum):
    """The kind of a phoneme."""

    VOWEL = "vowel"
    CONSONANT = "consonant"
    MARK = "mark"
    PAUSE = "pause"


class Preset(Enum):
    """A small change of a word or a selection, by its title.

    The amounts are constants for now; they will be learned from the model's own contours.
    """

    RISE = "Rise as a Question"
    FALL = "Fall"
    EMPHASIZE = "Emphasize"
    DE_EMPHASIZE = "De-emphasize"
    SLOWER = "Slower"
    FASTER = "Faster"


def kind_of(symbol: str) -> PhonemeKind:
    """Return the kind of a phoneme; stress and length are marks."""
    if symbol in PAUSES:
        return PhonemeKind.PAUSE
    if symbol in MARKS:
        return PhonemeKind.MARK
    return PhonemeKind.VOWEL if symbol in VOWELS else PhonemeKind.CONSONANT


def change_at(edit: UtteranceEdit, index: int) -> PhonemeEdit:
    """Return the change of a phoneme; one without effect if there is none."""
    return next((each for each in edit.changes if each.index == index), PhonemeEdit(index))


def with_changes(edit: UtteranceEdit, changes: Iterable[PhonemeEdit]) -> UtteranceEdit:
    """Replace the changes of these phonemes; a change without effect is removed."""
    merged: dict[int, PhonemeEdit] = {each.index: each for each in edit.changes}
    merged.update((each.index, each) for each in changes)
    kept = (each for _, each in sorted(merged.items()) if each != PhonemeEdit(each.index))
    return replace(edit, changes=tuple(kept))


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


def stretched(
    edit: UtteranceEdit, indexes: Iterable[int], factor: float, frames: Callable[[int], int]
) -> UtteranceEdit:
    """Multiply the durations of phonemes; `frames` returns the present duration of one whose duration was set."""

    def changed(index: int) -> PhonemeEdit:
        change = change_at(edit, index)
        if change.frames is not None:
            return replace(change, frames=max(1, round(frames(index) * factor)))
        return replace(change, stretch=min(max(change.stretch * factor, 1 / MAX_STRETCH), MAX_STRETCH))

    return with_changes(edit, map(changed, indexes))


def with_pitch_scaled(edit: UtteranceEdit, factors: Mapping[int, float]) -> UtteranceEdit:
    """Multiply the pitch of phonemes."""
    return with_changes(edit, (_scaled(change_at(edit, index), "pitch", by) for index, by in factors.items()))


def with_energy_scaled(edit: UtteranceEdit, factors: Mapping[int, float]) -> UtteranceEdit:
    """Multiply the energy of phonemes."""
    return with_changes(edit, (_scaled(change_at(edit, index), "energy", by) for index, by in factors.items()))


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


def with_preset(
    edit: UtteranceEdit, preset: Preset, phonemes: str, first: int, end: int, frames: Callable[[int], int]
) -> UtteranceEdit:
    """Apply a preset to the phonemes from `first` to `end`."""
    spoken = [index for index in range(first, end) if kind_of(phonemes[index]) is not PhonemeKind.PAUSE]
    match preset:
        case Preset.RISE | Preset.FALL:
            rest = spoken[_last_stress(phonemes, spoken) :]
            to = RISE if preset is Preset.RISE else FALL
            steps = 1 + max((n for n, each in enumerate(rest) if phonemes[each] not in UNVOICED), default=0)
            return with_pitch_scaled(edit, {each: to ** min(1.0, (n + 1) / steps) for n, each in enumerate(rest)})
        case Preset.EMPHASIZE | Preset.DE_EMPHASIZE:
            power = 1 if preset is Preset.EMPHASIZE else -1
            edit = with_pitch_scaled(edit, dict.fromkeys(spoken, EMPHASIS_PITCH**power))
            edit = with_energy_scaled(edit, dict.fromkeys(spoken, EMPHASIS_ENERGY**power))
            return stretched(edit, spoken, EMPHASIS_STRETCH**power, frames)
        case Preset.SLOWER | Preset.FASTER:
            return stretched(edit, spoken, SLOWER if preset is Preset.SLOWER else FASTER, frames)


def _last_stress(phonemes: str, spoken: list[int]) -> int:
    """Return the place in `spoken` of the last stressed vowel, or else of the last vowel, or 0."""
    vowels = [place for place, index in enumerate(spoken) if kind_of(phonemes[index]) is PhonemeKind.VOWEL]
    stresses = [place for place, index in enumerate(spoken) if phonemes[index] in "ˈˌ"]
    after = [place for place in vowels if stresses and place > stresses[-1]]
    return (after[:1] or vowels[-1:] or [0])[0]


def _scaled(change: PhonemeEdit, curve: str, by: float) -> PhonemeEdit:
    old = change.pitch if curve == "pitch" else change.energy
    new = replace(old, scale=min(max(round(old.scale * by, 6), MIN_SCALE), MAX_SCALE))
    return replace(change, pitch=new) if curve == "pitch" else replace(change, energy=new)


def respelled_phonemes(edit: UtteranceEdit) -> frozenset[int]:
    """Return the phonemes that are respelled."""
    return edited_phonemes(replace(edit, changes=()))
