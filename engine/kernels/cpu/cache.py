"""Lines of a processor's cache, and asking for them before they are used.

It does not know what they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tvm.script import tirx as T

LINE = 16
"""Values in a line of the cache."""


def prefetch(buffer: Any, indices: Sequence[Any], to_write: bool = False, later: bool = False) -> None:
    """Ask for a line of memory that is used soon; any address will do, even one beyond the buffer.

    A line to write is taken away from other cores: what they read too must not be asked for so. What is used `later`
    comes no nearer than the second-level cache.
    """
    place = T.address_of(buffer[tuple(indices)])
    nearness = T.int32(2 if later else 3)
    T.evaluate(T.call_llvm_intrin("void", "llvm.prefetch", place, T.int32(to_write), nearness, T.int32(1)))
