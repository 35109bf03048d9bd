"""Presets: small changes of words by name, such as a rise, as edits of their phonemes.

Their amounts are a table, `resources/presets.json`, that `engine/training/presets.py` writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import DamagedFile
from engine.runtime.edits import MAX_SCALE, MAX_STRETCH
from engine.speech import CurveEdit, PhonemeEdit, Plan, Preset, Utterance, UtteranceEdit
from engine.system.json_text import json_value
from engine.system.paths import resources_folder

VOWELS = frozenset("AIOQWYaeiouyæɐɑɒɔəɚɛɜɝɞɤɨɪɯɵɶøœʉʊʌʏᵊᵻ")
MAIN_STRESS = "ˈ"
STRESSES = frozenset({MAIN_STRESS, "ˌ"})
LENGTH = "ː"
MARKS = STRESSES | frozenset(LENGTH)
UNVOICED = frozenset("ptkfθsʃhxʧʦʔcç") | MARKS
PAUSES = frozenset(' .,;:!?…—–-“”"()«»¡¿')
VOWEL_SHARE = 2.0
"""The length of a vowel in the contours of the table, in consonants; marks have none."""
POINTS_PER_PHONEME = 3
MIN_SCALE = 0.05
NO_CHANGE = 1e-4
"""The factor's greatest distance from 1 that counts as no change."""
CENTS_PER_OCTAVE = 1200
_OPPOSITES = {Preset.DEEMPHASIS: Preset.EMPHASIS}
_PITCH_FIRST = (Preset.RISE, Preset.FALL)
"""The presets that replace the pitch, which others then change."""


class PhonemeKind(Enum):
    """The kind of a phoneme."""

    VOWEL = "vowel"
    CONSONANT = "consonant"
    MARK = "mark"
    PAUSE = "pause"


@dataclass(frozen=True)
class Amounts:
    """The amounts of one preset.

    `pitch_cents` is a contour of evenly spaced points: over a word, or for a rise or fall from its last stressed vowel
    to the end of the voice. A rise begins at the pitch of that vowel; the others add to the model's. `energy` and
    `stretch` are factors of the energy and of the durations.
    """

    pitch_cents: tuple[float, ...] = ()
    energy: float = 1.0
    stretch: float = 1.0

    @property
    def opposite(self) -> Amounts:
        """The amounts that undo these."""
        return Amounts(tuple(-each for each in self.pitch_cents), 1 / self.energy, 1 / self.stretch)


def table_path() -> Path:
    """Return the path of the table of amounts."""
    return resources_folder() / "presets.json"


@lru_cache(maxsize=1)
def amounts() -> Mapping[Preset, Amounts]:
    """Return the amounts of all presets; raises `DamagedFile` if the table can't be read."""
    path = table_path()
    try:
        presets = json_value(path.read_text(encoding="utf-8"))["presets"]
        found = {Preset(name): _amounts(values) for name, values in presets.items()}
        found |= {preset: found[other].opposite for preset, other in _OPPOSITES.items()}
        return {preset: found[preset] for preset in Preset}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedFile(path, f"{path} is missing or damaged.", "Reinstall Kokoro Desk.") from error


def _amounts(values: Mapping[str, Any]) -> Amounts:
    return Amounts(**{name: _used(amount["used"]) for name, amount in values.items()})


def _used(value: Any) -> Any:
    return tuple(map(float, value)) if isinstance(value, list) else float(value)


def kind_of(symbol: str) -> PhonemeKind:
    """Return the kind of a phoneme; stress and length are marks."""
    if symbol in PAUSES:
        return PhonemeKind.PAUSE
    if symbol in MARKS:
        return PhonemeKind.MARK
    return PhonemeKind.VOWEL if symbol in VOWELS else PhonemeKind.CONSONANT


def shares(phonemes: str) -> tuple[float, ...]:
    """Return the borders [phonemes + 1] of phonemes in a contour from 0 to 1: vowels count double, marks nothing."""
    lengths = [{PhonemeKind.VOWEL: VOWEL_SHARE, PhonemeKind.MARK: 0.0}.get(kind_of(symbol), 1.0) for symbol in phonemes]
    total = sum(lengths) or 1.0
    return tuple(float(border) / total for border in np.concatenate([[0], np.cumsum(lengths)]))


def nucleus(phonemes: str) -> tuple[int, int]:
    """Return the phonemes from the vowel of the last main stress to the last voiced phoneme, at least one.

    They include the marks of stress and length. Without a main stress, they begin at the last secondary one, without
    any stress at the last vowel, and without a vowel at the first phoneme.
    """
    stress = max(phonemes.rfind(mark) for mark in (MAIN_STRESS if MAIN_STRESS in phonemes else STRESSES))
    vowels = [place for place, symbol in enumerate(phonemes) if symbol in VOWELS]
    behind = [place for place in vowels if place > stress >= 0]
    first = (behind[:1] or vowels[-1:] or [0])[0]
    if behind and first == stress + 1:
        first = stress
    voiced = [place for place in range(first, len(phonemes)) if phonemes[place] not in UNVOICED | PAUSES]
    end = (voiced[-1] if voiced else first) + 1
    return first, end + 1 if phonemes.startswith(LENGTH, end) else end


def change_at(edit: UtteranceEdit, index: int) -> PhonemeEdit:
    """Return the change of a phoneme; one without effect if there is none."""
    return next((each for each in edit.changes if each.index == index), PhonemeEdit(index))


