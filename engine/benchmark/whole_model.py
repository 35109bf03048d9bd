"""Times a peer that is a whole model in one file, and predicts the durations itself: it has no stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

import numpy as np

from engine.benchmark.stage_timing import Part, Parts
from engine.config import ModelConfig
from engine.errors import EngineError
from engine.speech import Array

WHOLE_MODEL = "whole model"
"""The only part of such a peer, in place of stages."""
NEAR_ENOUGH = 0.01
"""The search ends at a speed whose audio is off by no more than this share of the length."""
_TRIALS = 8
_MOST_OFF = 0.1
"""The nearest speed is refused when its audio is off by more than this share."""


class WholeModel(Protocol):
    """A model that makes audio from tokens."""

    def run(self, tokens: Array, style: Array, speed: float) -> Array:
        """The audio [samples] of tokens [1, tokens] and a style [1, timbre and prosody]."""


def whole_model_parts(model: WholeModel, config: ModelConfig) -> Parts:
    """The model as one part to time, at the speed at which it speaks about as long as an utterance is."""

    def parts(values: Mapping[str, Array]) -> dict[str, Part]:
        style = np.concatenate([values["timbre"], values["prosody"]], axis=1)
        run = partial(model.run, values["tokens"], style)
        frames = int(values["frame_count"][0])
        speed, reached = fitted_speed(lambda speed: frames_of(run(speed), config), frames)
        return {WHOLE_MODEL: Part(partial(run, speed), reached / frames)}

    return parts


def frames_of(audio: Array, config: ModelConfig) -> int:
    """How many frames the audio [samples] has; raises `EngineError` for audio that is not finite, or has none."""
    frames = round(len(audio) / config.samples_per_frame)
    if frames < 1 or not np.isfinite(audio).all():
        raise EngineError("The whole model's audio is empty, or not finite.", "Install or download it again.")
    return frames


def fitted_speed(frames_at: Callable[[float], int], wanted: int) -> tuple[float, int]:
    """A speed with about the wanted number of frames, and the number of frames at that speed.

    Durations are rounded and at least one frame long, so frames are not quite inverse to the speed: it is corrected
    until they are near enough. Raises `EngineError` when no speed comes near.
    """
    speed, best = 1.0, (1.0, 0)
    for _ in range(_TRIALS):
        frames = frames_at(speed)
        best = min(best, (speed, frames), key=lambda trial: abs(trial[1] - wanted))
        if abs(frames - wanted) <= NEAR_ENOUGH * wanted:
            break
        speed *= frames / wanted
    if abs(best[1] - wanted) > _MOST_OFF * wanted:
        raise EngineError(f"The whole model speaks {best[1]} frames where {wanted} are wanted.", "Leave it out.")
    return best
