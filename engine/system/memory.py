"""The peak memory of this process."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024
"""The unit in which `getrusage` reports memory."""
_STATUS = Path("/proc/self/status")
_HIGH_WATER = re.compile(r"^VmHWM:\s*(\d+) kB$", re.MULTILINE)


def peak_bytes() -> int:
    """The largest resident memory of this process so far.

    Linux also counts what the parent process held in the figure of `getrusage`, so that one is only the fallback.
    """
    found = _HIGH_WATER.search(_STATUS.read_text()) if _STATUS.exists() else None
    return int(found[1]) * 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT_BYTES
