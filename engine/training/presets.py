"""Learns the amounts of the presets from a model's own contours, and writes the table of `engine/runtime/presets.py`.

Each amount is the mean difference between matched pairs of sentences, over all English voices of the model. Where the
model hardly reacts, a chosen amount is used; the table has both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.config import F0_VALUES_PER_FRAME
from engine.runtime.edits import MIN_PITCH_HZ
from engine.runtime.presets import CENTS_PER_OCTAVE, STRESSES, nucleus, shares
from engine.runtime.synthesizer import Synthesizer
from engine.speech import Contours, Preset, SpeechRequest, Utterance
from engine.system.atomic_write import atomic_write
from engine.text.languages import language_of

POINTS = 9
SLOW_SPEED, FAST_SPEED = 0.8, 1.25
NEGLIGIBLE_CENTS = 50.0
NEGLIGIBLE_SHARE = 0.05
"""A contour that stays below these cents, and a factor that is closer to 1, are hardly noticed."""
CHOSEN_RISE_CENTS = tuple(700 * place / (POINTS - 1) for place in range(POINTS))
"""A steady rise by a fifth. Of 40 questions in four voices, 38 rose audibly; with four semitones, 34."""
CHOSEN_RISE_STRETCH = 1.25
"""The lengthening of a rising end, without which the voice often breaks off before it is high: 35 of 40 rose."""
CHOSEN_EMPHASIS_ENERGY = 1.15
FADING = 0.6
"""The share of a word's median pitch below which the voice fades, which is no melody."""
STATEMENTS = (
    "You’re looking at a picture", "They sold the old house", "She can really dance", "He left for London",
    "You want some coffee", "It’s raining in the mountains", "She bought a new guitar", "Your brother is a doctor",
    "They will arrive tomorrow", "The dog ate my dinner", "We can go home now", "You finished the report",
)  # fmt: skip
CONTINUED = ", and that is all of it."
FOCUSED = (
    "Mary sold the old {house} yesterday.", "They want the {green} bottle on the table.",
    "My sister {never} eats meat at home.", "We met the {doctor} in the garden.",
    "He wrote a {letter} to his mother.", "The train leaves at {seven} every morning.",
    "She bought the {small} car last week.", "The {children} broke the window again.",
    "I saw your {father} at the market.", "The meeting is on {Friday} this time.",
    "You should {read} the book first.", "The dog slept under the {kitchen} table.",
)  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """A part of an utterance: its pitch in cents at `POINTS` places, its mean energy, and its frames."""

    cents: NDArray[np.float64]
    energy: float
    frames: int


@dataclass(frozen=True)
class MeanDifference:
    """The mean difference between the first and the second of matched pairs."""

    cents: tuple[float, ...]
    energy: float
    stretch: float
    pairs: int


Pair = tuple[Measured | None, Measured | None]


def write_table(synthesizer: Synthesizer, path: Path, show: Callable[[str], None]) -> Mapping[str, Any]:
    """Learn the table, write it, and return it; `show` receives lines of progress. Raises `OutputError`."""
    table = learn(synthesizer, show)
    with atomic_write(path) as file:
        file.write(json.dumps(table, indent=1).encode() + b"\n")
    return table


def learn(synthesizer: Synthesizer, show: Callable[[str], None]) -> Mapping[str, Any]:
    """Return the table as JSON values."""
    voices = [each.name for each in synthesizer.voices() if language_of(each.language).english and not each.recipe]

    def mean(name: str, pairs: Callable[[str], Iterable[Pair]]) -> MeanDifference:
        found: list[Pair] = []
        for number, voice in enumerate(voices, 1):
            show(f"{name}: voice {number} of {len(voices)}")
            found += pairs(voice)
        return _mean_difference(found)

    question = mean("questions", partial(_final_pairs, synthesizer, "?", "."))
    final = mean("final falls", partial(_final_pairs, synthesizer, ".", CONTINUED))
    stress = mean("stress", partial(_stress_pairs, synthesizer))
    slow, fast = (
        mean(f"speed {speed}", partial(_speed_pairs, synthesizer, speed)) for speed in (SLOW_SPEED, FAST_SPEED)
    )
    emphasis = {
        "pitch_cents": _contour(stress, ()),
        "energy": _factor(stress.energy, CHOSEN_EMPHASIS_ENERGY),
        "stretch": _factor(stress.stretch, 1.0),
    }
    presets = {
        Preset.RISE: {
            "pitch_cents": _contour(question, CHOSEN_RISE_CENTS),
            "stretch": _factor(question.stretch, CHOSEN_RISE_STRETCH),
        },
        Preset.FALL: {"pitch_cents": _contour(final, tuple(-each for each in CHOSEN_RISE_CENTS))},
        Preset.EMPHASIS: emphasis,
        Preset.SLOW: {"stretch": _factor(slow.stretch, 1 / SLOW_SPEED)},
        Preset.FAST: {"stretch": _factor(fast.stretch, 1 / FAST_SPEED)},
    }
    pairs = {"rise": question.pairs, "fall": final.pairs, "emphasis": stress.pairs, "slow": slow.pairs}
    return {"model": synthesizer.model, "voices": len(voices), "pairs": pairs, "presets": presets}


