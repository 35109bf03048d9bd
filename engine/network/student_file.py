"""A file with students: networks that were taught to compute what LSTMs of a model compute, and stand in for them.

It is a safetensors file. Weights have the names that they have in the whole network, where each student has the place
of its LSTM; the metadata says what the students are built from, who taught them, and what they scored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file, save

from engine.errors import DamagedFile
from engine.network.weights import Weights
from engine.speech import Array
from engine.stages import STAGES, Stage
from engine.system.atomic_write import write_atomically
from engine.system.json_text import json_value

_FORMAT = "students 1"
_DESCRIPTION = "students"
"""The entry of the metadata, as JSON."""


@dataclass(frozen=True)
class Students:
    """The description of the students in a file.

    `architectures` has the sizes of each, by the path of its LSTM in the kokoro module tree. `teacher` is the identity
    of the weights that taught them, `content` the SHA-256 of the students' weights.
    """

    path: Path
    teacher: str
    architectures: Mapping[str, Mapping[str, Any]] = field(repr=False)
    scores: Mapping[str, Any] = field(repr=False)
    content: str = field(repr=False)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of their sizes; compiled modules depend on these, but not on the weights."""
        return hashlib.sha256(json.dumps(self.architectures, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the stages that they are in."""
        return tuple(stage.name for stage in STAGES if self._are_in(stage))

    def load_weights(self) -> Weights:
        """Their weights by state-dict key; raises `DamagedFile`."""
        try:
            stored = load_file(self.path)
        except (OSError, ValueError, TypeError, AttributeError, SafetensorError) as error:  # such as 8-bit floats
            raise _damaged(self.path) from error
        if content_of(stored) != self.content:
            raise _damaged(self.path)
        return {name: np.ascontiguousarray(array, np.float32) for name, array in stored.items()}

    def _are_in(self, stage: Stage) -> bool:
        return any(probe.matches(path) for probe in stage.probes for path in self.architectures)


def read_students(path: Path) -> Students:
    """The description of the students in a file, whose weights are not read; raises `DamagedFile`."""
    try:
        with safe_open(path, "numpy") as file:
            described = json_value((file.metadata() or {})[_DESCRIPTION])
        if described.pop("format") != _FORMAT:
            raise ValueError("unknown format")
        if not isinstance(described["architectures"], dict):
            raise TypeError("architectures without paths")
        return Students(path, **described)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError) as error:
        raise _damaged(path) from error


def save_students(
    path: Path,
    teacher: str,
    architectures: Mapping[str, Mapping[str, Any]],
    weights: Mapping[str, Array],
    scores: Mapping[str, Any],
) -> Students:
    """Write a file of students, whole or not at all; `weights` keep their types. Raises `OSError`."""
    content = content_of(weights)
    described = {
        "format": _FORMAT,
        "teacher": teacher,
        "architectures": architectures,
        "scores": scores,
        "content": content,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {name: np.ascontiguousarray(array) for name, array in weights.items()}
    write_atomically(path, save(arrays, {_DESCRIPTION: json.dumps(described)}))
    return Students(path, teacher, architectures, scores, content)


def content_of(weights: Mapping[str, Array]) -> str:
    """The SHA-256 of named arrays, in hexadecimal."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        array = np.ascontiguousarray(weights[name])
        digest.update(f"{name} {array.dtype} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _damaged(path: Path) -> DamagedFile:
    return DamagedFile(
        path,
        f"The students in {path} can’t be read: the file is damaged, or from a different version of Kokoro Desk.",
        "Replace the file, or use LSTM prosody.",
    )
