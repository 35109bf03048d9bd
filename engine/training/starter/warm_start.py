"""Starting from the weights of an existing package, of the same voices or of others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.network.architecture import Network
from engine.training.starter.package import read_package
from engine.training.starter.voices import TeacherParts

GENDER_LETTER = 1
"""The place of the letter that tells the gender in a voice's name, such as `af_heart`."""
ROW_STRIDE = 10
MAX_PHONEMES = 200
"""Rows of a new pack that stand for its voice: one in `ROW_STRIDE` up to here."""
REGULARISATION = 1e-2
TIMBRE_LAYERS = re.compile(r"decoder\..*\.fc\.weight")
PROSODY_LAYERS = re.compile(r"predictor\..*(\.fc\.weight|lstms?.*\.weight_ih_l0(_reverse)?|shared\.weight_ih_l0.*)")


def read_start(folder: Path, config: ModelConfig) -> tuple[Network, dict[str, torch.Tensor]]:
    """The package's network and packs; raises `DamagedFile`, and `InvalidRequest` for one of another architecture."""
    network, packs = read_package(folder)
    if network.config.fingerprint() != config.fingerprint():
        raise InvalidRequest(f"The package in {folder} has another architecture.", "Start from a package of this one.")
    return network, packs


def load_start(network: Network, folder: Path, parts: TeacherParts) -> None:
    """Give the network the weights of the package; raises what `read_start` raises.

    If the package has other voices, each new voice begins as an old one of its gender: what reads a style is multiplied
    with the matrix that turns the new styles into the old ones.
    """
    other, packs = read_start(folder, network.config)
    state = other.state_dict()
    if set(packs) != set(parts.packs):
        state = restyled(state, packs, parts)
    network.load_state_dict(state)


def restyled(
    state: Mapping[str, torch.Tensor], old_packs: Mapping[str, torch.Tensor], parts: TeacherParts
) -> dict[str, torch.Tensor]:
    """A state dict that reads the new styles as it read the old ones."""
    pairs = [_style_pairs(name, np.asarray(pack[:, 0]), old_packs) for name, pack in parts.packs.items()]
    new, old = (torch.cat(rows) for rows in zip(*pairs, strict=True))
    half = new.shape[1] // 2
    timbre, prosody = _matrix(new[:, :half], old[:, :half]), _matrix(new[:, half:], old[:, half:])
    return {key: _adapted(key, tensor, timbre, prosody) for key, tensor in state.items()}


def _style_pairs(
    name: str, pack: NDArray[np.float32], old_packs: Mapping[str, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    like = [old for old in old_packs if old[GENDER_LETTER] == name[GENDER_LETTER]] or list(old_packs)
    rows = torch.from_numpy(pack[:MAX_PHONEMES:ROW_STRIDE])
    return rows, old_packs[like[0]][0].expand(len(rows), -1)


def _matrix(new: torch.Tensor, old: torch.Tensor) -> torch.Tensor:
    """The matrix that turns rows of `new` into those of `old`: ridge regression."""
    gram = new.T @ new + REGULARISATION * torch.eye(new.shape[1])
    matrix: torch.Tensor = torch.linalg.solve(gram, new.T @ old)
    return matrix.T


def _adapted(key: str, tensor: torch.Tensor, timbre: torch.Tensor, prosody: torch.Tensor) -> torch.Tensor:
    """A weight [out, ... style] whose last columns read a style; any other weight unchanged."""
    matrix = timbre if TIMBRE_LAYERS.fullmatch(key) else prosody if PROSODY_LAYERS.fullmatch(key) else None
    if matrix is None:
        return tensor
    width = len(matrix)
    return torch.cat([tensor[:, :-width], tensor[:, -width:] @ matrix], 1)
