"""The memory of this process: its peak, how much freed memory the C library retains, how often garbage is collected."""

from __future__ import annotations

import ctypes
import gc
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
"""The size from which an array is mapped separately, so that freeing it returns its pages to the system."""
_TRIM_THRESHOLD_BYTES = 16 << 20
"""The freed memory to retain for small arrays: mapping it again would take longer than computing them."""
_ALL_BYTES = (1 << 31) - 1
_GARBAGE_THRESHOLDS = (20_000, 10, 10)
"""The new objects, and younger collections, that trigger a collection; Python's defaults are 700, 10 and 10."""


def peak_bytes() -> int:
    """Return the peak resident memory of this process.

    On Linux, the `getrusage` figure includes the parent process's memory, so it is only the fallback.
    """
    found = _HIGH_WATER.search(_STATUS.read_text()) if _STATUS.exists() else None
    return int(found[1]) * 1024 if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT_BYTES


def keep_little_freed_memory() -> None:
    """Limit freed memory at the end of the heap of GNU's C library, if the system has it, to 16 MB.

    By default, its thresholds grow with the arrays it sees, until it retains up to 64 MB.
    """
    _set_thresholds(_MMAP_THRESHOLD_BYTES, _TRIM_THRESHOLD_BYTES)


def keep_freed_memory() -> None:
    """Make GNU's C library, if the system has it, retain all freed memory for later arrays.

    PyTorch allocates tens of megabytes for every layer, and a fifth of its time is spent in the system on their pages;
    peak memory is the same.
    """
    _set_thresholds(_ALL_BYTES, _ALL_BYTES)


def _set_thresholds(mmap_bytes: int, trim_bytes: int) -> None:
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, mmap_bytes)
        set_option(_TRIM_THRESHOLD, trim_bytes)


def give_back_freed_memory() -> None:
    """Return all unused pages to the system; starting the program alone leaves at least 5 MB."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def collect_garbage_rarely() -> None:
    """Make Python collect garbage less often; processes of the engine call this first.

    Importing PyTorch and compiling create millions of objects that stay in use, which each collection traverses.
    Compiling a stage takes 5 to 10 % less time with fewer collections, and its peak memory is the same.
    """
    gc.set_threshold(*_GARBAGE_THRESHOLDS)
