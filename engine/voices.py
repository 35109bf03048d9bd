"""Voice packs: which voices a model has, and the style of a voice for a number of phonemes.

It does not know the model that speaks with them.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import UnknownVoice
from engine.speech import Style, VoiceInfo

LANGUAGES = {"a": "en-US", "b": "en-GB"}
"""The first letter of a Kokoro voice name."""
GENDERS = {"f": "female", "m": "male"}
"""The second letter of a Kokoro voice name."""


@dataclass(frozen=True)
class Voice:
    """A voice pack: `table` [rows, 1, 2 * style_dim]; row n - 1 is the style for n phonemes, timbre before prosody."""

    info: VoiceInfo
    table: NDArray[np.float32]

    def style(self, phoneme_count: int) -> Style:
        """The style for this many phonemes; a pack with fewer rows uses its last."""
        row = self.table[min(max(phoneme_count, 1), len(self.table)) - 1, 0].astype(np.float32)
        middle = len(row) // 2
        return Style(timbre=row[:middle], prosody=row[middle:])


def describe(name: str) -> VoiceInfo:
    """What a Kokoro-style name such as `af_heart` says of the voice."""
    kind, _, title = name.partition("_")
    language = LANGUAGES.get(kind[:1], "en-US")
    return VoiceInfo(name, (title or name).capitalize(), language, GENDERS.get(kind[1:2], ""))


def find(voices: Mapping[str, Voice], name: str) -> Voice:
    """The voice of this name; raises `UnknownVoice` with the known names and the nearest one."""
    if name in voices:
        return voices[name]
    raise UnknownVoice(name, tuple(voices), _nearest(name, voices))


def _nearest(name: str, voices: Mapping[str, Voice]) -> str | None:
    by_word = {word: known for known in voices for word in (known.lower(), known.partition("_")[2].lower())}
    matches = difflib.get_close_matches(name.lower(), list(by_word), n=1, cutoff=0.5)
    return by_word[matches[0]] if matches else None
