"""How much memory this process has had at most.

It does not know what for.
"""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024
"""What the system counts in."""
_STATUS = Path("/proc/self/status")
_HIGH_WATER = re.compile(r"^VmHWM:\s*(\d+) kB$", re.MULTILINE)


def peak_bytes() -> int:
    """The most memory of this process that was resident.

    Linux counts in the other figure, that of `getrusage`, what the process that started this one held.
    """
    found = _HIGH_WATER.search(_STATUS.read_text()) if _STATUS.exists() else None
    return int(found[1]) * 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT_BYTES
