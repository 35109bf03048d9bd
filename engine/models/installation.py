"""An installed model: two files and the manifest that lists them, in a separate folder.

Files are named by their content and the manifest is replaced last, atomically, so the files it lists are always
complete.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from filelock import FileLock

from engine.errors import DamagedModel, StorageError
from engine.models.catalog import sha256_of
from engine.models.conversion import VOICES_NAME, WEIGHTS_NAME
from engine.system.atomic_write import write_atomically
from engine.system.json_text import json_value
from engine.system.waiting import hold

MANIFEST_NAME = "manifest.json"
STUDENTS_NAME = "prosody.safetensors"
"""The file of students, which is not part of the model but stored with it."""
_HINT = "Download or import the model again."
_DAMAGED_PREFIX = "damaged-"
_DIGEST_LETTERS = 16


@dataclass(frozen=True)
class InstalledFile:
    """A file of an installed model; `modified_ns` is its modification time at installation."""

    name: str
    bytes: int
    sha256: str
    modified_ns: int


@dataclass(frozen=True)
class ModelManifest:
    """The installed files, their `origin` as text, and whether the model is bit-identical to the published one."""

    origin: str
    published: bool
    weights: InstalledFile
    voices_file: InstalledFile
    voices: tuple[str, ...]

    @property
    def files(self) -> tuple[InstalledFile, InstalledFile]:
        """All files except the manifest."""
        return self.weights, self.voices_file


@dataclass(frozen=True)
class ModelCopy:
    """A whole model, to be installed on another computer: its manifest, and the contents of the manifest's files.

    `students` is the content of the file of its students; empty without any.
    """

    manifest: ModelManifest
    contents: tuple[bytes, ...] = field(repr=False)
    students: bytes = field(repr=False)


@dataclass(frozen=True)
class Installation:
    """The folder of one model, which may be empty or missing."""

    folder: Path

    def manifest(self) -> ModelManifest | None:
        """Read the manifest, or return None if there is none. Raises `DamagedModel` if it cannot be read."""
        path = self.folder / MANIFEST_NAME
        try:
            return _manifest(json_value(path.read_text(encoding="utf-8")))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _damaged(path) from error

    def opened(self) -> ModelManifest | None:
        """Return the manifest after checking that its files are unchanged. Raises `DamagedModel`.

        A file with the size and modification time of its installation is trusted; others are hashed.
        """
        manifest = self.manifest()
        for file in () if manifest is None else manifest.files:
            if self._size_checked(file).st_mtime_ns != file.modified_ns:
                self._verify(file)
        return manifest

    def checked(self) -> ModelManifest | None:
        """Return the manifest after checking the sizes of all files. Raises `DamagedModel`."""
        manifest = self.manifest()
        for file in () if manifest is None else manifest.files:
            self._size_checked(file)
        return manifest

    def verify(
        self, manifest: ModelManifest, advance: Callable[[int], None], cancel: threading.Event | None = None
    ) -> None:
        """Hash every file. Raises `DamagedModel`, or `Canceled` once `cancel` is set.

        A damaged file is renamed, so that it is missing from then on and belongs to no model.
        """
        for file in manifest.files:
            self._size_checked(file)
            self._verify(file, advance, cancel)

    def path(self, file: InstalledFile) -> Path:
        """Return the path of a file."""
        return self.folder / file.name

    def add_file(self, built: Path) -> InstalledFile:
        """Move a finished file in, named by its content; it belongs to the model once a committed manifest lists it."""
        digest = sha256_of(built)
        with built.open("rb") as stream:
            os.fsync(stream.fileno())
        name = f"{built.stem}-{digest[:_DIGEST_LETTERS]}{built.suffix}"
        self.folder.mkdir(parents=True, exist_ok=True)
        status = built.replace(self.folder / name).stat()
        return InstalledFile(name, status.st_size, digest, status.st_mtime_ns)

    def copied(self) -> ModelCopy | None:
        """Read the whole model, or return None if there is none. Raises `DamagedModel`."""
        manifest = self.opened()
        if manifest is None:
            return None
        contents = tuple(self.path(file).read_bytes() for file in manifest.files)
        students = self.folder / STUDENTS_NAME
        return ModelCopy(manifest, contents, students.read_bytes() if students.exists() else b"")

    def install(self, copy: ModelCopy, folder: Path) -> None:
        """Make a copy the model, by way of an empty folder on the same disk. Raises `DamagedModel`."""
        files = []
        for name, content in zip((WEIGHTS_NAME, VOICES_NAME), copy.contents, strict=True):
            (folder / name).write_bytes(content)
            files.append(self.add_file(folder / name))
        for file, listed in zip(files, copy.manifest.files, strict=True):
            if file.sha256 != listed.sha256:
                self.tidy()
                raise _damaged(self.path(listed))
        self.commit(replace(copy.manifest, weights=files[0], voices_file=files[1]))

    def add_students(self, content: bytes) -> None:
        """Store the file of the model's students, unless it has some; they are checked when they are read."""
        path = self.folder / STUDENTS_NAME
        if content and not path.exists():
            write_atomically(path, content)

    def commit(self, manifest: ModelManifest) -> None:
        """Make these files the model, and delete those that no longer belong to it."""
        write_atomically(self.folder / MANIFEST_NAME, json.dumps(asdict(manifest), indent=1).encode())
        self.tidy()

    def tidy(self) -> None:
        """Delete files that the manifest does not list, such as those left by an interruption."""
        listed = {*self._listed(), STUDENTS_NAME}
        for path in self.folder.glob("*.safetensors"):
            if path.name not in listed:
                path.unlink()

    def remove(self) -> None:
        """Delete the model; it no longer exists from the first step on."""
        (self.folder / MANIFEST_NAME).unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _listed(self) -> set[str]:
        try:
            manifest = self.manifest()
        except DamagedModel:
            return set()
        return set() if manifest is None else {file.name for file in manifest.files}

    def _size_checked(self, file: InstalledFile) -> os.stat_result:
        path = self.path(file)
        try:
            status = path.stat()
        except OSError as error:
            raise _damaged(path) from error
        if status.st_size != file.bytes:
            raise _damaged(path)
        return status

    def _verify(
        self,
        file: InstalledFile,
        advance: Callable[[int], None] = lambda count: None,
        cancel: threading.Event | None = None,
    ) -> None:
        path = self.path(file)
        try:
            actual = sha256_of(path, advance, cancel)
        except OSError as error:
            raise _damaged(path) from error
        if actual != file.sha256:
            with suppress(OSError):  # if the folder is read-only, every check finds the damage again
                path.rename(path.with_name(f"{_DAMAGED_PREFIX}{path.name}"))
            raise _damaged(path)


