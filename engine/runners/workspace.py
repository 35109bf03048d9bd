"""Memory for the arrays inside of stages, kept from one to the next: new pages cost a twentieth of the decoder's time.

It does not know how a stage shares its piece out.
"""

from __future__ import annotations

import mmap
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORKSPACE_FUNCTION = "kokoro.workspace"
"""The function that stages for the processor call: takes a shape [bytes], gives an array of these bytes."""
KEPT_BYTES = 96 << 20
"""Of a piece, at most: what the decoder needs for seven seconds of speech. Beside it are all packed weights."""
_GIVE_BACK = mmap.MADV_FREE if sys.platform == "darwin" else mmap.MADV_DONTNEED
"""What takes the pages of private memory from a process."""

_lent = threading.local()


class Workspace:
    """The pieces of memory that one stage at a time computes in."""

    def __init__(self) -> None:
        self._pieces: list[mmap.mmap] = []
        self._in_use = 0

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Give the stage that this thread runs meanwhile its memory from here."""
        _lent.workspace = self
        try:
            yield
        finally:
            del _lent.workspace
            self._in_use = 0
            for piece in self._pieces:
                if len(piece) > KEPT_BYTES:
                    piece.madvise(_GIVE_BACK, KEPT_BYTES)

    def piece(self, size_bytes: int) -> NDArray[np.uint8]:
        """The next piece for the stage that runs; nobody may use it once the stage has."""
        index = self._in_use
        if index == len(self._pieces) or len(self._pieces[index]) < size_bytes:
            del self._pieces[index : index + 1]  # before there is another
            self._pieces.insert(index, _private_memory(size_bytes))
        self._in_use += 1
        return np.frombuffer(self._pieces[index], np.uint8, size_bytes)


def provide_workspace(ffi: Any) -> None:
    """Make the function known to TVM; where nothing is lent, it gives memory that goes with its array."""

    def workspace(shape: Any) -> Any:
        lender: Workspace = getattr(_lent, "workspace", None) or Workspace()
        return ffi.from_dlpack(lender.piece(int(shape[0])))

    ffi.register_global_func(WORKSPACE_FUNCTION, workspace, override=True)


def _private_memory(size_bytes: int) -> mmap.mmap:
    """Pages of usual size: with large ones, the rows of an array push each other out of the caches."""
    return mmap.mmap(-1, max(size_bytes, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
