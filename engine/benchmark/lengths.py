"""Lengths of audio to measure at: exactly so many frames, and the tokens that go with them.

It does not know what is measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.config import ModelConfig
from engine.errors import InvalidRequest

DEFAULT_SECONDS = (2.0, 10.0, 30.0)
PLOT_SECONDS = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0)
FRAMES_PER_TOKEN = 3
"""Tokens of speech last 2 to 4 frames."""
_LEAST_FRAMES = 4
"""Upstream's normalisations and reflections take no less."""


@dataclass(frozen=True)
class Length:
    """One utterance: so many frames of speech from so many tokens, the two border tokens included."""

    frames: int
    tokens: int
    seconds: float


def exact_length(seconds: float, config: ModelConfig) -> Length:
    """The length nearest to `seconds` in whole frames; with more speech than tokens can be had for, tokens last longer.

    Raises `InvalidRequest` for what the model cannot speak in one utterance.
    """
    most = config.token_limit * config.max_dur / config.frames_per_second
    least = _LEAST_FRAMES / config.frames_per_second
    if not (math.isfinite(seconds) and least <= seconds <= most):
        raise InvalidRequest(
            f"{seconds:g} seconds is no length of an utterance.", f"Take one from {least:g} to {most:.0f} seconds."
        )
    frames = round(seconds * config.frames_per_second)
    tokens = min(max(2, round(frames / FRAMES_PER_TOKEN)), config.token_limit)
    return Length(frames, tokens, frames / config.frames_per_second)
