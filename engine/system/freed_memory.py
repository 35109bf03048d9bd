"""How much of the memory that compiled stages have freed the process keeps for itself.

It does not know who frees it.
"""

from __future__ import annotations

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""The C library's numbers of its settings."""
_LEAST_OF_ITS_OWN_BYTES = 8 << 20
"""From this size on an array has pages of its own, which go back to the system with it."""
_MOST_KEPT_BYTES = 16 << 20
"""Small arrays find memory that is still mapped: to map it anew costs more than to compute them."""


def keep_little_freed_memory() -> None:
    """Have GNU's C library, where it is the system's, keep at most 16 MB at its end after it is freed.

    By itself it raises its thresholds with the arrays it sees, up to 64 MB kept.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, _LEAST_OF_ITS_OWN_BYTES)
        set_option(_TRIM_THRESHOLD, _MOST_KEPT_BYTES)


def give_back_freed_memory() -> None:
    """Have it give the system all pages that hold nothing any more; five megabytes and more are left by starting."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
