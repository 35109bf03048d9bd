"""What tests ask of processes."""

from __future__ import annotations

import os


def exists(process_id: int) -> bool:
    """Whether there is such a process, a zombie included."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True
