"""Random utterances, and the values of every stage for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.config import ModelConfig
from engine.runtime.runners.base import COUNTS, Runner
from engine.runtime.runners.host import HostRunner
from engine.speech import Array
from engine.stages import STAGES, Axis, StagePlace, Tensor

Values = dict[str, Array]


def opening(config: ModelConfig, token_counts: Sequence[int], speed: float = 1.0, seed: int = 0) -> Values:
    """The inputs of the first stages, for a batch of these token counts; the padding is arbitrary."""
    generator = np.random.default_rng([seed, *token_counts])
    batch, longest = len(token_counts), max(token_counts)
    timbre, prosody = 0.1 * generator.standard_normal((2, batch, config.style_dim), dtype=np.float32)
    return {
        "tokens": generator.integers(1, config.n_token, (batch, longest), dtype=np.int32),
        "token_count": np.array(token_counts, np.int32),
        "timbre": timbre,
        "prosody": prosody,
        "speed": np.full(batch, speed, np.float32),
    }


def noise_for(config: ModelConfig, frames: int, batch: int = 1) -> Array:
    """The source's noise: the same for a frame regardless of the number of frames."""
    shape = (batch, frames, config.samples_per_frame, config.harmonic_count)
    return np.random.default_rng(0).standard_normal((shape[0], 400, *shape[2:]), dtype=np.float32)[:, :frames]


def all_values(config: ModelConfig, runner: Runner, start: Mapping[str, Array]) -> Values:
    """Every stage in order, each fed by the ones before it."""
    values, host = dict(start), HostRunner(config)
    for stage in STAGES:
        chosen = host if stage.runs_on is StagePlace.HOST else runner
        values.update(chosen.run_stage(stage, {tensor.name: values[tensor.name] for tensor in stage.inputs}))
        if stage.runs_on is StagePlace.HOST:
            batch, frames = values["frame_token"].shape
            values.setdefault("source_noise", noise_for(config, frames, batch))
    return values


def sequence(config: ModelConfig, tensor: Tensor, values: Mapping[str, Array], index: int) -> Array:
    """One sequence's array without its padding, as a batch of one."""
    lengths = {axis: int(values[count][index]) for axis, count in COUNTS.items() if count in values}
    places = (slice(axis.extent(config, lengths)) if isinstance(axis, Axis) else slice(None) for axis in tensor.axes)
    return values[tensor.name][index][tuple(places)][None]


def correlation(ours: Array, theirs: Array) -> float:
    """Pearson's correlation; of two constants, 1 when they are close."""
    a, b = (np.asarray(array, np.float64).ravel() for array in (ours, theirs))
    a, b = a - a.mean(), b - b.mean()
    norms = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / norms) if norms else float(np.allclose(ours, theirs, atol=1e-5))
