"""How much of the memory that compiled stages have freed stays with the process."""

from __future__ import annotations

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""The numbers of `M_TRIM_THRESHOLD` and `M_MMAP_THRESHOLD` in the C library's `mallopt`."""
_MMAP_THRESHOLD_BYTES = 8 << 20
"""From this size an array has pages of its own, which go back to the system when it is freed."""
_TRIM_THRESHOLD_BYTES = 16 << 20
"""Small arrays reuse memory that is still mapped: mapping it again would cost more than computing them."""


def keep_little_freed_memory() -> None:
    """Make GNU's C library, if the system has it, keep at most 16 MB of freed memory at the end of its heap.

    Left alone, it raises its thresholds with the sizes of the arrays it sees, until it keeps up to 64 MB.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, _MMAP_THRESHOLD_BYTES)
        set_option(_TRIM_THRESHOLD, _TRIM_THRESHOLD_BYTES)


def give_back_freed_memory() -> None:
    """Return all unused pages to the system; starting the program alone leaves five megabytes or more."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
