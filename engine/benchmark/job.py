"""The settings that all processes of a benchmark share: model, weights, threads, lengths of audio, and files."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from engine.compiler.artifacts.manifest import CPU_DEVICE
from engine.config import FRAMES_PER_TOKEN, ModelConfig
from engine.errors import InvalidRequest
from engine.models.checkpoints import model_config
from engine.runtime.preparation.devices import AUTO
from engine.system.paths import data_folder

_NAME = "job.json"
_KOKORO_ONNX_NAME = "kokoro-82m-8bit.onnx"
STAGE_SECONDS = 0.5
"""The minimum time per stage: a single run of a few milliseconds would depend on the state of caches and clock, or be
interrupted."""
WARM_UP_SECONDS = 10.0
"""The warm-up time; below it, a process can be up to 1.7 times slower."""


@dataclass(frozen=True)
class BenchmarkJob:
    """One benchmark; `weights` is written as on the command line, `device` is the device of our own modules.

    `lstm_method` is their LSTM method there, except for the command `speak`, which chooses its own. In a round, a
    process runs each stage repeatedly for `stage_seconds`, at least once. Before the first round it runs all of them
    once, and then repeatedly for `warm_up_seconds`.
    """

    model: str
    weights: str | None
    threads: int
    stage_seconds: float = STAGE_SECONDS
    warm_up_seconds: float = WARM_UP_SECONDS
    device: str = CPU_DEVICE
    lstm_method: str = AUTO

    @property
    def config(self) -> ModelConfig:
        """The architecture of the model."""
        return model_config(self.model)

    @property
    def on_processor(self) -> BenchmarkJob:
        """The same job on the CPU."""
        return replace(self, device=CPU_DEVICE, lstm_method=AUTO)

    def save(self, folder: Path) -> None:
        """Write the job into a folder, for `load`."""
        (folder / _NAME).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> BenchmarkJob:
        """Load the job that `save` wrote into a folder."""
        return cls(**json.loads((folder / _NAME).read_text(encoding="utf-8")))


def weights_path(folder: Path) -> Path:
    """Return the path of the peers' weights; ours are mapped from the cache."""
    return folder / "weights.safetensors"


def onnx_folder(folder: Path) -> Path:
    """Return the folder of the stages exported to ONNX."""
    return folder / "onnx"


def utterance_path(folder: Path, frames: int) -> Path:
    """Return the path of the arrays of the utterance with `frames` frames."""
    return folder / f"utterance-{frames}.npz"


def kokoro_onnx_path() -> Path:
    """Return the path of kokoro-onnx's own 8-bit file on this machine, where it may be missing."""
    return data_folder() / _KOKORO_ONNX_NAME


_MIN_FRAMES = 4
"""The minimum number of frames that the upstream model's normalizations and reflections accept."""


@dataclass(frozen=True)
class Length:
    """The length of an utterance: frames, tokens (including the two border tokens), seconds of audio."""

    frames: int
    tokens: int
    seconds: float


def exact_length(seconds: float, config: ModelConfig) -> Length:
    """Return the length nearest to `seconds` in whole frames; beyond the token limit, each token lasts longer.

    Raises `InvalidRequest` for a length that the model cannot speak in one utterance.
    """
    max_seconds = config.token_limit * config.max_dur / config.frames_per_second
    min_seconds = _MIN_FRAMES / config.frames_per_second
    if not (math.isfinite(seconds) and min_seconds <= seconds <= max_seconds):
        raise _not_a_length(seconds, f"Choose {min_seconds:g} to {max_seconds:.0f} seconds.")
    frames = round(seconds * config.frames_per_second)
    tokens = min(max(2, round(frames / FRAMES_PER_TOKEN)), config.token_limit)
    return Length(frames, tokens, frames / config.frames_per_second)


def natural_length(seconds: float, config: ModelConfig) -> Length:
    """Return the length nearest to `seconds` in whole frames, with tokens as long as in natural speech.

    Raises `InvalidRequest` for a length of less than one token, or of more tokens than the model accepts.
    """
    frames = round(seconds * config.frames_per_second)
    tokens = round(frames / FRAMES_PER_TOKEN)
    if tokens < 1 or tokens > config.token_limit:
        max_seconds = config.token_limit * FRAMES_PER_TOKEN / config.frames_per_second
        raise _not_a_length(seconds, f"Choose up to {max_seconds:.0f} seconds.")
    return Length(frames, tokens, frames / config.frames_per_second)


def _not_a_length(seconds: float, hint: str) -> InvalidRequest:
    return InvalidRequest(f"An utterance can’t be {seconds:g} seconds long.", hint)
