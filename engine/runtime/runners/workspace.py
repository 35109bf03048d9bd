"""Memory for the arrays inside stages, reused by the next stage: new pages cost a twentieth of the decoder's time."""

from __future__ import annotations

import mmap
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compiler.artifacts.runtime_functions import WORKSPACE_FUNCTION

KEPT_BYTES = 96 << 20
"""The maximum size retained per piece: the decoder's need for seven seconds of speech. Packed weights are extra."""
_GIVE_BACK = mmap.MADV_FREE if sys.platform == "darwin" else mmap.MADV_DONTNEED
"""The advice to the system to reclaim pages of private memory."""

_lent = threading.local()


class Workspace:
    """The pieces of memory in which stages compute, one stage at a time."""

    def __init__(self) -> None:
        self._pieces: list[mmap.mmap] = []
        self._in_use = 0

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Lend these pieces to the stage that this thread runs inside the context."""
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
        """Return the next piece for the running stage; it must not be used after the stage has ended."""
        index = self._in_use
        if index == len(self._pieces) or len(self._pieces[index]) < size_bytes:
            del self._pieces[index : index + 1]  # before a larger one is allocated
            self._pieces.insert(index, _private_memory(size_bytes))
        self._in_use += 1
        return np.frombuffer(self._pieces[index], np.uint8, size_bytes)


def provide_workspace(ffi: Any) -> None:
    """Register the function with TVM; if no pieces are lent, new memory is freed together with the array."""

    def workspace(shape: Any) -> Any:
        lender: Workspace = getattr(_lent, "workspace", None) or Workspace()
        return ffi.from_dlpack(lender.piece(int(shape[0])))

    ffi.register_global_func(WORKSPACE_FUNCTION, workspace, override=True)


def _private_memory(size_bytes: int) -> mmap.mmap:
    """Map memory in small pages: with large ones, the rows of an array evict each other from the caches."""
    return mmap.mmap(-1, max(size_bytes, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
