"""Starts from the weights of an existing package, with the same or different voices."""

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
"""The place of the letter for the gender in a voice's name, such as `af_heart`."""
ROW_STRIDE = 10
MAX_PHONEMES = 200
"""The rows of a new pack that represent its voice: one in `ROW_STRIDE` up to here."""
REGULARISATION = 1e-2
TIMBRE_LAYERS = re.compile(r"decoder\..*\.fc\.weight")
PROSODY_LAYERS = re.compile(r"predictor\..*(\.fc\.weight|lstms?.*\.weight_ih_l0(_reverse)?|shared\.weight_ih_l0.*)")


def read_start(folder: Path, config: ModelConfig) -> tuple[Network, dict[str, torch.Tensor]]:
    """Return the package's network and packs.

    Raises `DamagedFile`, and `InvalidRequest` for a package with a different architecture.
    """
    network, packs = read_package(folder)
    if network.config.fingerprint() != config.fingerprint():
        raise InvalidRequest(f"The package in {folder} has a different architecture.", "Start from a matching package.")
    return network, packs


def load_start(network: Network, folder: Path, parts: TeacherParts) -> None:
    """Load the weights of the package into the network; raises the errors of `read_start`.

    If the package has different voices, each new voice begins as an old one of its gender: the weights that read a
    style are multiplied with the matrix that maps new styles to old ones.
    """
    other, packs = read_start(folder, network.config)
    state = other.state_dict()
    if set(packs) != set(parts.packs):
        state = restyled(state, packs, parts)
    network.load_state_dict(state)


def restyled(
    state: Mapping[str, torch.Tensor], old_packs: Mapping[str, torch.Tensor], parts: TeacherParts
) -> dict[str, torch.Tensor]:
    """Return a state dict that reads the new styles as it read the old ones."""
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
    """Return the matrix that maps rows of `new` to those of `old`, by ridge regression."""
    gram = new.T @ new + REGULARISATION * torch.eye(new.shape[1])
    matrix: torch.Tensor = torch.linalg.solve(gram, new.T @ old)
    return matrix.T


def _adapted(key: str, tensor: torch.Tensor, timbre: torch.Tensor, prosody: torch.Tensor) -> torch.Tensor:
    """Return a weight [out, ... style] adapted in its last columns, which read a style; other weights unchanged."""
    matrix = timbre if TIMBRE_LAYERS.fullmatch(key) else prosody if PROSODY_LAYERS.fullmatch(key) else None
    if matrix is None:
        return tensor
    width = len(matrix)
    return torch.cat([tensor[:, :-width], tensor[:, -width:] @ matrix], 1)