def with_changes(edit: UtteranceEdit, changes: Iterable[PhonemeEdit]) -> UtteranceEdit:
    """Replace the changes of these phonemes; a change without effect is removed."""
    merged: dict[int, PhonemeEdit] = {each.index: each for each in edit.changes}
    merged.update((each.index, each) for each in changes)
    kept = (each for _, each in sorted(merged.items()) if each != PhonemeEdit(each.index))
    return replace(edit, changes=tuple(kept))


def scaled(curve: CurveEdit, by: float) -> CurveEdit:
    """Return a change of a curve with its values multiplied."""
    return replace(curve, scale=min(max(round(curve.scale * by, 6), MIN_SCALE), MAX_SCALE))


def stretched(edit: UtteranceEdit, indexes: Iterable[int], factor: float) -> UtteranceEdit:
    """Multiply the durations of phonemes."""

    def changed(index: int) -> PhonemeEdit:
        change = change_at(edit, index)
        if change.frames is not None:
            return replace(change, frames=max(1, round(change.frames * factor)))
        stretch = round(min(max(change.stretch * factor, 1 / MAX_STRETCH), MAX_STRETCH), 6)
        return replace(change, stretch=1.0 if abs(stretch - 1) < NO_CHANGE else stretch)

    return with_changes(edit, map(changed, indexes))


def with_preset(edit: UtteranceEdit, preset: Preset, phonemes: str, first: int, end: int) -> UtteranceEdit:
    """Apply a preset to the phonemes from `first` to `end`; nothing changes if they are only pauses.

    A rise or fall changes only the end, from the last stressed vowel on; emphasis changes each word.
    """
    used, words = amounts()[preset], list(_words(phonemes, range(first, end)))
    if not words:
        return edit
    if preset in _PITCH_FIRST:
        start, stop = (first + place for place in nucleus(phonemes[first:end]))
        indexes, level = range(start, stop), preset is Preset.RISE
        risen = [index for index in indexes if change_at(edit, index).pitch.level]
        edit = stretched(edit, risen, amounts()[Preset.RISE].opposite.stretch)
        borders = tuple(np.linspace(0, 1, stop - start + 1)) if level else shares(phonemes[start:stop])
        contour = enumerate(_contour(borders, used.pitch_cents), start)
        changes = ((change_at(edit, index), CurveEdit(level=level, factors=factors)) for index, factors in contour)
        edit = with_changes(edit, (replace(change, pitch=pitch) for change, pitch in changes))
        return stretched(edit, indexes, used.stretch)
    if preset in (Preset.SLOW, Preset.FAST):
        return stretched(edit, range(first, end), used.stretch)
    edit = with_changes(edit, (each for word in words for each in _emphasized(edit, phonemes, word, used)))
    return stretched(edit, (index for word in words for index in word), used.stretch)


def with_presets(plan: Plan) -> Plan:
    """Return a plan in which each utterance with presets has the edit that they result in."""
    if not any(utterance.presets for utterance in plan.utterances):
        return plan
    return replace(plan, utterances=tuple(map(_with_presets, plan.utterances)))


def _with_presets(utterance: Utterance) -> Utterance:
    if not utterance.presets:
        return utterance
    edit = UtteranceEdit(utterance.start, utterance.phonemes)
    for each in sorted(utterance.presets, key=lambda each: each.preset not in _PITCH_FIRST):
        edit = with_preset(edit, each.preset, utterance.phonemes, each.first_phoneme, each.end_phoneme)
    return replace(utterance, edit=edit)


def _words(phonemes: str, indexes: Iterable[int]) -> Iterator[list[int]]:
    """Yield the phonemes of each word: those between pauses."""
    for spoken, word in groupby(indexes, lambda index: kind_of(phonemes[index]) is not PhonemeKind.PAUSE):
        if spoken:
            yield list(word)


def _emphasized(edit: UtteranceEdit, phonemes: str, word: Sequence[int], used: Amounts) -> Iterator[PhonemeEdit]:
    contour = _contour(shares(phonemes[word[0] : word[-1] + 1]), used.pitch_cents)
    for index, factors in zip(word, contour, strict=True):
        change = change_at(edit, index)
        energy = scaled(change.energy, used.energy)
        if abs(energy.scale - 1) < NO_CHANGE:
            energy = replace(energy, scale=1.0)
        yield replace(change, pitch=_with_factors(change.pitch, factors), energy=energy)


def _contour(borders: Sequence[float], cents: Sequence[float]) -> list[tuple[float, ...]]:
    """Return the factors of the pitch of each phoneme for a contour over all of them; see `shares` for `borders`."""
    if not cents:
        return [() for _ in pairwise(borders)]
    places = [np.linspace(start, end, POINTS_PER_PHONEME) for start, end in pairwise(borders)]
    found = (np.interp(each, np.linspace(0, 1, len(cents)), cents) for each in places)
    return [tuple(round(float(2 ** (value / CENTS_PER_OCTAVE)), 6) for value in values) for values in found]


def _with_factors(curve: CurveEdit, factors: Sequence[float]) -> CurveEdit:
    """Return a change of a curve with its values multiplied by further factors, if any."""
    if not factors:
        return curve
    count = max(len(curve.factors), len(factors))
    points = np.linspace(0, 1, count)
    old, new = (np.interp(points, np.linspace(0, 1, len(each)), each) for each in (curve.factors or (1.0,), factors))
    product = tuple(round(float(value), 6) for value in old * new)
    return replace(curve, factors=() if all(abs(value - 1) < NO_CHANGE for value in product) else product)
