"""Blends: several voices in one, such as `af_heart(2)+am_adam(1)` or `af_heart:60,am_adam:40`."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import InvalidRequest
from engine.languages import language_of
from engine.speech import Notice, VoiceInfo
from engine.voices.packs import Voice, full_name

SIGNS = frozenset("+,:()")
"""The characters that distinguish a blend from the name of a voice."""
PART = re.compile(r"\s*(?P<name>[^\s():]+)\s*(?:\(\s*(?P<inside>[^()]*?)\s*\)|:\s*(?P<after>[^():]*?))?\s*")
EXAMPLE = "Write it like af_heart(2)+am_adam(1) or af_heart:60,am_adam:40."


@dataclass(frozen=True)
class Part:
    """One voice of a blend; only the ratios between weights matter."""

    voice: str
    weight: float


@dataclass(frozen=True)
class Blend:
    """Voices in the order in which they were named, each once; the first gives the language."""

    parts: tuple[Part, ...]

    @property
    def recipe(self) -> str:
        """The blend as it can be typed; parsing it gives an equal blend."""
        return "+".join(f"{part.voice}({_written(part.weight)})" for part in self.parts)

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of each voice; they add up to 1."""
        largest = max(part.weight for part in self.parts)  # the sum of huge weights would overflow
        total = sum(part.weight / largest for part in self.parts)
        return tuple(part.weight / largest / total for part in self.parts)


def is_recipe(text: str) -> bool:
    """Whether this is the recipe of a blend and not the name of a voice."""
    return not SIGNS.isdisjoint(text)


def parse(recipe: str) -> Blend:
    """The blend of this recipe; an omitted weight is 1. Raises `InvalidRequest`."""
    weights: dict[str, float] = {}
    for text in re.split(r"[+,]", recipe):
        part = _parsed(text, recipe)
        weights[part.voice] = weights.get(part.voice, 0.0) + part.weight
    if not all(map(math.isfinite, weights.values())):
        raise InvalidRequest(f"The weights of the blend “{recipe}” are too large.", EXAMPLE)
    return Blend(tuple(Part(voice, weight) for voice, weight in weights.items()))


def with_full_names(blend: Blend, known: Collection[str]) -> Blend:
    """The blend with every short name replaced by the full one; raises what `full_name` raises."""
    parts = [replace(part, voice=full_name(part.voice, known)) for part in blend.parts]
    return parse(Blend(tuple(parts)).recipe)


def describe_blend(blend: Blend, known: Mapping[str, VoiceInfo], name: str = "") -> VoiceInfo:
    """The listing entry of a blend, under its recipe if it has no name of its own."""
    voices = [known[part.voice] for part in blend.parts]
    genders = {voice.gender for voice in voices}
    shares = zip(voices, blend.shares, strict=True)
    title = name or " + ".join(f"{voice.title} {share:.0%}" for voice, share in shares)
    gender = genders.pop() if len(genders) == 1 else ""
    return VoiceInfo(name or blend.recipe, title, voices[0].language, gender, recipe=blend.recipe)


def mix(blend: Blend, voices: Mapping[str, Voice], name: str = "") -> Voice:
    """The weighted mean of the voices of a blend; a shorter pack is extended with its last row."""
    info = describe_blend(blend, {part.voice: voices[part.voice].info for part in blend.parts}, name)
    tables = [voices[part.voice].table for part in blend.parts]
    rows = max(map(len, tables))
    mixed = sum(share * _with_rows(table, rows) for share, table in zip(blend.shares, tables, strict=True))
    return Voice(info, np.asarray(mixed, np.float32))


def language_notice(blend: Blend, known: Mapping[str, VoiceInfo]) -> Notice | None:
    """A notice for the listener if the voices of a blend have several languages."""
    languages = {known[part.voice].language for part in blend.parts}
    if len(languages) == 1:
        return None
    first = blend.parts[0].voice
    spoken = language_of(known[first].language).name
    return Notice(f"The blend is of several languages; it speaks {spoken}, as {first} does.", 0, 0)


def _with_rows(table: np.ndarray, rows: int) -> np.ndarray:
    missing = np.repeat(table[-1:], rows - len(table), axis=0)
    return np.concatenate([table, missing]).astype(np.float64)


def _parsed(text: str, recipe: str) -> Part:
    match = PART.fullmatch(text)
    if match is None:
        raise InvalidRequest(
            f"“{recipe}” is not a blend of voices: “{text.strip()}” is not a voice and a weight.", EXAMPLE
        )
    written = match["inside"] if match["inside"] is not None else match["after"]
    return Part(match["name"], 1.0 if written is None else _weight(written, recipe))


def _weight(written: str, recipe: str) -> float:
    try:
        weight = float(written)
    except ValueError:
        weight = math.nan
    if not (math.isfinite(weight) and weight > 0):
        raise InvalidRequest(f"“{recipe}” is not a blend of voices: “{written}” is not a weight above 0.", EXAMPLE)
    return weight


def _written(weight: float) -> str:
    """The shortest number that reads back as the same weight, without a + that would split the recipe."""
    return str(int(weight)) if weight.is_integer() and weight < 1e15 else repr(weight).replace("e+", "e")
