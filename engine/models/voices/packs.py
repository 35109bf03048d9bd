"""Voice packs: the published voices, their descriptions, and the style of a voice for a number of phonemes."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from engine.errors import InvalidRequest, UnknownVoice
from engine.speech import Style, VoiceInfo
from engine.system.paths import resources_folder
from engine.text.languages import AMERICAN, LANGUAGES

GENDERS = {"f": "female", "m": "male"}
"""The genders by the second letter of a Kokoro voice name; the first letter is the language."""
KOKORO_NAME = re.compile(r"(?P<language>[a-z])(?P<gender>[fm])_(?P<short>.+)", re.IGNORECASE)


@dataclass(frozen=True)
class Voice:
    """A voice pack: `table` [rows, 1, 2 * style_dim]; row n - 1 is the style for n phonemes, timbre before prosody."""

    info: VoiceInfo
    table: NDArray[np.float32]

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the table."""
        return hashlib.sha256(self.table.tobytes()).hexdigest()

    def style(self, phoneme_count: int) -> Style:
        """Return the style for this many phonemes; a pack with fewer rows uses its last."""
        row = self.table[min(max(phoneme_count, 1), len(self.table)) - 1, 0].astype(np.float32)
        middle = len(row) // 2
        return Style(timbre=row[:middle], prosody=row[middle:])


@cache
def official_voices() -> tuple[VoiceInfo, ...]:
    """Return the voices of Kokoro-82M 1.0, grouped by language."""
    path = resources_folder() / "kokoro-82m" / "voices.json"
    entries = json.loads(path.read_text(encoding="utf-8"))
    return tuple(
        VoiceInfo(entry["name"], _title(entry["name"]), entry["language"], entry["gender"], entry["grade"])
        for entry in entries
    )


def describe(name: str) -> VoiceInfo:
    """Describe a published voice, or any other by its Kokoro-style name, such as `af_sally`."""
    for voice in official_voices():
        if voice.name == name:
            return voice
    match = KOKORO_NAME.fullmatch(name)
    if match is None:
        return VoiceInfo(name, name, AMERICAN.tag, "")
    languages = {language.letter: language for language in LANGUAGES}
    language = languages.get(match["language"], AMERICAN)
    return VoiceInfo(name, _title(name), language.tag, GENDERS[match["gender"].lower()])


def find(voices: Mapping[str, Voice], name: str) -> Voice:
    """Return the voice of this name, which may be short (see `full_name`)."""
    return voices[full_name(name, voices)]


def full_name(name: str, known: Collection[str]) -> str:
    """Return the known name for a full or short name: `heart` means `af_heart` if no other voice has that short name.

    Raises `UnknownVoice` with the known names and the nearest one, `InvalidRequest` for an ambiguous name.
    """
    if name in known:
        return name
    meant = [each for each in known if folded(name) in _spellings(each)]
    if len(meant) > 1:
        raise InvalidRequest(f"“{name}” is ambiguous.", f"Use {' or '.join(meant)}.")
    if not meant:
        raise UnknownVoice(name, tuple(known), nearest(name, known))
    return meant[0]


def nearest(name: str, known: Collection[str]) -> str | None:
    """Return the known name most similar to this one, or None if none is similar."""
    by_word = {word: each for each in known for word in _spellings(each)}
    matches = difflib.get_close_matches(folded(name), list(by_word), n=1, cutoff=0.5)
    return by_word[matches[0]] if matches else None


def same_named(name: str, known: Collection[str]) -> str | None:
    """Return the known name that matches this one for `full_name`, in its full or short form, or None."""
    return next((each for each in known if not _spellings(name).isdisjoint(_spellings(each))), None)


def folded(name: str) -> str:
    """Normalize a name: case, spaces, and the encoding of accents don't matter."""
    return " ".join(unicodedata.normalize("NFC", name.casefold()).split())


def _spellings(name: str) -> frozenset[str]:
    match = KOKORO_NAME.fullmatch(name)
    return frozenset({folded(name), folded(match["short"])} if match else {folded(name)})


def _title(name: str) -> str:
    match = KOKORO_NAME.fullmatch(name)
    return match["short"].capitalize() if match else name
