"""Runs one utterance through `STAGES`: named arrays in, named arrays out, one event per stage."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.config import ModelConfig
from engine.runtime.edited_curves import FIRST_TOKEN, passed_on
from engine.runtime.runners.base import Runner
from engine.speech import Array, Contours, Event, Speech, StageEvent, Style, Utterance
from engine.stages import STAGES, Stage, StagePlace
from engine.system.aligned_arrays import aligned_empty
from engine.system.waiting import raise_if_set

BORDER_TOKEN = 0
"""Kokoro's token before the first phoneme and after the last one."""
CACHE_BYTES = 64_000_000
"""The stages of some 30 s of edited speech."""

Observer = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Do nothing: the default observer."""


@dataclass(frozen=True)
class Step:
    """The run of one stage: its inputs, its outputs (read-only), and its time.

    `passed_on` are the outputs as later stages get them, with the user's edits. A `reused` step did not run, because
    its outputs for equal inputs were cached.
    """

    stage: Stage
    inputs: Mapping[str, Array] = field(repr=False)
    outputs: Mapping[str, Array] = field(repr=False)
    seconds: float
    passed_on: Mapping[str, Array] = field(repr=False)
    reused: bool = False


class StageCache:
    """The outputs of stages by their inputs; the least recently used ones leave when `max_bytes` are exceeded."""

    def __init__(self, max_bytes: int = CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._outputs: OrderedDict[bytes, Mapping[str, Array]] = OrderedDict()

    def outputs_of(
        self, stage: Stage, inputs: Mapping[str, Array], compute: Callable[[], Mapping[str, Array]]
    ) -> tuple[Mapping[str, Array], bool]:
        """The outputs for these inputs, and whether they were here; otherwise `compute` returns them."""
        digest = hashlib.blake2b(stage.name.encode(), digest_size=16)
        for tensor in stage.inputs:
            array = inputs[tensor.name]
            digest.update(repr(array.shape).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        key = digest.digest()
        if found := key in self._outputs:
            self._outputs.move_to_end(key)
        else:
            self._outputs[key] = compute()
            self._make_room()
        return self._outputs[key], found

    def _make_room(self) -> None:
        sizes = {key: sum(array.nbytes for array in outputs.values()) for key, outputs in self._outputs.items()}
        while len(self._outputs) > 1 and sum(sizes.values()) > self._max_bytes:
            key, _ = self._outputs.popitem(last=False)
            del sizes[key]


class Pipeline:
    """Runs the stages in order, with one runner for each `StagePlace`.

    Stages of utterances with edits run only if their inputs have changed.
    """

    def __init__(self, config: ModelConfig, runners: Mapping[StagePlace, Runner]) -> None:
        self._config = config
        self._runners = runners
        self._edited = StageCache()

    def speak(
        self,
        utterance: Utterance,
        style: Style,
        speed: float,
        seed: int,
        observe: Observer = ignore,
        cancel: threading.Event | None = None,
    ) -> Speech:
        """Return the raw audio of one utterance. Raises `Canceled` between stages once `cancel` is set.

        The noise depends only on `seed` and the phonemes, so the samples of an utterance are independent of its
        position.
        """
        cache = None if utterance.edit is None else self._edited
        for step in self.steps(utterance, style, speed, seed, cache):
            outputs = step.passed_on
            if "frame_token" in outputs:
                edges = phoneme_edges(self._config, outputs["frame_token"][0], len(utterance.phonemes))
            if not step.reused:
                observe(StageEvent(utterance.index, step.stage.name, step.seconds, step.outputs))
            del step  # and its inputs with it: the next stage needs the memory
            raise_if_set(cancel, "Speech stopped.")
        return Speech(np.asarray(outputs["audio"][0], np.float32), edges)

    def contours(self, utterance: Utterance, style: Style, speed: float, seed: int) -> Contours:
        """Return the durations, pitch and energy that the model predicts for an utterance, and the edited ones."""
        token = slice(FIRST_TOKEN, FIRST_TOKEN + len(utterance.phonemes))
        for step in self.steps(utterance, style, speed, seed, self._edited):
            both = step.outputs, step.passed_on
            if "frame_token" in step.outputs:
                model_frames, frames = (np.bincount(each["frame_token"][0])[token] for each in both)
                lead = int(np.count_nonzero(step.passed_on["frame_token"][0] < FIRST_TOKEN))
            elif "f0" in step.outputs:
                model_pitch, pitch = (np.asarray(each["f0"], np.float32).reshape(-1) for each in both)
                model_energy, energy = (np.asarray(each["energy"], np.float32).reshape(-1) for each in both)
                break
        fps = self._config.frames_per_second
        return Contours(model_frames, frames, model_pitch, pitch, model_energy, energy, fps, lead)

    def steps(
        self, utterance: Utterance, style: Style, speed: float, seed: int, cache: StageCache | None = None
    ) -> Iterator[Step]:
        """Yield the stages in order.

        Each stage runs when its step is requested; only arrays that later stages read are retained.
        """
        values = initial_values(self._config, utterance.phonemes, style, speed)
        for index, stage in enumerate(STAGES):
            step = self.step(stage, {tensor.name: values[tensor.name] for tensor in stage.inputs}, utterance, cache)
            values.update(step.passed_on)
            if "frame_count" in step.outputs:
                frame_count = int(values["frame_count"][0])
                values["source_noise"] = source_noise(self._config, frame_count, noise_seed(seed, utterance.phonemes))
            wanted = {tensor.name for later in STAGES[index + 1 :] for tensor in later.inputs}
            values = {name: array for name, array in values.items() if name in wanted}
            yield step
            del step

    def step(
        self,
        stage: Stage,
        inputs: Mapping[str, Array],
        utterance: Utterance | None = None,
        cache: StageCache | None = None,
    ) -> Step:
        """Run a single stage, on any inputs, with the edits of an utterance, if given."""

        def compute() -> Mapping[str, Array]:
            outputs = self._runners[stage.runs_on].run_stage(stage, inputs)
            for array in outputs.values():
                array.flags.writeable = False
            return outputs

        started = time.perf_counter()
        outputs, reused = (compute(), False) if cache is None else cache.outputs_of(stage, inputs, compute)
        seconds = time.perf_counter() - started
        edited = passed_on(self._config, utterance, inputs, outputs)
        return Step(stage, inputs, outputs, seconds, edited, reused)

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
    """The samples at which phonemes begin and the last one ends, as in `Speech`; `frame_token` [frames] never falls."""
    frames = np.searchsorted(frame_token, np.arange(FIRST_TOKEN, FIRST_TOKEN + phoneme_count + 1))
    return np.asarray(frames * config.samples_per_frame, np.int64)


def noise_seed(seed: int, phonemes: str) -> list[int]:
    """Return the seed of an utterance's noise, which also depends on the phonemes."""
    return [seed, *hashlib.sha256(phonemes.encode()).digest()]


def source_noise(config: ModelConfig, frame_count: int, seed: list[int]) -> NDArray[np.float32]:
    """Return standard normal noise [1, frames, samples_per_frame, harmonics] for the source, equal for equal seeds."""
    shape = (1, frame_count, config.samples_per_frame, config.harmonic_count)
    noise = aligned_empty(shape, np.float32)
    return np.random.default_rng(seed).standard_normal(dtype=np.float32, out=noise)
