"""American voices of the bundled model for tests to speak with, independent of their names."""

from __future__ import annotations

from engine.models.checkpoints import starter_voices
from engine.text.languages import AMERICAN


def _first(gender: str) -> str:
    return next(voice.name for voice in starter_voices() if (voice.gender, voice.language) == (gender, AMERICAN.tag))


FEMALE, MALE = _first("female"), _first("male")
