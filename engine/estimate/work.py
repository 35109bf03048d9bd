"""What the kernels of a stage do in one run, as plain counts.

It does not know how they were counted, nor any chip.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SIMD_WIDTH = 32
MATRIX_FLOP = 1024
"""Of one multiplication of 8 x 8 matrices, by a simdgroup together."""


@dataclass(frozen=True)
class Work:
    """Counts over all threads of a dispatch; a simdgroup with one thread at work counts as one with all 32.

    `operations` are float instructions of one cycle (a fused multiply-add is one), `slow_operations` those that take
    more, by name, `memory_operations` loads and stores; arithmetic on indices is not counted. `flop` counts a fused
    multiply-add twice and includes matrix multiplications. Bytes are those of device memory as every thread asks for
    them (`loaded`, `stored`), what remains of them when the threads of a simdgroup share what they ask for at once
    (`moved`), and those of threadgroup memory, so shared. `barriers` are those that one thread meets.
    """

    flop: float
    operations: float
    slow_operations: Mapping[str, float]
    matrix_multiplications: float
    memory_operations: float
    device_bytes_loaded: float
    device_bytes_stored: float
    device_bytes_moved: float
    threadgroup_bytes_moved: float
    barriers: float


@dataclass(frozen=True)
class KernelWork:
    """One dispatch: `groups` threadgroups of `threads` threads that make an output of the shape `output`.

    `compulsory_bytes` is the size of all buffers it touches, each once. `useful_flop` is what the mathematics of its
    convolutions and matrix products needs: each weight once per position; None for a kernel without any.
    """

    name: str
    output: tuple[int, ...]
    groups: int
    threads: int
    work: Work
    compulsory_bytes: float
    useful_flop: float | None = None

    @property
    def waste(self) -> float | None:
        """Executed over useful FLOP; None where there is no convolution or matrix product."""
        return self.work.flop / self.useful_flop if self.useful_flop else None


@dataclass(frozen=True)
class StageWork:
    """The dispatches of a stage, in order; `useful_flop` of all its convolutions and matrix products with weights."""

    stage: str
    kernels: tuple[KernelWork, ...]
    useful_flop: float
