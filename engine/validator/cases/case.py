"""Saves a failing case in one file: a stage with the inputs on which it fails, and all that is needed to run it again.

The file is a `.safetensors` file: arrays, and JSON that describes them. Reading it executes nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from cattrs.preconf.json import make_converter
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from engine.errors import DamagedFile, EngineError
from engine.speech import Array, Utterance
from engine.stages import Stage, stage_named
from engine.system.atomic_write import atomic_write
from engine.system.json_text import json_value
from engine.validator.data.results import Row, ValidationRequest

SUFFIX = ".safetensors"
FORMAT = "kokoro-desk failing case"
VERSION = 1
_HEADER = "case"
_GROUPS = ("inputs", "ours", "expected", "style")


@dataclass(frozen=True)
class CaseFacts:
    """The description of a failing case, without its arrays.

    `request` has the original text and names only the regime that fails; `utterance` has the phonemes that were run.
    `row` is the comparison that failed. `build` maps names to the versions that were used. `steps` are phrases about
    parts that earlier versions of the program left out of the stage's inputs.
    """

    request: ValidationRequest
    utterance: Utterance
    row: Row
    build: Mapping[str, str]
    steps: tuple[str, ...] = ()

    @property
    def stage(self) -> Stage:
        """The stage that fails."""
        return stage_named(self.row.stage)


@dataclass(frozen=True)
class FailingCase:
    """A stage, the inputs on which one regime of it differs from the reference, and the outputs of both.

    Arrays are by tensor name, batch first: `ours` and `expected` hold the outputs of the original run, `style` the
    voice's timbre and prosody.
    """

    facts: CaseFacts
    inputs: Mapping[str, Array] = field(repr=False)
    ours: Mapping[str, Array] = field(repr=False)
    expected: Mapping[str, Array] = field(repr=False)
    style: Mapping[str, Array] = field(repr=False)


def save_case(path: Path, case: FailingCase) -> None:
    """Write a case to one file; raises `OutputError`."""
    arrays = {
        f"{group}/{name}": np.ascontiguousarray(array)
        for group in _GROUPS
        for name, array in getattr(case, group).items()
    }
    header = {"format": FORMAT, "version": VERSION, "facts": make_converter().unstructure(case.facts)}
    content = save(arrays, {_HEADER: json.dumps(header, allow_nan=False)})
    with atomic_write(path) as file:
        file.write(content)


def load_case(path: Path) -> FailingCase:
    """Read the case in a file; raises `EngineError` if the file is missing and `DamagedFile` if it is not a case."""
    if not os.path.isfile(path):  # Path.is_file raises OSError for a name that is too long
        raise EngineError(f"{path} doesn’t exist.", "Check the name.")
    try:
        with safe_open(path, framework="numpy") as file:
            header = json_value((file.metadata() or {})[_HEADER])
            arrays = {name: file.get_tensor(name) for name in file.offset_keys()}
    except (OSError, SafetensorError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise _no_case(path) from error  # the last two are raised for dtypes that NumPy lacks, such as 8-bit floats
    return _case(path, header, arrays)


def _case(path: Path, header: Any, arrays: Mapping[str, Array]) -> FailingCase:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _no_case(path)
    if header.get("version") != VERSION:
        raise DamagedFile(
            path,
            f"{path} is a failing case of version {header.get('version')}; Kokoro Desk now reads version {VERSION}.",
            "Run it with the version of Kokoro Desk that wrote it.",
        )
    try:
        facts = make_converter().structure(header["facts"], CaseFacts)
        return FailingCase(_checked(facts), **{group: _group(arrays, group) for group in _GROUPS})
    except (KeyError, TypeError, ValueError, AttributeError, ExceptionGroup) as error:
        raise _no_case(path) from error


def _checked(facts: CaseFacts) -> CaseFacts:
    names = {tensor.name for tensor in facts.stage.outputs}
    if facts.row.output not in names:
        raise ValueError(f"{facts.row.output} is no output of {facts.row.stage}")
    return facts


def _group(arrays: Mapping[str, Array], group: str) -> dict[str, Array]:
    prefix = f"{group}/"
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _no_case(path: Path) -> DamagedFile:
    return DamagedFile(
        path, f"{path} is damaged or not a failing case.", "Choose a file that “validate --save-case” wrote."
    )
