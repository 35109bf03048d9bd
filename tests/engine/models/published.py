"""Files in the layout in which Kokoro is published, with random content, and a catalog that pins them."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from engine.config import ModelConfig
from engine.models.catalog import ModelEntry, PinnedFile, VoiceEntry
from engine.network.architecture import build_network
from engine.network.weights import Weights
from engine.speech import VoiceInfo
from tests.engine.models.stand_in_hub import REPOSITORY, REVISION

CHECKPOINT_NAME = "kokoro-v1_0.pth"
VOICE_NAMES = ("af_heart", "bm_george")


def published_state(config: ModelConfig, weights: Weights | None = None) -> dict[str, dict[str, torch.Tensor]]:
    """Return five state dicts: keys behind `module.`, weight norm in parts, no affine parameters of instance norms.

    They hold these weights, in the program's full layout, or random ones.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = build_network(config)
    if weights is not None:
        network.load_state_dict({**network.state_dict(), **_unfolded(weights, set(network.state_dict()))})
    norms = {name for name, module in network.named_modules() if isinstance(module, torch.nn.InstanceNorm1d)}
    state: dict[str, dict[str, torch.Tensor]] = {}
    for name, tensor in network.state_dict().items():
        part, _, rest = name.partition(".")
        if weights is not None or name.rpartition(".")[0] not in norms:
            state.setdefault(part, {})[f"module.{rest}"] = tensor
    return {part: state[part] for part in ("bert", "bert_encoder", "predictor", "decoder", "text_encoder")}


def _unfolded(weights: Weights, names: set[str]) -> dict[str, torch.Tensor]:
    """Split weights into weight norm's two parts if a network has them: the norm and the direction of each row."""
    tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
    unfolded = {name: tensor for name, tensor in tensors.items() if name in names}
    for name, tensor in tensors.items():
        if f"{name}_v" in names:
            rows = tensor.flatten(1).norm(dim=1).reshape(-1, *[1] * (tensor.ndim - 1))
            unfolded |= {f"{name}_g": rows, f"{name}_v": 3 * tensor}
    return unfolded


def saved(value: Any, **options: Any) -> bytes:
    """Return the bytes of a file of `torch.save`."""
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    return buffer.getvalue()


def voice_table(config: ModelConfig, seed: int) -> np.ndarray:
    shape = (config.phoneme_limit, 1, 2 * config.style_dim)
    return (0.1 * np.random.default_rng(seed).standard_normal(shape)).astype(np.float32)


@dataclass(frozen=True)
class Published:
    """A model as its authors publish it, and the catalog entry that pins it."""

    config: ModelConfig
    files: dict[str, bytes]
    entry: ModelEntry

    def write(self, folder: Path) -> Path:
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder


def publish(config: ModelConfig, folder: Path, name: str = "kokoro-82m", checkpoint: bytes | None = None) -> Published:
    """Publish random weights and two voices of this architecture."""
    config_file = folder / name / "config.json"
    config_file.parent.mkdir(parents=True, exist_ok=True)
    config_file.write_text(json.dumps(config.to_dict()))
    voices = {f"voices/{v}.pt": saved(torch.from_numpy(voice_table(config, i))) for i, v in enumerate(VOICE_NAMES)}
    files = {CHECKPOINT_NAME: checkpoint or saved(published_state(config)), **voices}
    entries = tuple(
        VoiceEntry(VoiceInfo(v, v[3:].title(), "en-US", "female"), pinned(f"voices/{v}.pt", files)) for v in VOICE_NAMES
    )
    entry = ModelEntry(
        name, "Some model", "Apache-2.0", "somewhere", config_file, REPOSITORY, REVISION,
        pinned(CHECKPOINT_NAME, files), entries,
    )  # fmt: skip
    return Published(config, files, entry)


def pinned(path: str, files: dict[str, bytes]) -> PinnedFile:
    return PinnedFile(path, len(files[path]), hashlib.sha256(files[path]).hexdigest())
