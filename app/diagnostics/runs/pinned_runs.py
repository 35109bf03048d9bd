"""Pinned runs: exported diagnoses in the user's data folder, named as the user names them, until they are unpinned."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import InvalidRequest, OutputError
from engine.system.paths import data_folder

SUFFIX = ".zip"
LONGEST_NAME = 80
UNNAMED = "Run"
_FOLDER = "pinned diagnoses"
_FORBIDDEN = re.compile(r'[\x00-\x1f/\\:*?"<>|]+')


class PinnedRuns:
    """The folder of pinned runs; a run's name is the name of its file."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or data_folder() / _FOLDER

    def paths(self) -> tuple[Path, ...]:
        """All of them, the newest first."""
        try:
            found = [(path.stat().st_mtime, path) for path in self._folder.glob(f"*{SUFFIX}")]
        except OSError:
            return ()
        return tuple(path for _, path in sorted(found, reverse=True))

    def new_path(self, name: str) -> Path:
        """Where a run of this name is to be written; raises `OutputError` when the folder cannot be made."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"Runs cannot be pinned in {self._folder} ({error.strerror}).", "Make the folder writable."
            ) from error
        return self._free(name)

    def rename(self, path: Path, name: str) -> Path:
        """Give a pinned run another name; raises `OutputError` when its file cannot be renamed."""
        if path.stem == file_name(name):
            return path
        try:
            return path.rename(self._free(name))
        except OSError as error:
            raise OutputError(f"{path.stem} could not be renamed ({error.strerror}).", "Pin it again.") from error

    def remove(self, path: Path) -> None:
        """Delete a pinned run; raises `OutputError` when that fails, `InvalidRequest` for any other file."""
        if path.parent != self._folder:
            raise InvalidRequest(f"{path} is not a pinned run.", "Delete it where it is.")
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"{path.stem} could not be unpinned ({error.strerror}).", "Try again.") from error

    def _free(self, name: str) -> Path:
        """A path that no other run has; a second one of a name gets a number."""
        wanted = file_name(name)
        names = [wanted, *(f"{wanted} ({number})" for number in range(2, len(self.paths()) + 3))]
        return next(path for each in names if not (path := self._folder / f"{each}{SUFFIX}").exists())


def file_name(name: str) -> str:
    """The name of a run as part of the name of its file."""
    words = " ".join(_FORBIDDEN.sub(" ", name).split())
    return words[:LONGEST_NAME].strip(" .") or UNNAMED
