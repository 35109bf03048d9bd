"""Whether a process still runs."""

from __future__ import annotations

import os


def is_running(process: int) -> bool:
    """Whether there is a process of this number; numbers below 1 are of none."""
    if process <= 0:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True
