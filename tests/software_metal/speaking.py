"""A tiny model that speaks on the software device, and the input and output arrays of its stages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.runtime.pipeline import Pipeline, Step
from engine.runtime.runners.host import HostRunner
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.speech import Style, Utterance
from engine.stages import StagePlace
from tests.engine.tiny_model import TINY

SYMBOLS = "abcdefghij"


class TinySpeaker:
    """Speaks symbols of the tiny model's vocabulary with any weights."""

    def __init__(self, modules: Path, weights: dict[str, np.ndarray]) -> None:
        self.compiled = CompiledRunner(modules, TINY, weights)
        self._pipeline = Pipeline(TINY, {StagePlace.DEVICE: self.compiled, StagePlace.HOST: HostRunner(TINY)})
        generator = np.random.default_rng(0)
        self._style = Style(*(generator.standard_normal(TINY.style_dim).astype(np.float32) for _ in range(2)))

    def steps(self, symbols: int, speed: float = 1.0) -> Iterator[Step]:
        """Yield the stages of an utterance of `symbols` symbols."""
        utterance = Utterance(0, "", (SYMBOLS * symbols)[:symbols], 0, 0)
        return self._pipeline.steps(utterance, self._style, speed, seed=0)

    def speak(self, symbols: int, speed: float = 1.0) -> int:
        """Speak such an utterance; returns the number of frames."""
        frames = 0
        for step in self.steps(symbols, speed):
            frames = int(step.outputs.get("frame_count", [frames])[0])
        return frames

    def close(self) -> None:
        """Release everything."""
        self._pipeline.close()
