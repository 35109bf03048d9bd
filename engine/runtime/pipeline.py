"""Runs one utterance through `STAGES`: named arrays in, named arrays out, one event per stage."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.config import ModelConfig
from engine.runners.base import Runner
from engine.speech import Array, Event, Speech, StageEvent, Style, Utterance
from engine.stages import STAGES, Place, Stage
from engine.system.aligned_arrays import aligned_empty
from engine.system.waiting import raise_if_set

BORDER_TOKEN = 0
"""Kokoro's token before the first phoneme and after the last one."""
FIRST_PHONEME = 1
"""The index of the first phoneme among the tokens."""

Observer = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Do nothing: the default observer."""


@dataclass(frozen=True)
class Step:
    """The run of one stage: its inputs, its outputs (read-only), and its time."""

    stage: Stage
    inputs: Mapping[str, Array] = field(repr=False)
    outputs: Mapping[str, Array] = field(repr=False)
    seconds: float


class Pipeline:
    """Runs the stages in order, with one runner for each `Place`."""

    def __init__(self, config: ModelConfig, runners: Mapping[Place, Runner]) -> None:
        self._config = config
        self._runners = runners

    def speak(
        self,
        utterance: Utterance,
        style: Style,
        speed: float,
        seed: int,
        observe: Observer = ignore,
        cancel: threading.Event | None = None,
    ) -> Speech:
        """Return the raw audio of one utterance. Raises `Cancelled` between stages once `cancel` is set.

        The noise depends only on `seed` and the phonemes, so the samples of an utterance are independent of its
        position.
        """
        for step in self.steps(utterance, style, speed, seed):
            outputs = step.outputs
            if "frame_token" in outputs:
                edges = phoneme_edges(self._config, outputs["frame_token"][0], len(utterance.phonemes))
            observe(StageEvent(utterance.index, step.stage.name, step.seconds, outputs))
            del step  # and its inputs with it: the next stage needs the memory
            raise_if_set(cancel, "Speech stopped.")
        return Speech(np.asarray(outputs["audio"][0], np.float32), edges)

    def steps(self, utterance: Utterance, style: Style, speed: float, seed: int) -> Iterator[Step]:
        """Yield the stages in order.

        Each stage runs when its step is requested; only arrays that later stages read are retained.
        """
        values = initial_values(self._config, utterance.phonemes, style, speed)
        for index, stage in enumerate(STAGES):
            step = self.step(stage, {tensor.name: values[tensor.name] for tensor in stage.inputs})
            values.update(step.outputs)
            if "frame_count" in step.outputs:
                frame_count = int(step.outputs["frame_count"][0])
                values["source_noise"] = source_noise(self._config, frame_count, noise_seed(seed, utterance.phonemes))
            wanted = {tensor.name for later in STAGES[index + 1 :] for tensor in later.inputs}
            values = {name: array for name, array in values.items() if name in wanted}
            yield step
            del step

    def step(self, stage: Stage, inputs: Mapping[str, Array]) -> Step:
        """Run a single stage, on any inputs."""
        started = time.perf_counter()
        outputs = self._runners[stage.runs_on].run(stage, inputs)
        seconds = time.perf_counter() - started
        for array in outputs.values():
            array.flags.writeable = False
        return Step(stage, inputs, outputs, seconds)

    def close(self) -> None:
        """Close the runners."""
        for runner in self._runners.values():
            runner.close()


def encode(phonemes: str, vocab: Mapping[str, int]) -> NDArray[np.int32]:
    """Encode phonemes as token numbers [tokens] with a border token at both ends.

    Raises `KeyError` for a symbol not in `vocab`.
    """
    return np.array([BORDER_TOKEN, *(vocab[symbol] for symbol in phonemes), BORDER_TOKEN], np.int32)


def initial_values(config: ModelConfig, phonemes: str, style: Style, speed: float) -> dict[str, Array]:
    """Return the input arrays of the first stages, as a batch of one."""
    tokens = encode(phonemes, config.vocab)[None]
    return {
        "tokens": tokens,
        "token_count": np.array([tokens.shape[1]], np.int32),
        "timbre": style.timbre[None].astype(np.float32),
        "prosody": style.prosody[None].astype(np.float32),
        "speed": np.array([speed], np.float32),
    }


def phoneme_edges(config: ModelConfig, frame_token: Array, phoneme_count: int) -> NDArray[np.int64]:
    """Return the start of each phoneme, and the end of the last one, in samples: see `Speech`.

    `frame_token` [frames] never decreases.
    """
    frames = np.searchsorted(frame_token, np.arange(FIRST_PHONEME, FIRST_PHONEME + phoneme_count + 1))
    return np.asarray(frames * config.samples_per_frame, np.int64)


def noise_seed(seed: int, phonemes: str) -> list[int]:
    """Return the seed of an utterance's noise, which also depends on the phonemes."""
    return [seed, *hashlib.sha256(phonemes.encode()).digest()]


def source_noise(config: ModelConfig, frame_count: int, seed: list[int]) -> NDArray[np.float32]:
    """Return standard normal noise [1, frames, samples_per_frame, harmonics] for the source, equal for equal seeds."""
    shape = (1, frame_count, config.samples_per_frame, config.harmonic_count)
    noise = aligned_empty(shape, np.float32)
    return np.random.default_rng(seed).standard_normal(dtype=np.float32, out=noise)
