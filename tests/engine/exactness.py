"""Runs the reference, upstream's own float32 and the compiled modules side by side, for the exactness tests.

The reference is Kokoro's own PyTorch modules, unpadded, with prosody and source in float64 (and the decoder, if there
are few frames) and the same noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.models.checkpoints import Checkpoint
from engine.network.random_weights import network_with
from engine.network.reference import Arithmetic, Reference
from engine.runtime.pipeline import encode, source_noise
from engine.runtime.runners.base import Runner
from engine.runtime.runners.host import HostRunner
from engine.runtime.runners.torch_runner import ReferenceRunner
from engine.speech import Array, Style
from engine.stages import STAGES, StagePlace
from engine.system.memory import keep_freed_memory

Values = dict[str, Array]


@dataclass(frozen=True)
class Bench:
    """One checkpoint run in three ways: reference, upstream, compiled; and the shared runner of the host stages."""

    checkpoint: Checkpoint
    truth: Runner
    upstream: Runner
    compiled: Runner
    host: HostRunner


def bench(checkpoint: Checkpoint, compiled: Runner) -> Bench:
    keep_freed_memory()  # otherwise a fifth of PyTorch's time is the system's, for pages
    network = network_with(checkpoint.config, checkpoint.load_weights())
    return Bench(
        checkpoint,
        ReferenceRunner(Reference(network, Arithmetic.FLOAT64)),
        ReferenceRunner(Reference(network, Arithmetic.UPSTREAM)),
        compiled,
        HostRunner(checkpoint.config),
    )


def request_values(bench: Bench, token_count: int, speed: float, seed: int = 0) -> Values:
    """Return random tokens, with a border at both ends if there is room for it."""
    generator = np.random.default_rng([token_count, seed])
    tokens = generator.choice(sorted(bench.checkpoint.config.vocab.values()), token_count).astype(np.int32)
    tokens[[0, -1]] = 0
    voice = next(iter(bench.checkpoint.voices.values()))
    return _values(tokens, voice.style(max(1, token_count - 2)), speed)


def spoken_values(bench: Bench, phonemes: str, speed: float = 1.0, voice: str = "af_heart") -> Values:
    """Return phonemes as model inputs, with a border at both ends."""
    style = bench.checkpoint.voices[voice].style(len(phonemes))
    return _values(encode(phonemes, bench.checkpoint.config.vocab), style, speed)


def _values(tokens: Array, style: Style, speed: float) -> Values:
    return {
        "tokens": tokens[None],
        "token_count": np.array([len(tokens)], np.int32),
        "timbre": style.timbre[None],
        "prosody": style.prosody[None],
        "speed": np.array([speed], np.float32),
    }


def run_all(bench: Bench, runner: Runner, start: Values) -> Values:
    """Run every stage in order, each on the outputs of the ones before it."""
    values = dict(start)
    for stage in STAGES:
        chosen = bench.host if stage.runs_on is StagePlace.HOST else runner
        values.update(chosen.run_stage(stage, {tensor.name: values[tensor.name] for tensor in stage.inputs}))
        if "frame_count" in values and "source_noise" not in values:
            values["source_noise"] = source_noise(bench.checkpoint.config, int(values["frame_count"][0]), [0, 0])
    return values


def reference_fed(bench: Bench, truth: Values) -> dict[str, float]:
    """Return the correlation of every isolated compiled output with the reference's."""
    correlations = {}
    for stage in STAGES:
        if stage.runs_on is StagePlace.DEVICE:
            outputs = bench.compiled.run_stage(stage, {tensor.name: truth[tensor.name] for tensor in stage.inputs})
            correlations.update({name: correlation(array, truth[name]) for name, array in outputs.items()})
    return correlations


def correlation(ours: Array, theirs: Array) -> float:
    """Return Pearson's correlation in float64; for two constants, 1 if they are equal."""
    a, b = (np.asarray(array, np.float64).ravel() for array in (ours, theirs))
    assert a.shape == b.shape
    assert np.isfinite(a).all()
    a, b = a - a.mean(), b - b.mean()
    norms = np.linalg.norm(a) * np.linalg.norm(b)
    return float(a @ b / norms) if norms else float(np.allclose(ours, theirs, atol=1e-5))


def durations(bench: Bench, values: Values) -> tuple[Array, Array]:
    """Return the unrounded and the rounded durations [tokens] in frames."""
    logits = values["duration_logits"][0].astype(np.float64)
    exact = (1 / (1 + np.exp(-logits))).sum(axis=-1) / float(values["speed"][0])
    counts = np.bincount(values["frame_token"][0], minlength=len(exact))
    return exact, counts
