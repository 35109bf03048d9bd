"""Blends of several voices, such as `af_heart(2)+am_adam(1)` or `af_heart:60,am_adam:40`.

The user's named blends are in one file in the data folder.
"""

from __future__ import annotations

import json
import math
import os
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from engine.errors import DamagedFile, InvalidRequest, OutputError, UnknownVoice
from engine.models.voices.packs import Voice, folded, full_name, nearest, official_voices, same_named
from engine.speech import Notice, VoiceInfo
from engine.system.json_text import json_value
from engine.system.paths import data_folder
from engine.text.languages import language_of

SIGNS = frozenset("+,:()")
"""The characters that distinguish a blend from the name of a voice."""
PART = re.compile(r"\s*(?P<name>[^\s():]+)\s*(?:\(\s*(?P<inside>[^()]*?)\s*\)|:\s*(?P<after>[^():]*?))?\s*")
EXAMPLE = "Use the form af_heart(2)+am_adam(1) or af_heart:60,am_adam:40."
MAX_NAME_CHARACTERS = 60
RESERVED = SIGNS | frozenset("[]")
"""Characters that identify a recipe, or that end a direction such as `[voice:my duet]`."""
INVISIBLE_CATEGORIES = frozenset({"Zs", "Cf"})
CONTROL_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
DIRECTION_CONTROLS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
"""Unicode's bidirectional controls, which would reorder the words around the name."""
LOCK_SECONDS = 10


@dataclass(frozen=True)
class BlendVoice:
    """One voice of a blend; only the ratios between weights matter."""

    voice: str
    weight: float


