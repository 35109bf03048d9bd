"""Buffers of a GPU for the arrays inside stages, reused by the next stage: new ones have to be mapped and zeroed.

TVM's own pool keeps every size that was ever asked for, and each length of speech has sizes of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

BUFFERS_FUNCTION = "kokoro.buffers"
"""The function that stages for a GPU call: takes sizes [bytes], returns as many buffers, each at least that large."""
KEPT_BYTES = 256 << 20
"""The most that is kept between stages. Weights, and what was read from the device last, add to this."""

_lent = threading.local()


@dataclass(frozen=True)
class _Buffer:
    size_bytes: int
    tensor: Any


class Buffers:
    """The buffers in which stages compute, one stage at a time; `allocate` makes a tensor of so many bytes."""

    def __init__(self, allocate: Callable[[int], Any]) -> None:
        self._allocate = allocate
        self._largest_first: list[_Buffer] = []
        self._outgrown: list[_Buffer] = []

    @property
    def size_bytes(self) -> int:
        """What all of them take."""
        return sum(buffer.size_bytes for buffer in self._largest_first)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Lend them to the stage that this thread runs in the context; at its end the device must be idle."""
        _lent.buffers = self
        try:
            yield
        finally:
            del _lent.buffers
            self._outgrown.clear()
            while self.size_bytes > KEPT_BYTES:
                del self._largest_first[0]

    def of_sizes(self, sizes_bytes: Sequence[int]) -> list[Any]:
        """A buffer for each size, at least that large; none may be used after the stage has ended."""
        largest_first = sorted(range(len(sizes_bytes)), key=lambda index: -sizes_bytes[index])
        given = {index: self._provided(place, sizes_bytes[index]) for place, index in enumerate(largest_first)}
        return [given[index] for index in range(len(sizes_bytes))]

    def _provided(self, place: int, size_bytes: int) -> Any:
        """The buffer at this place, which is replaced if it is smaller."""
        if place == len(self._largest_first) or self._largest_first[place].size_bytes < size_bytes:
            self._outgrown += self._largest_first[place : place + 1]  # freed when the device is idle
            self._largest_first[place : place + 1] = [_Buffer(size_bytes, self._allocate(size_bytes))]
        return self._largest_first[place].tensor


def provide_buffers(ffi: Any, allocate: Callable[[int], Any]) -> None:
    """Register the function with TVM; if nothing is lent, the buffers are freed together with the stage's arrays."""

    def buffers(sizes_bytes: Any) -> Any:
        lender: Buffers = getattr(_lent, "buffers", None) or Buffers(allocate)
        return lender.of_sizes([int(size) for size in sizes_bytes])

    ffi.register_global_func(BUFFERS_FUNCTION, buffers, override=True)
