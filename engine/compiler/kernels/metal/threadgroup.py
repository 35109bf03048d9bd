"""The division of work in kernels for Apple's GPUs, and reductions over the threads of a threadgroup.

Indices in these kernels are int32, because 64-bit integers are slow on these GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T

from engine.compiler.kernels.precision import Precision


@dataclass(frozen=True)
class Threadgroup:
    """The division of work: `threads` is the default number of threads, a power of 2.

    `tile_bytes` bounds the threadgroup memory of a tile; `factors` is the precision of large convolutions' factors.
    """

    threads: int = 256
    tile_bytes: int = 24 * 1024
    factors: Precision = Precision.FLOAT32

    @property
    def steps(self) -> int:
        """Halvings that reduce one value per thread to one."""
        return self.threads.bit_length() - 1


@T.inline
def sum_of_threads(group: Any, partial: Any, thread: Any) -> None:
    """Reduce `partial` [threads] of threadgroup memory to its sum in partial[0]; every thread must call this."""
    # All partial values are written.
    T.tvm_storage_sync("shared")
    for step in T.unroll(group.steps):
        # A tree: each step halves the threads that add, and waits for the step before it.
        if thread < (group.threads >> (step + 1)):
            partial[thread] = partial[thread] + partial[thread + (group.threads >> (step + 1))]
        T.tvm_storage_sync("shared")


@T.inline
def largest_of_threads(group: Any, partial: Any, thread: Any) -> None:
    """Reduce `partial` [threads] of threadgroup memory to its maximum in partial[0]; every thread must call this."""
    T.tvm_storage_sync("shared")
    for step in T.unroll(group.steps):
        if thread < (group.threads >> (step + 1)):
            partial[thread] = T.max(partial[thread], partial[thread + (group.threads >> (step + 1))])
        T.tvm_storage_sync("shared")
