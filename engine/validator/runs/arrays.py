"""Stores the arrays of a validation, one file each, within a size limit; other processes can read them meanwhile."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from engine.errors import DamagedFile, EngineError, OutputError
from engine.speech import Array
from engine.system.atomic_write import atomic_write, write_error
from engine.validator.data.results import InputSource, Row, ValidationRequest, Verdict

_NAME = r"\w[\w .,+=-]*"
_MEMBER = re.compile(rf"u(?P<utterance>\d{{4,}})/(?P<regime>{_NAME})/(?P<reading>{_NAME})/(?P<output>{_NAME})\.npy")


@dataclass(frozen=True, order=True)
class ArrayKey:
    """The key of an array: an output of a stage, of one utterance, in one regime and reading."""

    utterance: int
    regime: str
    reading: InputSource
    output: str

    @property
    def member(self) -> str:
        """The array's file, relative to the folder or inside an exported archive."""
        return f"{_utterance_folder(self.utterance)}/{self.regime}/{self.reading}/{self.output}.npy"


def _utterance_folder(utterance: int) -> str:
    return f"u{utterance:04d}"


class Arrays(Protocol):
    """A store of the arrays of one validation."""

    def load(self, utterance: int, regime: str, reading: InputSource, output: str) -> NDArray[Any]:
        """Return the array, read-only; raises `EngineError` if it is missing or cannot be read."""

    def holds(self, utterance: int, regime: str, reading: InputSource, output: str) -> bool:
        """Return whether the array is in the store."""

    def entries(self) -> tuple[ArrayKey, ...]:
        """Return the key of every array, in order."""


class ArrayFolder:
    """A folder with one `.npy` file per array; a file appears only once it is complete."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def save(self, utterance: int, regime: str, reading: InputSource, output: str, array: Array) -> None:
        """Save an array; it replaces an earlier one of this name, which stays valid if it is already loaded.

        Raises `OutputError` if the folder does not exist or the disk is full, `ValueError` for an invalid name.
        """
        path = self.path / _checked(ArrayKey(utterance, regime, reading, output)).member
        self._ensure_folder()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise write_error(path, error) from error
        with atomic_write(path) as file:
            _write(file, array)

    def load(self, utterance: int, regime: str, reading: InputSource, output: str) -> NDArray[Any]:
        """Return the array, memory-mapped and read-only; raises `EngineError` if it is missing or damaged."""
        key = ArrayKey(utterance, regime, reading, output)
        path = self.path / key.member
        try:
            loaded: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        except FileNotFoundError as error:
            raise _missing(key) from error
        except (OSError, ValueError, EOFError) as error:
            raise DamagedFile(path, f"The arrays in {path} can’t be read.", "Run the validation again.") from error
        return loaded

    def holds(self, utterance: int, regime: str, reading: InputSource, output: str) -> bool:
        """Return whether the array is in the store."""
        return (self.path / ArrayKey(utterance, regime, reading, output).member).is_file()

    def entries(self) -> tuple[ArrayKey, ...]:
        """Return the key of every array, in order of utterance, regime, reading and output."""
        members = (path.relative_to(self.path).as_posix() for path in self.path.glob("u*/*/*/*.npy"))
        return tuple(sorted(key for key in map(array_key, members) if key is not None))

    def bytes_of(self, utterance: int) -> int:
        """Return the size of the arrays of an utterance."""
        return sum(path.stat().st_size for path in self._utterance(utterance).glob("*/*/*.npy"))

    def drop(self, utterance: int) -> None:
        """Delete the arrays of an utterance; those that are loaded stay valid."""
        shutil.rmtree(self._utterance(utterance), ignore_errors=True)

    def write_npz(self, path: Path | str) -> None:
        """Write all arrays into one `.npz`, without holding any in memory; the same arrays give the same bytes.

        Its keys are `u0000/compiled/own-fed/f0` and so on; `numpy.load` reads it. Raises `OutputError`.
        """
        self._ensure_folder()
        with atomic_write(Path(path)) as file:
            self.copy_npz(file)

    def copy_npz(self, file: IO[bytes]) -> None:
        """Write the content of the `.npz` to an open binary file."""
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for key in self.entries():
                try:
                    content = (self.path / key.member).open("rb")
                except FileNotFoundError:  # deleted in the meantime to stay within the limit
                    continue
                entry = zipfile.ZipInfo(key.member)
                entry.file_size = os.fstat(content.fileno()).st_size  # decides on 64-bit sizes if set before
                with content, archive.open(entry, "w") as member:
                    shutil.copyfileobj(content, member, 1 << 20)

    def _utterance(self, utterance: int) -> Path:
        return self.path / _utterance_folder(utterance)

    def _ensure_folder(self) -> None:
        if not self.path.is_dir():
            raise OutputError(
                f"The folder for arrays {self.path} doesn’t exist.", "Create it or choose a different one."
            )


def _checked(key: ArrayKey) -> ArrayKey:
    if array_key(key.member) != key:
        raise ValueError(f"{key.member} isn’t a valid name of an array.")
    return key


def array_key(member: str) -> ArrayKey | None:
    """Return the key of the array in a file, by the file's name relative to the folder; None for any other name."""
    match = _MEMBER.fullmatch(member)
    if match is None or match["reading"] not in tuple(InputSource):
        return None
    return ArrayKey(int(match["utterance"]), match["regime"], InputSource(match["reading"]), match["output"])


def _write(file: IO[bytes], array: Array) -> None:
    """Write as `numpy.save` does, but through the file object, which alone tells a full disk from other failures."""
    if array.dtype.hasobject:
        raise ValueError("An array of Python objects can’t be stored.")
    whole = np.asarray(array, order="C")
    npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(whole))
    file.write(whole.data)


def _missing(key: ArrayKey) -> EngineError:
    words = f"No array of {key.output} was saved for utterance {key.utterance} ({key.regime}, {key.reading})."
    return EngineError(words, "Run the validation again with this regime.")


class ArrayLimit:
    """Deletes arrays to stay within a size limit; it must be notified of every row and every finished utterance.

    Utterances without failures are deleted first, each time the one compared longest ago; the latest one always stays.
    """

    def __init__(self, arrays: ArrayFolder | None, max_bytes: int | None) -> None:
        self._arrays = arrays
        self._max_bytes = max_bytes
        self._failing: set[int] = set()
        self._kept: deque[int] = deque()
        self._bytes: dict[int, int] = {}

    def note(self, row: Row) -> None:
        """Note whether a deciding comparison has failed."""
        if row.decides and row.verdict is Verdict.FAIL:
            self._failing.add(row.utterance)

    def finish(self, utterance: int) -> None:
        """Handle an utterance whose arrays are complete: delete others if they take too much space."""
        if self._arrays is None or self._max_bytes is None:
            return
        self._bytes[utterance] = self._arrays.bytes_of(utterance)
        while sum(self._bytes.values()) > self._max_bytes and self._kept:
            self._drop(next((each for each in self._kept if each not in self._failing), self._kept[0]), self._arrays)
        self._kept.append(utterance)

    def _drop(self, utterance: int, arrays: ArrayFolder) -> None:
        arrays.drop(utterance)
        self._kept.remove(utterance)
        del self._bytes[utterance]


def array_limit_of(request: ValidationRequest) -> ArrayLimit:
    """Return the limit that a request sets."""
    arrays = ArrayFolder(request.arrays_folder) if request.arrays_folder else None
    return ArrayLimit(arrays, request.most_array_bytes)
