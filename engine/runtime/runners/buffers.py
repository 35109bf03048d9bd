"""GPU buffers for the arrays inside stages, reused by the next stage: new ones have to be mapped and zeroed.

TVM's own pool retains every size ever requested, and each length of speech needs different sizes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from engine.compiler.artifacts.runtime_functions import BUFFERS_FUNCTION

KEPT_BYTES = 256 << 20
"""The maximum size retained between stages; weights and the latest results read from the device are extra."""

_lent = threading.local()


@dataclass(frozen=True)
class _Buffer:
    size_bytes: int
    tensor: Any


class Buffers:
    """The buffers in which stages compute, one stage at a time; `allocate` creates a tensor of a size in bytes."""

    def __init__(self, allocate: Callable[[int], Any]) -> None:
        self._allocate = allocate
        self._largest_first: list[_Buffer] = []
        self._outgrown: list[_Buffer] = []

    @property
    def size_bytes(self) -> int:
        """The total size of the buffers [bytes]."""
        return sum(buffer.size_bytes for buffer in self._largest_first)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Lend the buffers to the stage that this thread runs in the context; at its end the device must be idle."""
        _lent.buffers = self
        try:
            yield
        finally:
            del _lent.buffers
            self._outgrown.clear()
            while self.size_bytes > KEPT_BYTES:
                del self._largest_first[0]

    def of_sizes(self, sizes_bytes: Sequence[int]) -> list[Any]:
        """Return a buffer for each size, at least that large; none may be used after the stage has ended."""
        largest_first = sorted(range(len(sizes_bytes)), key=lambda index: -sizes_bytes[index])
        given = {index: self._provided(place, sizes_bytes[index]) for place, index in enumerate(largest_first)}
        return [given[index] for index in range(len(sizes_bytes))]

    def _provided(self, place: int, size_bytes: int) -> Any:
        """Return the buffer at this place, replacing one that is too small."""
        if place == len(self._largest_first) or self._largest_first[place].size_bytes < size_bytes:
            self._outgrown += self._largest_first[place : place + 1]  # freed when the device is idle
            self._largest_first[place : place + 1] = [_Buffer(size_bytes, self._allocate(size_bytes))]
        return self._largest_first[place].tensor


def provide_buffers(ffi: Any, allocate: Callable[[int], Any]) -> None:
    """Register the function with TVM; if no buffers are lent, new ones are freed together with the stage's arrays."""

    def buffers(sizes_bytes: Any) -> Any:
        lender: Buffers = getattr(_lent, "buffers", None) or Buffers(allocate)
        return lender.of_sizes([int(size) for size in sizes_bytes])

    ffi.register_global_func(BUFFERS_FUNCTION, buffers, override=True)
