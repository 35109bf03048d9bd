"""The lines of a CPU's cache, and prefetching them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tvm.script import tirx as T

LINE = 16
"""float32 values in a cache line of 64 bytes."""


def prefetch(buffer: Any, indices: Sequence[Any], to_write: bool = False, later: bool = False) -> None:
    """Prefetch the cache line of an element; any index is allowed, even one beyond the buffer.

    `to_write` takes the line away from other cores, so it is wrong for lines that they read too. A line that is used
    `later` is loaded into the second-level cache only.
    """
    place = T.address_of(buffer[tuple(indices)])
    # LLVM's locality: 3 is the first-level cache, 2 the second. The last argument, 1, means data, not instructions.
    nearness = T.int32(2 if later else 3)
    T.evaluate(T.call_llvm_intrin("void", "llvm.prefetch", place, T.int32(to_write), nearness, T.int32(1)))
