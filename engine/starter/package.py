"""The starter model's files as they are shipped: weights, config, voices, and a list of its contents.

`model.safetensors` holds the network's state dict (its own keys, weight normalisation kept) in float16;
`voices.safetensors` one table [1, 1, 2 x style_dim] per voice, timbre before prosody, for utterances of any length.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from engine.config import ModelConfig
from engine.network.architecture import Network, build_network
from engine.starter.symbols import stand_in_tokens
from engine.starter.voices import StarterVoice

MODEL_FILE, VOICES_FILE, CONFIG_FILE, CONTENTS_FILE = (
    "model.safetensors",
    "voices.safetensors",
    "config.json",
    "manifest.json",
)
READABLE = 0o644
EMBEDDINGS = ("bert.embeddings.word_embeddings.weight", "text_encoder.embedding.weight")


def write_package(
    folder: Path,
    network: Network,
    styles: Mapping[str, torch.Tensor],
    voices: Sequence[StarterVoice],
    trained_symbols: Collection[str],
) -> None:
    """Write the four files; `styles` gives each voice's vector [2 x style_dim]."""
    folder.mkdir(parents=True, exist_ok=True)
    state = with_stand_ins(network.state_dict(), network.config, trained_symbols)
    _save(folder / MODEL_FILE, {key: _half(tensor) for key, tensor in state.items()})
    _save(folder / VOICES_FILE, {voice.name: _half(styles[voice.name][None, None]) for voice in voices})
    _write_json(folder / CONFIG_FILE, network.config.to_dict())
    _write_json(folder / CONTENTS_FILE, package_contents(folder, voices))


def with_stand_ins(
    state: Mapping[str, torch.Tensor], config: ModelConfig, trained_symbols: Collection[str]
) -> dict[str, torch.Tensor]:
    """A state dict in which every untrained symbol has the embeddings of the nearest trained one."""
    changed = dict(state)
    stand_ins = stand_in_tokens(config.vocab, trained_symbols)
    for key in EMBEDDINGS:
        table = state[key].clone()
        for token, source in stand_ins.items():
            table[token] = state[key][source]
        changed[key] = table
    return changed


def package_contents(folder: Path, voices: Sequence[StarterVoice]) -> dict[str, Any]:
    """What the package contains: checksums of its files, and its voices."""
    files = {name: _sha256(folder / name) for name in (MODEL_FILE, VOICES_FILE, CONFIG_FILE)}
    described = [
        {"name": voice.name, "language": voice.language, "gender": voice.gender, "teacher": voice.teacher_title}
        for voice in voices
    ]
    return {"files": files, "voices": described}


def read_package(folder: Path) -> tuple[Network, dict[str, torch.Tensor]]:
    """The network in float32 and each voice's style [1, 2 x style_dim], ready for `Network.forward`."""
    network = build_network(ModelConfig.load(folder / CONFIG_FILE))
    network.load_state_dict(_float(load_file(folder / MODEL_FILE)))
    styles = {name: table[0].float() for name, table in load_file(folder / VOICES_FILE).items()}
    return network, styles


def _save(path: Path, tensors: dict[str, torch.Tensor]) -> None:
    save_file(tensors, path)
    path.chmod(READABLE)  # safetensors makes files that only their owner can read


def _half(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().half().contiguous() if tensor.is_floating_point() else tensor.detach().contiguous()


def _float(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {key: tensor.float() if tensor.is_floating_point() else tensor for key, tensor in tensors.items()}


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
