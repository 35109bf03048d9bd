"""How much memory a process has had at most.

It does not know what for.
"""

from __future__ import annotations

import resource
import sys

_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024
"""What the system counts in."""


def peak_bytes(usage: resource.struct_rusage | None = None) -> int:
    """The most memory that was resident: of this process, or of the one that `usage` is told of."""
    return int((usage or resource.getrusage(resource.RUSAGE_SELF)).ru_maxrss) * _UNIT_BYTES
