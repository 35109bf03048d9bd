"""Queries about processes for tests."""

from __future__ import annotations

import os


def exists(process_id: int) -> bool:
    """Return whether there is such a process, including a zombie."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True
