"""Measures this process's memory."""

from __future__ import annotations

import gc
import resource
import sys
from pathlib import Path

_KIB = 1024


def private_bytes() -> int:
    """Return the memory of this process alone that is in no file; if the system does not report it, its peak."""
    gc.collect()
    if sys.platform == "linux":
        return _field(Path("/proc/self/smaps_rollup").read_text(), "Private_Dirty")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def resident_bytes(path: Path) -> int | None:
    """Return how much of a file mapped into this process is in its memory; None if the system does not report it."""
    if sys.platform != "linux":
        return None
    parts = Path("/proc/self/smaps").read_text().split(f" {path}\n")[1:]
    return sum(_field(part, "Rss") for part in parts)


def _field(text: str, name: str) -> int:
    """Return the first field of this name; the system counts in KiB."""
    return int(text.split(f"{name}:", 1)[1].split()[0]) * _KIB
