"""Readers of documents that do not come to a good end."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from engine.text.documents import Document
from engine.text.documents.reading import OUT_OF_MEMORY_CODE

BEGUN = "begun"
"""The file beside the document that `hangs` makes first."""


def hangs(path: Path) -> Document:
    """Never ends."""
    path.with_name(BEGUN).touch()
    time.sleep(600)
    raise AssertionError("it was not ended")


def crashes(path: Path) -> Document:
    """Is ended by a library."""
    os.abort()


def takes_too_much_memory(path: Path) -> Document:
    """Ends as it does when it may take no more."""
    os._exit(OUT_OF_MEMORY_CODE)


def takes_too_long(path: Path) -> Document:
    """Is ended by the system for all the time that it took."""
    os.kill(os.getpid(), signal.SIGXCPU)
    return hangs(path)
