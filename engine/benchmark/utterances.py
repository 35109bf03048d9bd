"""Random utterances of exact lengths: all input arrays of the stages, computed by one runner's chain of stages.

All runners are then measured on the same arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engine.benchmark.job import Length
from engine.config import ModelConfig
from engine.runtime.pipeline import source_noise
from engine.runtime.runners.base import Runner
from engine.speech import Array
from engine.stages import STAGES, Stage, StagePlace
from engine.system.aligned_arrays import aligned_copy

STYLE_SCALE = 0.1
"""The approximate size of the entries of Kokoro's voices."""
SEED = 0


def make_utterance(config: ModelConfig, length: Length, runner: Runner) -> dict[str, Array]:
    """Return all arrays between the stages, by name, batch of one: random tokens and style, and the resulting arrays.

    The alignment is not the predicted one: all tokens are equally long, so that the number of frames is exact.
    """
    values = _given(config, length, np.random.default_rng(SEED))
    for stage in STAGES:
        if stage.runs_on is StagePlace.DEVICE:
            values.update(runner.run_stage(stage, inputs_of(stage, values)))
        else:
            values.update(even_alignment(length))
    return values


def even_alignment(length: Length) -> dict[str, Array]:
    """Return the token of each frame [1, frames], with all tokens equally long, and the number of frames [1]."""
    frame_token = np.arange(length.frames, dtype=np.int64) * length.tokens // length.frames
    return {"frame_token": frame_token[None].astype(np.int32), "frame_count": np.array([length.frames], np.int32)}


def inputs_of(stage: Stage, values: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays that are inputs of a stage."""
    return {tensor.name: values[tensor.name] for tensor in stage.inputs}


def save_utterance(path: Path, values: Mapping[str, Array]) -> None:
    """Write the arrays into an `.npz` file."""
    with path.open("wb") as stream:
        np.savez(stream, **values)  # type: ignore[arg-type]


def load_utterance(path: Path) -> dict[str, Array]:
    """Load the arrays of an `.npz` file; the noise is aligned for compiled code, like that of `source_noise`."""
    with np.load(path) as stored:
        values = {name: np.ascontiguousarray(stored[name]) for name in stored.files}
    values["source_noise"] = aligned_copy(values["source_noise"])
    return values


def _given(config: ModelConfig, length: Length, random: np.random.Generator) -> dict[str, Array]:
    style = random.standard_normal((2, 1, config.style_dim), np.float32) * np.float32(STYLE_SCALE)
    return {
        "tokens": random.integers(1, config.n_token, (1, length.tokens), np.int32),
        "token_count": np.array([length.tokens], np.int32),
        "timbre": style[0],
        "prosody": style[1],
        "source_noise": source_noise(config, length.frames, [SEED, 0]),
    }