def _contour(found: MeanDifference, chosen: Sequence[float]) -> dict[str, Any]:
    """Return the entry of a contour: the measured one if it is large enough to be noticed."""
    learned = max(map(abs, found.cents)) >= NEGLIGIBLE_CENTS
    used = found.cents if learned else tuple(chosen)
    return {"origin": "learned" if learned else "chosen", "used": used, "measured": found.cents}


def _factor(measured: float, chosen: float) -> dict[str, Any]:
    learned = abs(measured - 1) >= NEGLIGIBLE_SHARE
    used = measured if learned else chosen
    return {"origin": "learned" if learned else "chosen", "used": used, "measured": measured}


def _mean_difference(pairs: Iterable[Pair]) -> MeanDifference:
    both = [(one, other) for one, other in pairs if one is not None and other is not None]
    cents = np.mean([one.cents - other.cents for one, other in both], axis=0)
    energy = np.mean([one.energy for one, _ in both]) / np.mean([other.energy for _, other in both])
    stretch = np.exp(np.mean([np.log(one.frames / other.frames) for one, other in both]))
    rounded = tuple(round(float(each), 1) for each in cents)
    return MeanDifference(rounded, round(float(energy), 3), round(float(stretch), 3), len(both))


def _final_pairs(synthesizer: Synthesizer, ending: str, other: str, voice: str) -> Iterator[Pair]:
    """Yield the end of the last word of each statement with two different endings of the sentence."""
    for statement in STATEMENTS:
        place = statement.count(" ")
        one, two = (_spoken(synthesizer, statement + each, voice) for each in (ending, other))
        yield _measured(*one, place, end_only=True), _measured(*two, place, end_only=True)


def _stress_pairs(synthesizer: Synthesizer, voice: str) -> Iterator[Pair]:
    """Yield each word in focus with its stress, and without the mark of it."""
    for sentence in FOCUSED:
        before, _, rest = sentence.partition("{")
        word, _, after = rest.partition("}")
        stressed = _spoken(synthesizer, f"{before}{word}{after}", voice)
        unstressed = _spoken(synthesizer, f"{before}[{word}](-2){after}", voice)
        place = before.count(" ")
        yield _measured(*stressed, place), _measured(*unstressed, place)


def _speed_pairs(synthesizer: Synthesizer, speed: float, voice: str) -> Iterator[Pair]:
    """Yield each word in focus at a speed, and at the normal one."""
    for sentence in FOCUSED:
        text, place = sentence.replace("{", "").replace("}", ""), sentence.partition("{")[0].count(" ")
        one, two = (_spoken(synthesizer, text, voice, each) for each in (speed, 1.0))
        yield _measured(*one, place), _measured(*two, place)


def _spoken(synthesizer: Synthesizer, text: str, voice: str, speed: float = 1.0) -> tuple[Utterance, Contours]:
    ((utterance, contours),) = synthesizer.contours(SpeechRequest(text, voice, speed))
    return utterance, contours


def _measured(utterance: Utterance, contours: Contours, place: int, *, end_only: bool = False) -> Measured | None:
    """Measure a word by its place, or only its end from the last stressed vowel on; None if it has no pitch."""
    word = utterance.words[place]
    first, end = word.first_phoneme, word.end_phoneme
    if end_only:
        first, end = (word.first_phoneme + each for each in nucleus(utterance.phonemes[first:end]))
    frames = np.concatenate([[0], np.cumsum(contours.frames)]) + contours.lead_frames
    values = slice(F0_VALUES_PER_FRAME * int(frames[first]), F0_VALUES_PER_FRAME * int(frames[end]))
    pitch, energy = contours.pitch[values], contours.energy[values]
    sounding = pitch >= MIN_PITCH_HZ
    if not sounding.any():
        return None
    sounding &= pitch >= FADING * np.median(pitch[sounding])
    places = _places(utterance.phonemes[first:end], np.asarray(contours.frames[first:end]))
    cents = np.interp(np.linspace(0, 1, POINTS), places[sounding], CENTS_PER_OCTAVE * np.log2(pitch[sounding]))
    return Measured(cents, float(energy.mean()), int(frames[end] - frames[first]))


def _places(phonemes: str, frames: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the place of each value of a curve in a contour from 0 to 1; see `shares`.

    The frames of a mark of stress belong to the vowel behind it, so that stressed and unstressed words are comparable.
    """
    borders, found, waiting = shares(phonemes), [], 0
    for index, symbol in enumerate(phonemes):
        waiting += int(frames[index])
        if symbol in STRESSES and index + 1 < len(phonemes):
            continue
        found.append(np.linspace(borders[index], borders[index + 1], F0_VALUES_PER_FRAME * waiting))
        waiting = 0
    return np.concatenate(found)