@dataclass(frozen=True)
class Blend:
    """Voices in the order in which they were named, each once; the first determines the language."""

    parts: tuple[BlendVoice, ...]

    @property
    def recipe(self) -> str:
        """The blend in the form that users type; parsing it gives an equal blend."""
        return "+".join(f"{part.voice}({_written(part.weight)})" for part in self.parts)

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of each voice; the sum is 1."""
        largest = max(part.weight for part in self.parts)  # the sum of huge weights would overflow
        total = sum(part.weight / largest for part in self.parts)
        return tuple(part.weight / largest / total for part in self.parts)


def is_recipe(text: str) -> bool:
    """Return whether this is the recipe of a blend and not the name of a voice."""
    return not SIGNS.isdisjoint(text)


def parse(recipe: str) -> Blend:
    """Parse a recipe; an omitted weight is 1. Raises `InvalidRequest`."""
    weights: dict[str, float] = {}
    for text in re.split(r"[+,]", recipe):
        part = _parsed(text, recipe)
        weights[part.voice] = weights.get(part.voice, 0.0) + part.weight
    if not all(map(math.isfinite, weights.values())):
        raise InvalidRequest(f"The weights of the blend “{recipe}” are too large.", EXAMPLE)
    return Blend(tuple(BlendVoice(voice, weight) for voice, weight in weights.items()))


def with_full_names(
    blend: Blend, known: Collection[str], find: Callable[[str, Collection[str]], str] = full_name
) -> Blend:
    """Replace every name by the one that `find` returns for it among the known ones. Raises the errors of `find`."""
    parts = [replace(part, voice=find(part.voice, known)) for part in blend.parts]
    return parse(Blend(tuple(parts)).recipe)


def describe_blend(blend: Blend, known: Mapping[str, VoiceInfo], name: str = "") -> VoiceInfo:
    """Return the listing entry of a blend, under its recipe if it is unnamed."""
    voices = [known[part.voice] for part in blend.parts]
    genders = {voice.gender for voice in voices}
    shares = zip(voices, blend.shares, strict=True)
    title = name or " + ".join(f"{voice.title} {share:.0%}" for voice, share in shares)
    gender = genders.pop() if len(genders) == 1 else ""
    return VoiceInfo(name or blend.recipe, title, voices[0].language, gender, recipe=blend.recipe)


def mix(blend: Blend, voices: Mapping[str, Voice], name: str = "") -> Voice:
    """Return the weighted mean of the voices of a blend; a shorter pack is extended with its last row."""
    info = describe_blend(blend, {part.voice: voices[part.voice].info for part in blend.parts}, name)
    tables = [voices[part.voice].table for part in blend.parts]
    rows = max(map(len, tables))
    mixed = sum(share * _with_rows(table, rows) for share, table in zip(blend.shares, tables, strict=True))
    return Voice(info, np.asarray(mixed, np.float32))


def language_notice(blend: Blend, known: Mapping[str, VoiceInfo]) -> Notice | None:
    """Return a notice for the listener if the voices of a blend have several languages."""
    languages = {known[part.voice].language for part in blend.parts}
    if len(languages) == 1:
        return None
    first = blend.parts[0].voice
    spoken = language_of(known[first].language).name
    return Notice(f"The blend mixes languages; it speaks {spoken}, like {first}.", 0, 0)


def _with_rows(table: np.ndarray, rows: int) -> np.ndarray:
    missing = np.repeat(table[-1:], rows - len(table), axis=0)
    return np.concatenate([table, missing]).astype(np.float64)


def _parsed(text: str, recipe: str) -> BlendVoice:
    match = PART.fullmatch(text)
    if match is None:
        raise InvalidRequest(f"“{recipe}” isn’t a valid blend: “{text.strip()}” isn’t a voice and a weight.", EXAMPLE)
    written = match["inside"] if match["inside"] is not None else match["after"]
    return BlendVoice(match["name"], 1.0 if written is None else _weight(written, recipe))


def _weight(written: str, recipe: str) -> float:
    try:
        weight = float(written)
    except ValueError:
        weight = math.nan
    if not (math.isfinite(weight) and weight > 0):
        raise InvalidRequest(f"“{recipe}” isn’t a valid blend: “{written}” isn’t a weight above 0.", EXAMPLE)
    return weight


def _written(weight: float) -> str:
    """Format a weight as the shortest number that parses to it, without a +, which would split the recipe."""
    return str(int(weight)) if weight.is_integer() and weight < 1e15 else repr(weight).replace("e+", "e")


class SavedVoices:
    """The saved blends; every call reads the file again, to include the changes of other processes."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or data_folder() / "voices.json"

    def recipes(self) -> dict[str, str]:
        """Return the recipes of all saved blends by name. Raises `DamagedFile`."""
        try:
            recipes = json_value(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise self._damaged() from error
        if not isinstance(recipes, dict) or not all(map(_is_blend, recipes.values())):
            raise self._damaged()
        return recipes

    def save(self, name: str, recipe: str, known: Mapping[str, VoiceInfo], others: Collection[str] = ()) -> VoiceInfo:
        """Save a blend of known voices, replacing any with that name. Raises `InvalidRequest` or `OutputError`.

        The name must differ from those of these voices, of `others`, and of the published ones. The returned voice has
        the name without superfluous spaces.
        """
        name = _checked(name, {*known, *others})
        blend = with_full_names(parse(recipe), known)
        self._change(lambda recipes: _put(recipes, name, blend.recipe))
        return describe_blend(blend, known, name)

    def remove(self, name: str) -> None:
        """Delete a blend. Raises `UnknownVoice` if none has this name."""
        saved = _saved_as(name, self.recipes())
        self._change(lambda recipes: recipes.pop(saved, None))

    def rename(self, name: str, new_name: str, others: Collection[str] = ()) -> str:
        """Rename a blend; the new name must differ from other blends, `others` and the published voices. Return it.

        Raises `UnknownVoice`, `InvalidRequest` or `OutputError`.
        """
        recipes = self.recipes()
        new_name = _checked(new_name, {*recipes, *others} - {_saved_as(name, recipes)})
        self._change(lambda recipes: _put(recipes, new_name, recipes.pop(_saved_as(name, recipes))))
        return new_name

    def listed(self, voices: Iterable[VoiceInfo]) -> tuple[VoiceInfo, ...]:
        """Return the saved blends whose voices are all among these."""
        return described(self.recipes(), voices)

    def choose(self, name: str, voices: Mapping[str, Voice]) -> tuple[Voice, tuple[Notice, ...]]:
        """Return the voice of this name or recipe, and notices for the listener about it.

        Raises `UnknownVoice`, `InvalidRequest` or `DamagedFile`.
        """
        if name in voices:
            return voices[name], ()
        if is_recipe(name):
            return _mixed(name, voices, "")
        recipes = self.recipes()
        meant = full_name(name, (*voices, *recipes))
        return (voices[meant], ()) if meant in voices else _mixed(recipes[meant], voices, meant)

    def _change(self, change: Callable[[dict[str, str]], object]) -> None:
        temporary = self._path.with_name(f"{self._path.name}.new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self._path.with_name(f"{self._path.name}.lock"), timeout=LOCK_SECONDS):
                recipes = self.recipes()
                change(recipes)
                text = json.dumps(recipes, indent=2, ensure_ascii=False)
                temporary.write_bytes(text.encode(errors="backslashreplace"))  # JSON escapes lone surrogates like this
                os.replace(temporary, self._path)
        except (OSError, Timeout) as error:
            raise OutputError(
                f"{self._path} can’t be written.", "Check the permissions of its folder, then try again."
            ) from error

    def _damaged(self) -> DamagedFile:
        message = f"The list of saved voices, {self._path}, can’t be read."
        return DamagedFile(self._path, message, "Move or delete it to save blends again.")


def described(recipes: Mapping[str, str], voices: Iterable[VoiceInfo]) -> tuple[VoiceInfo, ...]:
    """Return the listing entries of those blends whose voices are all among these."""
    known = {voice.name: voice for voice in voices}
    blends = {name: parse(recipe) for name, recipe in recipes.items()}
    return tuple(
        describe_blend(blend, known, name)
        for name, blend in blends.items()
        if all(part.voice in known for part in blend.parts)
    )


def _mixed(recipe: str, voices: Mapping[str, Voice], name: str) -> tuple[Voice, tuple[Notice, ...]]:
    blend = with_full_names(parse(recipe), voices)
    notice = language_notice(blend, {part.voice: voices[part.voice].info for part in blend.parts})
    return mix(blend, voices, name), (notice,) if notice else ()


def _is_blend(recipe: object) -> bool:
    try:
        return isinstance(recipe, str) and bool(parse(recipe))
    except InvalidRequest:
        return False


def _saved_as(name: str, recipes: Mapping[str, str]) -> str:
    """Return the spelling under which a blend is saved. Raises `UnknownVoice`."""
    for saved in recipes:
        if folded(saved) == folded(name):
            return saved
    raise UnknownVoice(name, tuple(recipes), nearest(name, recipes))


def _put(recipes: dict[str, str], name: str, recipe: str) -> None:
    """Save a recipe under a name, replacing other spellings of it."""
    for other in [each for each in recipes if each != name and folded(each) == folded(name)]:
        del recipes[other]
    recipes[name] = recipe


def _checked(name: str, known: Collection[str]) -> str:
    """Return the name to save, composed and with single spaces. Raises `InvalidRequest`."""
    problem = _problem_of(name)
    if problem:
        raise InvalidRequest(problem)
    name = " ".join(unicodedata.normalize("NFC", name).split())
    existing = same_named(name, (*known, *(voice.name for voice in official_voices())))
    if existing is not None:
        raise InvalidRequest(f"“{name}” is already the name of the voice {existing}.", "Choose a different name.")
    return name


def _problem_of(name: str) -> str:
    """Return why a name cannot be used, in one sentence; empty if it can."""
    if all(unicodedata.category(each) in INVISIBLE_CATEGORIES for each in name):
        return "Enter a name for the blend."
    if any(map(_is_control, name)):
        return "The name of a blend can’t contain line breaks or other control characters."
    if not RESERVED.isdisjoint(name):
        return f"The name of a blend can’t contain any of {' '.join(sorted(RESERVED))}."
    if len(name) > MAX_NAME_CHARACTERS:
        return f"Choose a name of up to {MAX_NAME_CHARACTERS} characters."
    return ""


def _is_control(character: str) -> bool:
    return (
        unicodedata.category(character) in CONTROL_CATEGORIES
        or unicodedata.bidirectional(character) in DIRECTION_CONTROLS
    )
