"""The stage that runs on the host, in NumPy: it converts durations to frames."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.config import ModelConfig
from engine.runtime.runners.base import check_inputs
from engine.speech import Array
from engine.stages import Stage


class HostRunner:
    """Runs the stage `alignment`; needs no model."""

    def __init__(self, config: ModelConfig) -> None:
        self._config = config

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run_stage`."""
        check_inputs(self._config, stage, inputs)
        frame_token, frame_count = align(inputs["duration_logits"], inputs["token_count"], inputs["speed"])
        return {"frame_token": frame_token, "frame_count": frame_count}

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


def align(logits: Array, token_count: Array, speed: Array) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the token of each frame, [batch, frames] padded with 0, and the number of frames, [batch].

    `logits` [batch, tokens, max_dur], `token_count` [batch], `speed` [batch].
    """
    sequences = [
        np.repeat(np.arange(count, dtype=np.int32), durations(logits[index, :count], float(speed[index])))
        for index, count in enumerate(token_count)
    ]
    frame_count = np.array([len(sequence) for sequence in sequences], np.int32)
    frame_token = np.zeros((len(sequences), frame_count.max()), np.int32)
    for row, sequence in zip(frame_token, sequences, strict=True):
        row[: len(sequence)] = sequence
    return frame_token, frame_count


def durations(logits: Array, speed: float) -> NDArray[np.int64]:
    """Return the frames per token [tokens], at least 1: `unrounded_durations`, rounded half to even."""
    return np.asarray(np.maximum(np.rint(unrounded_durations(logits, speed)), 1), np.int64)


def unrounded_durations(logits: Array, speed: float) -> NDArray[np.float64]:
    """Return the frames per token [tokens] before rounding: the sum of the logits' sigmoids, divided by the speed.

    `logits` [tokens, max_dur]; the formula of kokoro's `KModel.forward_with_tokens`, in float64.
    """
    chances = 0.5 * (1 + np.tanh(0.5 * logits.astype(np.float64)))
    return np.asarray(chances.sum(axis=1) / speed, np.float64)
