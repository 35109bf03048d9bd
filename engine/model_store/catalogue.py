"""The models on offer: where each comes from, its files with sizes and SHA-256, its voices, its licence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.config import ModelConfig
from engine.errors import DamagedFile, UnknownModel
from engine.speech import VoiceInfo
from engine.system.paths import resources_folder
from engine.voices.packs import describe


@dataclass(frozen=True)
class PinnedFile:
    """A file of a repository, identified by its content as well as its name."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class VoiceEntry:
    """A published voice."""

    info: VoiceInfo
    file: PinnedFile


@dataclass(frozen=True)
class ModelEntry:
    """A model of the catalogue; one that comes with the program has no repository and no checkpoint.

    `revision` is the commit that the files are fetched at, `config_file` the description of the architecture.
    """

    name: str
    title: str
    licence: str
    source: str
    config_file: Path
    repository: str = ""
    revision: str = ""
    checkpoint: PinnedFile | None = None
    voices: tuple[VoiceEntry, ...] = field(default=(), repr=False)

    @property
    def bundled(self) -> bool:
        """Whether it comes with the program."""
        return self.checkpoint is None

    @property
    def files(self) -> tuple[PinnedFile, ...]:
        """All files that are fetched."""
        return () if self.checkpoint is None else (self.checkpoint, *(voice.file for voice in self.voices))

    @property
    def bytes(self) -> int:
        """The size of all files that are fetched."""
        return sum(file.bytes for file in self.files)

    def config(self) -> ModelConfig:
        """The architecture; raises `DamagedFile`."""
        return ModelConfig.load(self.config_file)


def catalogue() -> tuple[ModelEntry, ...]:
    """Every model, the bundled ones first; raises `DamagedFile` when the list shipped with the program is damaged."""
    path = resources_folder() / "models.json"
    try:
        return tuple(_entry(values) for values in json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFile(
            path, f"The list of models {path} cannot be read.", "Install the application again."
        ) from error


def entry_named(name: str, entries: tuple[ModelEntry, ...]) -> ModelEntry:
    """The model of this name; raises `UnknownModel`."""
    found = next((entry for entry in entries if entry.name == name), None)
    if found is None:
        known = ", ".join(entry.name for entry in entries)
        raise UnknownModel(f"There is no model named “{name}”.", f"Known models: {known}.")
    return found


def _entry(values: Mapping[str, Any]) -> ModelEntry:
    checkpoint = values.get("checkpoint")
    return ModelEntry(
        values["name"],
        values["title"],
        values["licence"],
        values["source"],
        resources_folder() / values["config"],
        values.get("repository", ""),
        values.get("revision", ""),
        None if checkpoint is None else _file(checkpoint),
        tuple(_voice(voice) for voice in values.get("voices", ())),
    )


def _file(values: Mapping[str, Any]) -> PinnedFile:
    return PinnedFile(values["path"], values["bytes"], values["sha256"])


def _voice(values: Mapping[str, Any]) -> VoiceEntry:
    return VoiceEntry(describe(values["name"]), _file(values))
