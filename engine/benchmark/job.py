"""What all processes of a benchmark agree on: the model, its weights, the threads, and where the shared files are.

It does not know who measures what.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.config import ModelConfig
from engine.model_store.checkpoints import model_config

_NAME = "job.json"
STAGE_SECONDS = 0.5
"""A single run of some milliseconds would find caches and clock as others left them, or lose its processor half-way."""
WARM_UP_SECONDS = 10.0
"""A process can compute up to 1.7 times slower until it has worked for so long."""


@dataclass(frozen=True)
class Job:
    """One benchmark; `weights` is as on the command line.

    In a turn, a process runs each stage again and again for `stage_seconds`, once at least. Before its first turn it
    has run all of them once, and then for `warm_up_seconds`.
    """

    model: str
    weights: str | None
    threads: int
    stage_seconds: float = STAGE_SECONDS
    warm_up_seconds: float = WARM_UP_SECONDS

    @property
    def config(self) -> ModelConfig:
        """The architecture of the model."""
        return model_config(self.model)

    def save(self, folder: Path) -> None:
        """Write it where `load` finds it."""
        (folder / _NAME).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Job:
        """What `save` wrote."""
        return cls(**json.loads((folder / _NAME).read_text(encoding="utf-8")))


def weights_path(folder: Path) -> Path:
    """The weights that the peers are given; ours are mapped from the cache."""
    return folder / "weights.safetensors"


def onnx_folder(folder: Path) -> Path:
    """The exported stages."""
    return folder / "onnx"


def utterance_path(folder: Path, frames: int) -> Path:
    """The arrays of the utterance with so many frames."""
    return folder / f"utterance-{frames}.npz"
