"""The memory of this process: its peak, and how much of what compiled stages have freed stays with it."""

from __future__ import annotations

import ctypes
import re
import resource
import sys
from pathlib import Path

_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024
"""The unit in which `getrusage` reports memory."""
_STATUS = Path("/proc/self/status")
_HIGH_WATER = re.compile(r"^VmHWM:\s*(\d+) kB$", re.MULTILINE)
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""The numbers of `M_TRIM_THRESHOLD` and `M_MMAP_THRESHOLD` in the C library's `mallopt`."""
_MMAP_THRESHOLD_BYTES = 8 << 20
"""From this size an array has pages of its own, which go back to the system when it is freed."""
_TRIM_THRESHOLD_BYTES = 16 << 20
"""Small arrays reuse memory that is still mapped: mapping it again would cost more than computing them."""
_ALL_BYTES = (1 << 31) - 1


def peak_bytes() -> int:
    """The largest resident memory of this process so far.

    Linux also counts what the parent process held in the figure of `getrusage`, so that one is only the fallback.
    """
    found = _HIGH_WATER.search(_STATUS.read_text()) if _STATUS.exists() else None
    return int(found[1]) * 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT_BYTES


def keep_little_freed_memory() -> None:
    """Make GNU's C library, if the system has it, keep at most 16 MB of freed memory at the end of its heap.

    Left alone, it raises its thresholds with the sizes of the arrays it sees, until it keeps up to 64 MB.
    """
    _set_thresholds(_MMAP_THRESHOLD_BYTES, _TRIM_THRESHOLD_BYTES)


def keep_freed_memory() -> None:
    """Make GNU's C library, if the system has it, keep all freed memory for the next arrays.

    PyTorch makes arrays of tens of megabytes anew for every layer, and a fifth of its time is the system's for their
    pages; the most that the process holds is the same.
    """
    _set_thresholds(_ALL_BYTES, _ALL_BYTES)


def _set_thresholds(mmap_bytes: int, trim_bytes: int) -> None:
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, mmap_bytes)
        set_option(_TRIM_THRESHOLD, trim_bytes)


def give_back_freed_memory() -> None:
    """Return all unused pages to the system; starting the program alone leaves five megabytes or more."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
