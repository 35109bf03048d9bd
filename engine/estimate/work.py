"""What the kernels of a stage do in one run, as plain counts, and the sums that make them: true on every chip."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

SIMD_WIDTH = 32
MATRIX_FLOP = 1024
"""Of one multiplication of 8 x 8 matrices, by a simdgroup together."""
_MATRIX_ELEMENTS = 64
_EACH_THREAD = "barriers"


@dataclass(frozen=True)
class Work:
    """Counts over all threads of a dispatch; a simdgroup with one thread at work counts as one with all 32.

    `operations` are float instructions of one cycle (a fused multiply-add is one), `slow_operations` those that take
    more, by name, `memory_operations` loads and stores; arithmetic on indices is not counted. `flop` counts a fused
    multiply-add twice and includes matrix multiplications. Bytes are those of device memory as every thread asks for
    them (`loaded`, `stored`), those that remain when the threads of a simdgroup share what they ask for at the same
    time (`moved`), and those of threadgroup memory, shared in that way too. `barriers` are those that one thread
    meets.
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
    convolutions and matrix products needs: each weight once per position; None for a kernel that has neither.
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
        """Executed over useful FLOP; None for a kernel without a convolution or matrix product."""
        return self.work.flop / self.useful_flop if self.useful_flop else None


@dataclass(frozen=True)
class StageWork:
    """The dispatches of a stage, in order; `useful_flop` of all its convolutions and matrix products with weights."""

    stage: str
    kernels: tuple[KernelWork, ...]
    useful_flop: float


class WorkTally:
    """Adds up what the threads of one threadgroup do; names are those of `Work`.

    How often each thread does it is an array `repeats` with one number per thread; a simdgroup of 32 does it as often
    as the busiest of its threads.
    """

    def __init__(self) -> None:
        self._counts: defaultdict[str, float] = defaultdict(float)
        self._slow: defaultdict[str, float] = defaultdict(float)

    def operation(self, repeats: np.ndarray, flop: int) -> None:
        """A float instruction of one cycle."""
        self._counts["operations"] += _lanes(repeats)
        self._counts["flop"] += _lanes(repeats) * flop

    def slow_operation(self, name: str, repeats: np.ndarray, flop: int) -> None:
        """A float instruction of several cycles."""
        self._slow[name] += _lanes(repeats)
        self._counts["flop"] += _lanes(repeats) * flop

    def barrier(self, repeats: np.ndarray) -> None:
        """A barrier of the threadgroup."""
        self._counts[_EACH_THREAD] += float(repeats.max())

    def matrix_multiplication(self, repeats: np.ndarray) -> None:
        """Of 8 x 8 matrices, by whole simdgroups."""
        simdgroups = _lanes(repeats) / SIMD_WIDTH
        self._counts["matrix_multiplications"] += simdgroups
        self._counts["flop"] += simdgroups * MATRIX_FLOP

    def matrix_fill(self, repeats: np.ndarray) -> None:
        """Elements of an 8 x 8 matrix set by a whole simdgroup."""
        self._counts["memory_operations"] += _lanes(repeats) / SIMD_WIDTH * _MATRIX_ELEMENTS

    def matrix_access(self, repeats: np.ndarray, element_bytes: int, kind: str, shared: bool) -> None:
        """An 8 x 8 matrix loaded or stored by whole simdgroups."""
        self.matrix_fill(repeats)
        moved = _lanes(repeats) / SIMD_WIDTH * _MATRIX_ELEMENTS * element_bytes
        self._move(moved, moved, kind, shared)

    def access(
        self, offsets: np.ndarray | None, repeats: np.ndarray, element_bytes: int, kind: str, shared: bool, width: int
    ) -> None:
        """Elements loaded or stored, at these offsets in their buffer; one instruction takes `width` of them.

        `offsets` has one number per thread; without it, no two threads are taken to ask for the same element.
        """
        self._counts["memory_operations"] += _lanes(repeats) / width
        asked = float(repeats.sum()) * element_bytes
        distinct = asked if offsets is None else _distinct(offsets, repeats) * element_bytes
        self._move(asked, distinct, kind, shared)

    def work(self, groups: int) -> Work:
        """The counts of `groups` threadgroups."""
        total = defaultdict(float, {name: value * groups for name, value in self._counts.items()})
        return Work(
            flop=total["flop"],
            operations=total["operations"],
            slow_operations={name: value * groups for name, value in sorted(self._slow.items())},
            matrix_multiplications=total["matrix_multiplications"],
            memory_operations=total["memory_operations"],
            device_bytes_loaded=total["device_bytes_loaded"],
            device_bytes_stored=total["device_bytes_stored"],
            device_bytes_moved=total["device_bytes_moved"],
            threadgroup_bytes_moved=total["threadgroup_bytes_moved"],
            barriers=self._counts[_EACH_THREAD],
        )

    def _move(self, asked: float, distinct: float, kind: str, shared: bool) -> None:
        if shared:
            self._counts["threadgroup_bytes_moved"] += distinct
        else:
            self._counts[f"device_bytes_{kind}"] += asked
            self._counts["device_bytes_moved"] += distinct


def _simdgroups(count: int) -> Iterator[slice]:
    return (slice(start, start + SIMD_WIDTH) for start in range(0, count, SIMD_WIDTH))


def _lanes(repeats: np.ndarray) -> float:
    return float(sum(repeats[own].max() for own in _simdgroups(len(repeats)))) * SIMD_WIDTH


def _distinct(offsets: np.ndarray, repeats: np.ndarray) -> float:
    """Elements that simdgroups ask for, one that several threads ask for counted once."""
    parts = ((offsets[own], repeats[own]) for own in _simdgroups(len(repeats)))
    return sum(float(times.max()) * len(set(where[times > 0].tolist())) for where, times in parts)
