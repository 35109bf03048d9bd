"""The network must be kokoro's own at kokoro's widths, and run at any other."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from kokoro.model import KModel

from engine.config import ModelConfig
from engine.network.architecture import Network, build_network

KOKORO_82M: dict[str, Any] = {
    "istftnet": {
        "upsample_kernel_sizes": [20, 12],
        "upsample_rates": [10, 6],
        "gen_istft_hop_size": 5,
        "gen_istft_n_fft": 20,
        "resblock_dilation_sizes": [[1, 3, 5], [1, 3, 5], [1, 3, 5]],
        "resblock_kernel_sizes": [3, 7, 11],
        "upsample_initial_channel": 512,
    },
    "dim_in": 64,
    "dropout": 0.2,
    "hidden_dim": 512,
    "max_conv_dim": 512,
    "max_dur": 50,
    "multispeaker": True,
    "n_layer": 3,
    "n_mels": 80,
    "n_token": 178,
    "style_dim": 128,
    "text_encoder_kernel_size": 5,
    "plbert": {
        "hidden_size": 768,
        "num_attention_heads": 12,
        "intermediate_size": 2048,
        "max_position_embeddings": 512,
        "num_hidden_layers": 12,
        "dropout": 0.1,
    },
    "vocab": {",": 3, ".": 4, " ": 16, "a": 43, "b": 44},
}


def narrow_config() -> ModelConfig:
    values = copy.deepcopy(KOKORO_82M)
    values.update(hidden_dim=32, n_layer=1)
    values["plbert"].update(hidden_size=32, num_attention_heads=2, intermediate_size=32, num_hidden_layers=1)
    values["istftnet"].update(
        upsample_initial_channel=16,
        resblock_kernel_sizes=[3],
        resblock_dilation_sizes=[[1, 3, 5]],
        decoder_dim=24,
        asr_res_dim=8,
    )
    return ModelConfig.from_dict(values)


@pytest.fixture
def empty_checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "empty.pth"
    torch.save({}, path)
    return path


def shapes(module: torch.nn.Module) -> dict[str, torch.Size]:
    return {key: tensor.shape for key, tensor in module.state_dict().items()}


def test_defaults_reproduce_kokoro(empty_checkpoint: Path) -> None:
    with torch.device("meta"):
        ours = build_network(ModelConfig.from_dict(KOKORO_82M))
        theirs = KModel(repo_id="hexgrad/Kokoro-82M", config=KOKORO_82M, model=str(empty_checkpoint))
    assert shapes(ours) == shapes(theirs)
    assert str(ours.decoder).replace("NetworkDecoder", "Decoder") == str(theirs.decoder)


def test_narrow_network_speaks_whole_frames() -> None:
    config = narrow_config()
    network = build_network(config)
    style = torch.zeros(1, 2 * config.style_dim)
    audio, durations = network.forward_with_tokens(torch.tensor([[0, 43, 44, 0]]), style)
    assert audio.shape == (int(durations.sum()) * config.samples_per_frame,)
    assert torch.isfinite(audio).all()


def test_widths_come_from_the_config() -> None:
    sizes = shapes(build_network(narrow_config()).decoder)
    assert sizes["encode.conv1.bias"] == (24,)
    assert sizes["asr_res.0.bias"] == (8,)
    assert sizes["decode.3.conv2.bias"] == (16,)


def test_built_network_is_ready_for_inference() -> None:
    network = build_network(narrow_config())
    assert isinstance(network, Network)
    assert not any(module.training for module in network.modules())


def test_what_torch_says_of_kokoros_own_modules_is_not_passed_on(tiny_config):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build_network(tiny_config)
