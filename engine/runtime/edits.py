"""The user's edits of utterances: checked, and joined with a plan."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from engine.config import ModelConfig
from engine.speech import (
    CurveEdit,
    Notice,
    PhonemeEdit,
    Plan,
    Respelling,
    SpeechRequest,
    Utterance,
    UtteranceEdit,
    WrittenWord,
)

MIN_PITCH_HZ, MAX_PITCH_HZ = 40.0, 1000.0
MAX_PHONEME_SECONDS = 5.0
MAX_UTTERANCE_SECONDS = 120.0
MAX_STRETCH = 10.0
MAX_SCALE = 10.0
MAX_SHIFT = 1000.0
MAX_GAIN_DB = 24.0
MAX_PAUSE_SECONDS = 60.0
MAX_DRAWN_VALUES = 2000
REACH_CHARACTERS, REACH_OF_PHONEME = 1000, 10
"""The most characters that an utterance is taken to cover, and more for each phoneme."""


def edited_plan(plan: Plan, edits: Mapping[int, UtteranceEdit], config: ModelConfig) -> Plan:
    """Return the plan with the edits, which are by the start of their utterances, and a notice for each unusable one.

    An edit is unusable if its utterance has other phonemes, such as after a change of the text, or if a value is out of
    range; the rest of an edit with such a value is used.
    """
    if not edits:
        return plan
    utterances, notices = [], list(plan.notices)
    for utterance in plan.utterances:
        edit = edits.get(utterance.start)
        edited, problems = (utterance, ()) if edit is None else _edited(utterance, edit, config)
        utterances.append(edited)
        notices += (Notice(problem, utterance.start, utterance.end) for problem in problems)
    return replace(plan, utterances=tuple(utterances), notices=tuple(notices))


def unmatched(plan: Plan, edits: Iterable[UtteranceEdit]) -> tuple[Notice, ...]:
    """Return a notice for each edit whose utterance does not exist in a whole plan."""
    starts = {utterance.start for utterance in plan.utterances}
    return tuple(
        Notice("An edit was ignored: no sentence starts here any more.", edit.start, edit.start)
        for edit in edits
        if edit.start not in starts
    )


def planned_text(request: SpeechRequest) -> SpeechRequest:
    """Return the request to plan for a request: of a longer part of the text if an edit may reach across its ends."""
    end = len(request.text) if request.end is None else request.end
    before = [each.start for each in request.edits if each.start < request.start < _reach(each)]
    is_longer = any(each.start < end < _reach(each) for each in request.edits) and end < len(request.text)
    return replace(request, start=max([*before], default=request.start), end=None if is_longer else request.end)


def _reach(edit: UtteranceEdit) -> int:
    """Return a character behind the utterance of an edit, unless most of that is silent."""
    return edit.start + REACH_CHARACTERS + REACH_OF_PHONEME * len(edit.phonemes)


def part_of(plan: Plan, start: int, end: int) -> Plan | None:
    """Return the plan of the characters from `start` to `end` of the part that a plan is for, or of its beginning.

    Utterances that reach across either are cut between words. Returns None if the part has no words yet.
    """
    known = plan.whole or any(each.start >= end for each in plan.utterances)
    inside = [each for each in map(partial(_heard, start=start, end=end), plan.utterances) if each is not None]
    if not known:
        inside = inside[:-1]  # the next one decides on the pause after it
    if not inside:
        return None
    if inside[0].start <= start:
        inside[0] = replace(inside[0], rest_before_seconds=0.0)
    if known and inside[-1].index + 1 < len(plan.utterances):
        inside[-1] = replace(inside[-1], pause_seconds=0.0, rest_seconds=None)
    utterances = tuple(replace(each, index=index) for index, each in enumerate(inside))
    notices = tuple(each for each in plan.notices if each.start < end and start < max(each.end, each.start + 1))
    return Plan(utterances, notices, 0 if known else end - utterances[-1].end)


def _heard(utterance: Utterance, start: int, end: int) -> Utterance | None:
    """Return the part of the utterance that is played between two characters; None if no word of it is inside."""
    words = tuple(each for each in utterance.words if start < each.end and each.start < end)
    if words == utterance.words or not words:
        return utterance if words or start <= utterance.start < end else None
    first, last = words[0], words[-1]
    heard, cut = [0, len(utterance.phonemes)], utterance
    if last != utterance.words[-1]:
        heard[1] = last.end_phoneme
        cut = replace(cut, text=cut.text[: last.end - cut.start], end=last.end, pause_seconds=0.0, rest_seconds=None)
    if first != utterance.words[0]:
        space = utterance.phonemes[: first.first_phoneme].endswith(" ")  # it sounds like the beginning of the word
        heard[0] = first.first_phoneme - space
        cut = replace(cut, text=cut.text[first.start - cut.start :], start=first.start, rest_before_seconds=0.0)
    return replace(cut, words=words, heard=(heard[0], heard[1]))


def _edited(utterance: Utterance, edit: UtteranceEdit, config: ModelConfig) -> tuple[Utterance, Sequence[str]]:
    if edit.phonemes != utterance.phonemes:
        return utterance, ("The edits of this sentence were ignored: it is pronounced differently now.",)
    problems: list[str] = []
    respellings = tuple(_usable_respellings(utterance, edit.respellings, config, problems))
    if respellings != edit.respellings:
        edit = replace(edit, changes=())  # their indexes count in phonemes that are not spoken
    utterance = _respelled(utterance, respellings)
    changes = tuple(_usable_changes(utterance, edit.changes, config, problems))
    gain = _in_range(edit.gain_db, -MAX_GAIN_DB, MAX_GAIN_DB, "gain", "dB", problems)
    edit = replace(edit, respellings=respellings, changes=changes, gain_db=0.0 if gain is None else gain)
    if edit.pause_seconds is not None:
        pause = _in_range(edit.pause_seconds, 0, MAX_PAUSE_SECONDS, "pause", "s", problems)
        edit = replace(edit, pause_seconds=pause)
        utterance = replace(utterance, rest_seconds=utterance.rest_seconds if pause is None else pause)
    return replace(utterance, presets=(), edit=edit), problems


def _usable_respellings(
    utterance: Utterance, respellings: Iterable[Respelling], config: ModelConfig, problems: list[str]
) -> Iterator[Respelling]:
    done, length = 0, len(utterance.phonemes)
    for each in respellings:
        unknown = sorted(set(each.phonemes) - set(config.vocab))
        grown = length + len(each.phonemes) - (each.end_phoneme - each.first_phoneme)
        if unknown:
            problems.append(f"The model has no symbol {', '.join(f'“{symbol}”' for symbol in unknown)}.")
        elif not done <= each.first_phoneme < each.end_phoneme <= len(utterance.phonemes):
            problems.append("A pronunciation was ignored: it is for phonemes that this sentence doesn’t have.")
        elif not 1 <= grown <= config.phoneme_limit:
            problems.append(f"A pronunciation was ignored: a sentence has 1 to {config.phoneme_limit} phonemes.")
        else:
            done, length = each.end_phoneme, grown
            yield each


def _respelled(utterance: Utterance, respellings: Sequence[Respelling]) -> Utterance:
    """Return the utterance with new phonemes; each of its words keeps those that replace its own."""
    phonemes, words = utterance.phonemes, utterance.words
    for each in reversed(respellings):
        phonemes = phonemes[: each.first_phoneme] + each.phonemes + phonemes[each.end_phoneme :]
        words = tuple(_moved(word, each) for word in words)
    return replace(utterance, phonemes=phonemes, words=words)


def _moved(word: WrittenWord, respelling: Respelling) -> WrittenWord:
    grown = len(respelling.phonemes) - (respelling.end_phoneme - respelling.first_phoneme)

    def new_place(place: int) -> int:
        if place <= respelling.first_phoneme:
            return place
        return max(place + grown, respelling.first_phoneme)

    return replace(word, first_phoneme=new_place(word.first_phoneme), end_phoneme=new_place(word.end_phoneme))


def _usable_changes(
    utterance: Utterance, changes: Iterable[PhonemeEdit], config: ModelConfig, problems: list[str]
) -> Iterator[PhonemeEdit]:
    max_frames = round(MAX_PHONEME_SECONDS * config.frames_per_second)
    changed: set[int] = set()
    for each in changes:
        if not 0 <= each.index < len(utterance.phonemes) or each.index in changed:
            problems.append(f"A change of phoneme {each.index} was ignored: it has none, or more than one change.")
            continue
        changed.add(each.index)
        frames = each.frames
        if frames is not None:
            usable = _in_range(frames, 1, max_frames, "duration", "frames", problems)
            frames = None if usable is None else frames
        stretch = _in_range(each.stretch, 1 / MAX_STRETCH, MAX_STRETCH, "stretch", "times", problems)
        pitch = _usable_curve(each.pitch, MIN_PITCH_HZ, MAX_PITCH_HZ, "pitch", "Hz", problems)
        energy = _usable_curve(each.energy, -MAX_SHIFT, MAX_SHIFT, "energy", "", problems)
        yield PhonemeEdit(each.index, frames, 1.0 if stretch is None else stretch, pitch, energy)


def _usable_curve(
    curve: CurveEdit, smallest: float, largest: float, name: str, unit: str, problems: list[str]
) -> CurveEdit:
    scale = _in_range(curve.scale, 0, MAX_SCALE, f"{name} scale", "times", problems)
    shift = _in_range(curve.shift, -MAX_SHIFT, MAX_SHIFT, f"{name} shift", unit, problems)
    if any(_in_range(factor, 0, MAX_SCALE, f"{name} factor", "times", problems) is None for factor in curve.factors):
        curve = replace(curve, factors=())
    drawn = curve.drawn
    if len(curve.factors) > MAX_DRAWN_VALUES:
        problems.append(f"The {name} factors were ignored: there are more than {MAX_DRAWN_VALUES} for one phoneme.")
        curve = replace(curve, factors=())
    if len(drawn) > MAX_DRAWN_VALUES:
        problems.append(f"A drawn {name} was ignored: it has more than {MAX_DRAWN_VALUES} values for one phoneme.")
        drawn = ()
    elif drawn:
        extreme = next((value for value in drawn if not smallest <= value <= largest), drawn[0])  # NaN is one, too
        drawn = () if _in_range(extreme, smallest, largest, name, unit, problems) is None else drawn
    return replace(curve, scale=1.0 if scale is None else scale, shift=0.0 if shift is None else shift, drawn=drawn)


def _in_range(value: float, smallest: float, largest: float, name: str, unit: str, problems: list[str]) -> float | None:
    """Return the value; if it is out of range, add a problem and return None."""
    if math.isfinite(value) and smallest <= value <= largest:
        return value
    problems.append(f"A {name} of {value:g} {unit} was ignored: use {smallest:g} to {largest:g}.".replace("  ", " "))
    return None
