"""How kernels for Apple's GPUs divide their work, and the sums that threads of a threadgroup make together.

Kernels count in int32: 64-bit integers are slow there. It does not know any operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T

from engine.kernels.precision import Precision


@dataclass(frozen=True)
class Threadgroup:
    """`threads` is the usual number, a power of 2; `tile_bytes` bounds the threadgroup memory of a tile.

    `factors` is what large convolutions multiply.
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
    """Reduce `partial` [threads] of threadgroup memory to its sum in partial[0]; every thread must get here."""
    T.tvm_storage_sync("shared")
    for step in T.unroll(group.steps):
        if thread < (group.threads >> (step + 1)):
            partial[thread] = partial[thread] + partial[thread + (group.threads >> (step + 1))]
        T.tvm_storage_sync("shared")


@T.inline
def largest_of_threads(group: Any, partial: Any, thread: Any) -> None:
    """Likewise for the largest."""
    T.tvm_storage_sync("shared")
    for step in T.unroll(group.steps):
        if thread < (group.threads >> (step + 1)):
            partial[thread] = T.max(partial[thread], partial[thread + (group.threads >> (step + 1))])
        T.tvm_storage_sync("shared")
