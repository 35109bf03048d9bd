"""Readers of documents that fail."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from engine.text.documents import Document
from engine.text.documents.reading import OUT_OF_MEMORY_CODE

BEGUN = "begun"
"""The file beside the document that `hangs` creates first."""


def hangs(path: Path) -> Document:
    """Never end."""
    path.with_name(BEGUN).touch()
    time.sleep(600)
    raise AssertionError("it was not ended")


def crashes(path: Path) -> Document:
    """End by a library's crash."""
    os.abort()


def takes_too_much_memory(path: Path) -> Document:
    """End as at the memory limit."""
    os._exit(OUT_OF_MEMORY_CODE)


def takes_too_long(path: Path) -> Document:
    """End by the system's limit on CPU time."""
    os.kill(os.getpid(), signal.SIGXCPU)
    return hangs(path)
