"""What a file or folder of the user's offers for import: a checkpoint, voice packs, a description.

Only names and sizes decide; no file is opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InvalidRequest, UnusableModel
from engine.model_store.catalogue import ModelEntry

CHECKPOINT_SUFFIXES = (".pth", ".safetensors")
VOICE_SUFFIXES = (".pt", ".bin")
IMPORTABLE_SUFFIXES = (*CHECKPOINT_SUFFIXES, *VOICE_SUFFIXES)
"""The suffixes of files that can be imported on their own."""
_VOICES_FOLDER = "voices"
_VOICE_LIMIT_BYTES = 16 << 20
"""Far above the size of any voice pack."""
_HINT = (
    f"Choose a checkpoint ({' or '.join(CHECKPOINT_SUFFIXES)}), a voice pack ({' or '.join(VOICE_SUFFIXES)}), "
    "or a folder with them."
)


@dataclass(frozen=True)
class Sources:
    """Files to import; `description` is a config.json next to the checkpoint."""

    checkpoint: Path | None
    voices: Mapping[str, Path]
    description: Path | None


def find_sources(path: Path, entry: ModelEntry) -> Sources:
    """What `path` offers for this model; raises `InvalidRequest` or `UnusableModel` if nothing, or not clearly one."""
    if path.is_dir():
        return _in_folder(path, entry)
    if not path.is_file():
        raise InvalidRequest(f"There is no file or folder {path}.", _HINT)
    if path.suffix in CHECKPOINT_SUFFIXES:
        return Sources(path, _voices(path.parent / _VOICES_FOLDER), _description(path.parent))
    if path.suffix in VOICE_SUFFIXES:
        return Sources(None, {path.stem: _sized(path)}, None)
    raise UnusableModel(f"{path.name} is neither a checkpoint nor a voice pack.", _HINT)


def _in_folder(folder: Path, entry: ModelEntry) -> Sources:
    checkpoint = _checkpoint(folder, entry)
    voices = {**_voices(folder), **_voices(folder / _VOICES_FOLDER)}
    if checkpoint is None and not voices:
        raise UnusableModel(f"There is no checkpoint and no voice pack in {folder}.", _HINT)
    return Sources(checkpoint, voices, None if checkpoint is None else _description(folder))


def _checkpoint(folder: Path, entry: ModelEntry) -> Path | None:
    found = sorted(path for path in folder.iterdir() if path.suffix in CHECKPOINT_SUFFIXES and path.is_file())
    published = "" if entry.checkpoint is None else Path(entry.checkpoint.path).name
    named = [path for path in found if path.name == published] or found
    if len(named) > 1:
        names = ", ".join(path.name for path in named)
        raise UnusableModel(f"There are several checkpoints in {folder}: {names}.", "Choose one of these files.")
    return named[0] if named else None


def _voices(folder: Path) -> dict[str, Path]:
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return {path.stem: _sized(path) for path in found if path.suffix in VOICE_SUFFIXES and path.is_file()}


def _sized(path: Path) -> Path:
    if path.stat().st_size > _VOICE_LIMIT_BYTES:
        raise UnusableModel(f"{path.name} is too large for a voice pack.", _HINT)
    return path


def _description(folder: Path) -> Path | None:
    path = folder / "config.json"
    return path if path.is_file() else None
