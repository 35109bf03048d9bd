"""Defines the voices of the starter model, and the parts of the teacher that it takes over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from engine.errors import DamagedFile
from engine.system.atomic_write import atomic_write

STARTER_VOICES = ("af_heart", "am_michael", "bf_emma", "bm_george")
MERGING = ("decoder.generator.m_source.l_linear.weight", "decoder.generator.m_source.l_linear.bias")
"""The layer that merges the harmonics of the source; the student takes the teacher's, so that they share excitation."""


@dataclass(frozen=True)
class TeacherParts:
    """The teacher's parts that the student shares: voice packs [rows, 1, 2 x style width] by name, the merging layer.

    `identity` names the teacher's weights.
    """

    identity: str
    packs: Mapping[str, NDArray[np.float32]]
    merging: Mapping[str, NDArray[np.float32]]

    def style(self, voice: str, phoneme_count: int) -> NDArray[np.float32]:
        """Return the row of a voice's pack for this many phonemes, timbre before prosody."""
        pack = self.packs[voice]
        row: NDArray[np.float32] = pack[min(max(phoneme_count, 1), len(pack)) - 1, 0]
        return row


def save_parts(path: Path, parts: TeacherParts) -> None:
    """Write the parts into one file; raises `OutputError` if the disk is full."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {name: np.ascontiguousarray(array) for name, array in {**parts.packs, **parts.merging}.items()}
    with atomic_write(path) as file:
        file.write(save(arrays, metadata={"identity": parts.identity}))


def load_parts(path: Path) -> TeacherParts:
    """Load the parts from a file that `save_parts` wrote; raises `DamagedFile` for other files."""
    try:
        with safe_open(path, framework="numpy") as file:
            packs = {name: file.get_tensor(name) for name in STARTER_VOICES}
            return TeacherParts(file.metadata()["identity"], packs, {name: file.get_tensor(name) for name in MERGING})
    except (OSError, SafetensorError, KeyError, TypeError) as error:
        raise DamagedFile(path, f"{path} is damaged.", "Delete it; training asks the teacher again.") from error
