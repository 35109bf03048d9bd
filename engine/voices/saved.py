"""Blends that the user saves under names of their own, in one file of the data folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from filelock import FileLock, Timeout

from engine.errors import DamagedFile, InvalidRequest, OutputError, UnknownVoice
from engine.speech import Notice, VoiceInfo
from engine.system.json_text import json_value
from engine.system.paths import data_folder
from engine.voices.blends import describe_blend, is_recipe, language_notice, mix, parse, with_full_names
from engine.voices.packs import Voice, full_name, nearest, official_voices

NAME = re.compile(r"[^\W\d_][\w-]{0,39}")
LOCK_SECONDS = 10


class SavedVoices:
    """The saved blends; the file is read again for each call, so that every process sees what another one saves."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or data_folder() / "voices.json"

    def recipes(self) -> dict[str, str]:
        """The recipe of each saved blend by name; raises `DamagedFile`."""
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
        """Save a blend of known voices, replacing any of that name; raises `InvalidRequest` or `OutputError`.

        It may have the name of none of these voices, of `others`, or of the published ones.
        """
        _check_name(name, {*known, *others})
        blend = with_full_names(parse(recipe), known)
        self._change(lambda recipes: recipes.update({name: blend.recipe}))
        return describe_blend(blend, known, name)

    def remove(self, name: str) -> None:
        """Delete a blend; raises `UnknownVoice` if none has this name."""
        recipes = self.recipes()
        if name not in recipes:
            raise UnknownVoice(name, tuple(recipes), nearest(name, recipes))
        self._change(lambda recipes: recipes.pop(name, None))

    def rename(self, name: str, new_name: str, others: Collection[str] = ()) -> None:
        """Give a blend another name, which no saved blend, none of `others` and no published voice has.

        Raises `UnknownVoice`, `InvalidRequest` or `OutputError`.
        """
        recipes = self.recipes()
        if name not in recipes:
            raise UnknownVoice(name, tuple(recipes), nearest(name, recipes))
        _check_name(new_name, {*recipes, *others} - {name})
        self._change(lambda recipes: recipes.update({new_name: recipes.pop(name)}))

    def listed(self, voices: Iterable[VoiceInfo]) -> tuple[VoiceInfo, ...]:
        """The saved blends whose voices are all among these."""
        known = {voice.name: voice for voice in voices}
        blends = {name: parse(recipe) for name, recipe in self.recipes().items()}
        return tuple(
            describe_blend(blend, known, name)
            for name, blend in blends.items()
            if all(part.voice in known for part in blend.parts)
        )

    def choose(self, name: str, voices: Mapping[str, Voice]) -> tuple[Voice, tuple[Notice, ...]]:
        """The voice of this name or recipe, and notices for the listener about it.

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
                temporary.write_bytes(text.encode(errors="backslashreplace"))  # JSON writes half a character like that
                os.replace(temporary, self._path)
        except (OSError, Timeout) as error:
            raise OutputError(
                f"{self._path} cannot be written.", "Check the permissions of its folder, then try again."
            ) from error

    def _damaged(self) -> DamagedFile:
        message = f"The list of your saved voices, {self._path}, cannot be read."
        return DamagedFile(self._path, message, "Move it away; then blends can be saved again.")


def _mixed(recipe: str, voices: Mapping[str, Voice], name: str) -> tuple[Voice, tuple[Notice, ...]]:
    blend = with_full_names(parse(recipe), voices)
    notice = language_notice(blend, {part.voice: voices[part.voice].info for part in blend.parts})
    return mix(blend, voices, name), (notice,) if notice else ()


def _is_blend(recipe: object) -> bool:
    try:
        return isinstance(recipe, str) and bool(parse(recipe))
    except InvalidRequest:
        return False


def _check_name(name: str, known: Collection[str]) -> None:
    if not NAME.fullmatch(name):
        raise InvalidRequest(
            f"“{name}” cannot be the name of a voice.",
            "Begin with a letter; letters, digits, - and _ may follow, 40 in all.",
        )
    taken = {*known, *(voice.name for voice in official_voices())}
    try:
        existing = full_name(name, taken)
    except UnknownVoice:
        return
    raise InvalidRequest(f"“{name}” is the voice {existing} already.", "Choose another name.")
