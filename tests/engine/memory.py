"""What this process holds of memory.

It does not know what for.
"""

from __future__ import annotations

import gc
import resource
import sys
from pathlib import Path

_KIB = 1024


def private_bytes() -> int:
    """Memory of this process alone that is in no file; where the system does not tell, the most it ever held."""
    gc.collect()
    if sys.platform == "linux":
        return _field(Path("/proc/self/smaps_rollup").read_text(), "Private_Dirty")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def resident_bytes(path: Path) -> int | None:
    """How much of a file mapped into this process is in its memory; none where the system does not tell."""
    if sys.platform != "linux":
        return None
    parts = Path("/proc/self/smaps").read_text().split(f" {path}\n")[1:]
    return sum(_field(part, "Rss") for part in parts)


def _field(text: str, name: str) -> int:
    """The first field of this name; the system counts in KiB."""
    return int(text.split(f"{name}:", 1)[1].split()[0]) * _KIB
