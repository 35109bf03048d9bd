"""Blocks are compiled if that is possible, and else left as they are."""

from __future__ import annotations

import pytest
import torch

from engine.config import ModelConfig
from engine.network.architecture import build_network
from engine.training.starter.trainer import compile_generator_blocks, without_compiling


def test_without_a_compiler_nothing_changes(narrow_config: ModelConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    network = build_network(narrow_config)
    assert not compile_generator_blocks(network)


def test_blocks_can_be_run_as_written(narrow_config: ModelConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: name)
    network = build_network(narrow_config)
    keys = list(network.state_dict())
    block = network.decoder.generator.resblocks[0]
    inputs = torch.zeros(1, block.convs1[0].in_channels, 30), torch.zeros(1, narrow_config.style_dim)
    expected = block(*inputs)
    assert compile_generator_blocks(network)
    assert list(network.state_dict()) == keys
    with without_compiling():
        assert torch.equal(block(*inputs), expected)
