"""The starter must be Kokoro's graph at Kokoro's rates, small enough to ship."""

from __future__ import annotations

import json

import pytest
import torch

from engine.config import ModelConfig
from engine.network.architecture import build_network
from engine.system.paths import resources_folder, starter_folder
from engine.training.starter.training import starter_config

LARGEST_BYTES = 15_000_000
BYTES_PER_HALF = 2


@pytest.fixture(scope="module")
def kokoro() -> ModelConfig:
    return ModelConfig.load(resources_folder() / "kokoro-82m" / "config.json")


def test_rates_and_vocabulary_are_kokoros(kokoro: ModelConfig) -> None:
    config = starter_config(kokoro.vocab)
    assert config.samples_per_frame == kokoro.samples_per_frame
    assert config.harmonics_channels == kokoro.harmonics_channels
    assert (config.vocab, config.n_token) == (kokoro.vocab, kokoro.n_token)
    assert (config.style_dim, config.token_limit) == (kokoro.style_dim, kokoro.token_limit)


def test_network_fits_the_shipped_size(kokoro: ModelConfig) -> None:
    with torch.device("meta"):
        network = build_network(starter_config(kokoro.vocab))
    assert BYTES_PER_HALF * sum(tensor.numel() for tensor in network.state_dict().values()) < LARGEST_BYTES


def test_shipped_package_has_this_architecture_and_size(kokoro: ModelConfig) -> None:
    shipped = json.loads((starter_folder() / "config.json").read_text(encoding="utf-8"))
    assert ModelConfig.from_dict(shipped) == starter_config(kokoro.vocab)
    assert sum(path.stat().st_size for path in starter_folder().iterdir()) <= LARGEST_BYTES
