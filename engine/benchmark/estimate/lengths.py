"""Lengths of speech to measure or estimate at: whole frames, and the tokens that go with them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.config import FRAMES_PER_TOKEN, ModelConfig
from engine.errors import InvalidRequest

_LEAST_FRAMES = 4
"""Upstream's normalisations and reflections take no less."""


@dataclass(frozen=True)
class Length:
    """One utterance: frames of speech, tokens (the two border tokens included), seconds of audio."""

    frames: int
    tokens: int
    seconds: float


def exact_length(seconds: float, config: ModelConfig) -> Length:
    """The length nearest to `seconds` in whole frames; where the tokens run out, each of them lasts longer.

    Raises `InvalidRequest` for a length that the model cannot speak in one utterance.
    """
    most = config.token_limit * config.max_dur / config.frames_per_second
    least = _LEAST_FRAMES / config.frames_per_second
    if not (math.isfinite(seconds) and least <= seconds <= most):
        raise _not_a_length(seconds, f"Take one from {least:g} to {most:.0f} seconds.")
    frames = round(seconds * config.frames_per_second)
    tokens = min(max(2, round(frames / FRAMES_PER_TOKEN)), config.token_limit)
    return Length(frames, tokens, frames / config.frames_per_second)


def natural_length(seconds: float, config: ModelConfig) -> Length:
    """The length nearest to `seconds` in whole frames, with tokens that last as long as in speech.

    Raises `InvalidRequest` for a length that takes less than one token, or more tokens than the model has room for.
    """
    frames = round(seconds * config.frames_per_second)
    tokens = round(frames / FRAMES_PER_TOKEN)
    if tokens < 1 or tokens > config.token_limit:
        most = config.token_limit * FRAMES_PER_TOKEN / config.frames_per_second
        raise _not_a_length(seconds, f"Take one up to {most:.0f} seconds.")
    return Length(frames, tokens, frames / config.frames_per_second)


def _not_a_length(seconds: float, hint: str) -> InvalidRequest:
    return InvalidRequest(f"{seconds:g} seconds is not a possible length of an utterance.", hint)