@contextmanager
def alone(
    folder: Path, name: str, waiting: Callable[[], None], cancel: threading.Event | None = None
) -> Iterator[None]:
    """Hold the lock of the model of this name; call `waiting` if it is taken.

    Raises `Canceled` once `cancel` is set, and `StorageError` for any `OSError`, including those of the block.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with hold(FileLock(folder / f".{name}.lock"), waiting, cancel):
            yield
    except OSError as error:
        raise StorageError(
            f"The folder {folder} can’t be written to ({error.strerror or error}).",
            "Make it writable and free up some space; models are stored there.",
        ) from error


@contextmanager
def building(folder: Path, name: str) -> Iterator[Path]:
    """Create an empty folder next to the models, and delete it at the end of the block."""
    build_folder = folder / f".build-{name}"
    shutil.rmtree(build_folder, ignore_errors=True)  # left by a process that was killed
    build_folder.mkdir(parents=True)
    try:
        yield build_folder
    finally:
        shutil.rmtree(build_folder, ignore_errors=True)


def _manifest(values: Mapping[str, Any]) -> ModelManifest:
    files = {name: InstalledFile(**values[name]) for name in ("weights", "voices_file")}
    return ModelManifest(**{**values, **files, "voices": tuple(values["voices"])})


def _damaged(path: Path) -> DamagedModel:
    return DamagedModel(path, f"The model’s file {path.name} is damaged or missing.", _HINT)
