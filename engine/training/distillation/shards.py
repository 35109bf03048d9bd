"""Stores training data in shards: files of a hundred texts each, listed with their checksums.

A shard has phonemes and their features from the teacher's Transformer, which depend on no voice. The inputs and outputs
of its LSTMs, in any voice, are computed from them during training: reading them would take longer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from engine.errors import DamagedFile, InvalidRequest, UnusableModel
from engine.models.catalog import sha256_of
from engine.system.atomic_write import atomic_write

_MANIFEST = "shards.json"
_AGAIN = "Delete it and run “kokoro-desk distill data” again."


@dataclass(frozen=True)
class Example:
    """A training text: phonemes of a language (a tag), `features` [tokens, hidden_dim] in float16."""

    phonemes: str
    language: str
    features: NDArray[np.float16] = field(repr=False)


class ShardFolder:
    """The shards of one teacher, by number; `teacher` is the identity of its weights.

    Raises `UnusableModel` if the folder has shards of a different teacher, and `DamagedFile`.
    """

    def __init__(self, folder: Path, teacher: str) -> None:
        self.folder = folder
        self.teacher = teacher
        self._checksums = self._read_manifest()

    @property
    def count(self) -> int:
        """The number of shards, which are numbered from 0."""
        return len(self._checksums)

    def add(self, examples: Sequence[Example]) -> None:
        """Write the next shard, then list it; raises `OutputError`, and the folder stays unchanged."""
        path = self._path(self.count)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write(path, _packed(examples))
        checksums = [*self._checksums, sha256_of(path)]
        manifest = {"teacher": self.teacher, "sha256": checksums}
        self._write(self.folder / _MANIFEST, json.dumps(manifest).encode())
        self._checksums = checksums

    def examples(self) -> Iterator[Example]:
        """Yield all examples, shard after shard; raises `InvalidRequest` if there is none."""
        if not self.count:
            raise InvalidRequest(f"{self.folder} has no training data.", "Run “kokoro-desk distill data” first.")
        for number in range(self.count):
            yield from self._read(number)

    def _read(self, number: int) -> Iterator[Example]:
        path = self._path(number)
        try:
            whole = sha256_of(path) == self._checksums[number]
            return iter(_unpacked(path)) if whole else _refuse(path)
        except (OSError, ValueError, KeyError, SafetensorError):
            return _refuse(path)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:04}.safetensors"

    def _read_manifest(self) -> list[str]:
        path = self.folder / _MANIFEST
        if not path.exists():
            return []
        try:
            manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            teacher, checksums = manifest["teacher"], list(map(str, manifest["sha256"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DamagedFile(path, f"The list of shards {path} is damaged.", _AGAIN) from error
        if teacher != self.teacher:
            raise UnusableModel(
                f"The shards in {self.folder} are of a different teacher.", "Choose a different folder for this one."
            )
        return checksums

    @staticmethod
    def _write(path: Path, content: bytes) -> None:
        with atomic_write(path) as file:
            file.write(content)


def _packed(examples: Sequence[Example]) -> bytes:
    described = [{"phonemes": example.phonemes, "language": example.language} for example in examples]
    arrays = {
        "features": np.ascontiguousarray(np.concatenate([example.features for example in examples])),
        "tokens": np.array([len(example.features) for example in examples], np.int64),
    }
    content: bytes = save(arrays, {"examples": json.dumps(described)})
    return content


def _unpacked(path: Path) -> list[Example]:
    with safe_open(path, "numpy") as file:
        described = json.loads(file.metadata()["examples"])
        features = np.split(file.get_tensor("features"), np.cumsum(file.get_tensor("tokens"))[:-1])
    return [Example(**entry, features=part) for entry, part in zip(described, features, strict=True)]


def _refuse(path: Path) -> Iterator[Example]:
    raise DamagedFile(
        path, f"The shard {path} is missing or damaged.", "Delete its folder and generate the data again."
    )
