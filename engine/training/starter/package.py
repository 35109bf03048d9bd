"""Writes and reads the starter model's files: weights, config, voices, and a list of its contents.

`model.safetensors` holds the network's state dict (its own keys, with weight normalization) in float16;
`voices.safetensors` the teacher's pack of each voice [rows, 1, 2 x style_dim], timbre before prosody, in float16.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from engine.config import ModelConfig
from engine.errors import DamagedFile
from engine.models.catalog import sha256_of
from engine.models.voices.packs import describe
from engine.network.architecture import Network, build_network
from engine.speech import VoiceInfo
from engine.training.starter.voices import TeacherParts

MODEL_FILE, VOICES_FILE, CONFIG_FILE, CONTENTS_FILE = (
    "model.safetensors",
    "voices.safetensors",
    "config.json",
    "manifest.json",
)
TEACHER_TITLE = "Kokoro-82M"
READABLE = 0o644
EMBEDDINGS = ("bert.embeddings.word_embeddings.weight", "text_encoder.embedding.weight")


def write_package(folder: Path, network: Network, parts: TeacherParts, trained_symbols: Collection[str]) -> None:
    """Write the four files; `parts` has the packs of the voices."""
    folder.mkdir(parents=True, exist_ok=True)
    state = with_stand_ins(network.state_dict(), network.config, trained_symbols)
    _save(folder / MODEL_FILE, {key: _half(tensor) for key, tensor in state.items()})
    _save(folder / VOICES_FILE, {name: _half(torch.from_numpy(pack)) for name, pack in parts.packs.items()})
    _write_json(folder / CONFIG_FILE, network.config.to_dict())
    _write_json(folder / CONTENTS_FILE, package_contents(folder, [describe(name) for name in parts.packs]))


def with_stand_ins(
    state: Mapping[str, torch.Tensor], config: ModelConfig, trained_symbols: Collection[str]
) -> dict[str, torch.Tensor]:
    """Return a state dict in which every untrained symbol has the embeddings of the nearest trained one."""
    changed = dict(state)
    stand_ins = stand_in_tokens(config.vocab, trained_symbols)
    for key in EMBEDDINGS:
        table = state[key].clone()
        for token, source in stand_ins.items():
            table[token] = state[key][source]
        changed[key] = table
    return changed


def package_contents(folder: Path, voices: Sequence[VoiceInfo]) -> dict[str, Any]:
    """Return the contents of the package: checksums of its files, and its voices."""
    files = {name: sha256_of(folder / name) for name in (MODEL_FILE, VOICES_FILE, CONFIG_FILE)}
    described = [
        {"name": voice.name, "language": voice.language, "gender": voice.gender, "teacher": TEACHER_TITLE}
        for voice in voices
    ]
    return {"files": files, "voices": described}


def read_package(folder: Path) -> tuple[Network, dict[str, torch.Tensor]]:
    """Return the network in float32 and each voice's pack [rows, 1, 2 x style_dim].

    Raises `DamagedFile` for a folder without valid files.
    """
    try:
        network = build_network(ModelConfig.load(folder / CONFIG_FILE))
        network.load_state_dict(_float(load_file(folder / MODEL_FILE)))
        packs = _float(load_file(folder / VOICES_FILE))
    except (DamagedFile, OSError, SafetensorError, ValueError, KeyError, RuntimeError) as error:
        raise DamagedFile(
            folder, f"{folder} has no readable starter model.", "Choose the output folder of a training run."
        ) from error
    return network, packs


def _save(path: Path, tensors: dict[str, torch.Tensor]) -> None:
    save_file(tensors, path)
    path.chmod(READABLE)  # safetensors makes files readable only by their owner


def _half(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().half().contiguous() if tensor.is_floating_point() else tensor.detach().contiguous()


def _float(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {key: tensor.float() if tensor.is_floating_point() else tensor for key, tensor in tensors.items()}


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


NEAREST_SYMBOL = {
    # vowels of British English and of other languages
    "Q": "O", "a": "æ", "e": "ɛ", "o": "ɔ", "y": "u", "ɒ": "ɑ", "ɚ": "ə", "ɨ": "ɪ", "ɯ": "u", "ø": "ɜ", "œ": "ɜ",
    "ɤ": "ʌ", "ɐ": "ə", "ᵝ": "u", "ᵊ": "ə", "ᵻ": "ɪ", "ʋ": "v", "Y": "ɔ",
    # consonants of other languages
    "c": "k", "q": "k", "ɟ": "ɡ", "x": "h", "χ": "h", "ç": "h", "ɣ": "ɡ", "r": "ɹ", "ɾ": "T",
    "ɽ": "T", "ɻ": "ɹ", "ʁ": "ɹ", "ɖ": "d", "ʈ": "t", "ɳ": "n", "ɲ": "n", "ɴ": "ŋ", "ʎ": "l", "ʂ": "ʃ",
    "ɕ": "ʃ", "ʝ": "j", "β": "v", "ɸ": "f", "ɥ": "w", "ɰ": "w", "ʔ": "t", "T": "t", "ʣ": "z",
    "ʥ": "ʤ", "ʦ": "s", "ʨ": "ʧ", "\uab67": "ʧ", "S": "ʃ", "ʒ": "ʃ",
    # marks
    "ː": "ˌ", "ʰ": "h", "ʲ": "j", "\u0303": "ˌ", "ˌ": "ˈ", "↓": " ", "→": " ", "↗": " ", "↘": " ",
    # punctuation
    ";": ",", ":": ",", "—": ",", "…": ".", '"': " ", "(": ",", ")": ",", "“": " ", "”": " ", "!": ".", "?": ".",
}  # fmt: skip
"""The nearest symbol of each; a chain of them (ɾ, T, t) is followed to the first trained one."""
LAST_RESORT = " "


def nearest_trained(symbol: str, trained: Collection[str]) -> str:
    """Return the symbol itself if it was trained, else the nearest that was; a space if the table has none."""
    seen = set()
    while symbol not in trained and symbol in NEAREST_SYMBOL and symbol not in seen:
        seen.add(symbol)
        symbol = NEAREST_SYMBOL[symbol]
    return symbol if symbol in trained else LAST_RESORT


def stand_in_tokens(vocabulary: Mapping[str, int], trained: Collection[str]) -> dict[int, int]:
    """Return the trained token whose embedding each untrained token takes."""
    return {
        token: vocabulary[nearest_trained(symbol, trained)]
        for symbol, token in vocabulary.items()
        if symbol not in trained
    }
