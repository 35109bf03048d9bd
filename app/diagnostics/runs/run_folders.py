"""Folders for the arrays of diagnostic runs, in the user's cache, deleted when no longer needed."""

from __future__ import annotations

import os
import shutil
import tempfile
from functools import partial
from pathlib import Path

from app.tasks import Tasks
from engine.errors import OutputError
from engine.system.atomic_write import is_running
from engine.system.paths import cache_folder

NAME = "diagnostics"
WAIT_MS = 10_000


class RunFolders:
    """One folder per session, named after its process, so that the leftovers of a crashed session are found.

    Deleting happens in the background; `close` waits for it.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent or cache_folder() / NAME
        self._session: Path | None = None
        self._deleting = Tasks("diagnostics folders")

    def make(self) -> Path:
        """Create an empty folder; raises `OutputError` if the disk is full or the cache is not writable."""
        try:
            if self._session is None:
                self._session = self._opened()
            return Path(tempfile.mkdtemp(prefix="run-", dir=self._session))
        except OSError as error:
            raise OutputError(
                f"Couldn’t create a folder for diagnostics in {self._parent} ({error.strerror}).",
                "Free up some space there.",
            ) from error

    def delete(self, folder: Path) -> None:
        """Delete a folder and its contents; files that are mapped into memory stay readable."""
        self._deleting.run(partial(shutil.rmtree, ignore_errors=True), folder)

    def close(self) -> None:
        """Delete all folders of this session."""
        if self._session is not None:
            self.delete(self._session)
            self._session = None
        self._deleting.shut_down(WAIT_MS)

    def _opened(self) -> Path:
        self._parent.mkdir(parents=True, exist_ok=True)
        for left_over in self._parent.glob("session-*"):
            number = left_over.name.split("-")[1]
            if not number.isdigit() or not is_running(int(number)):
                self.delete(left_over)
        return Path(tempfile.mkdtemp(prefix=f"session-{os.getpid()}-", dir=self._parent))
