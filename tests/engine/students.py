"""Students with random weights, for any model."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from engine.config import ModelConfig
from engine.models.checkpoints import open_checkpoint
from engine.models.store import ModelStore
from engine.network.student import student_from
from engine.network.student_file import Students, save_students
from engine.network.weights import Weights

SMALL = {"width": 8, "heads": 2, "layers": 1, "kernel": 3, "corrections": 2, "doublings": 2}


def architectures(config: ModelConfig, places: str = "*", **sizes: int) -> dict[str, dict[str, int]]:
    """Return the architecture of a student for each LSTM whose path matches `places`."""
    channels, hidden = config.prosody_channels, config.hidden_dim
    layers = {f"predictor.text_encoder.lstms.{2 * layer}": channels for layer in range(config.n_layer)}
    inputs = {**layers, "predictor.lstm": channels, "predictor.shared": channels, "text_encoder.lstm": hidden}
    return {
        path: {"inputs": count, "units": hidden // 2, **SMALL, **sizes}
        for path, count in inputs.items()
        if fnmatch.fnmatch(path, places)
    }


def own_weights(built_from: Mapping[str, Mapping[str, Any]], seed: int = 0) -> Weights:
    """Return random weights of the students alone, by state-dict key of the whole network."""
    weights: Weights = {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for path, architecture in built_from.items():
            taught = student_from(architecture).taught
            weights |= {f"{path}.{name}": value.detach().numpy() for name, value in taught.items()}
    return weights


def save_random(path: Path, config: ModelConfig, teacher: str, places: str = "*", **sizes: int) -> Students:
    """Save a file of random students."""
    built_from = architectures(config, places, **sizes)
    return save_students(path, teacher, built_from, own_weights(built_from), {})


@contextmanager
def students_installed(model: str = "starter", places: str = "*", **sizes: int) -> Iterator[Students]:
    """Give a model random students while the context lasts."""
    checkpoint = open_checkpoint(model)
    path = ModelStore().students_file(model)
    try:
        yield save_random(path, checkpoint.config, checkpoint.identity, places, **sizes)
    finally:
        path.unlink(missing_ok=True)
