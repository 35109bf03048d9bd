"""Adds up what the threads of one threadgroup do.

How often each thread does it is an array with one number per thread; a simdgroup of 32 does it as often as the busiest
of its threads. It does not know kernels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from engine.estimate.work import MATRIX_FLOP, SIMD_WIDTH, Work

_MATRIX_ELEMENTS = 64
_EACH_THREAD = "barriers"


class WorkTally:
    """The counts so far; names are those of `Work`."""

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
        self, place: np.ndarray | None, repeats: np.ndarray, element_bytes: int, kind: str, shared: bool, width: int
    ) -> None:
        """Elements loaded or stored, at these places; one instruction takes `width` of them."""
        self._counts["memory_operations"] += _lanes(repeats) / width
        asked = float(repeats.sum()) * element_bytes
        distinct = asked if place is None else _distinct(place, repeats) * element_bytes
        self._move(asked, distinct, kind, shared)

    def work(self, groups: int) -> Work:
        """The counts for so many threadgroups."""
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


def _distinct(place: np.ndarray, repeats: np.ndarray) -> float:
    """Elements that simdgroups ask for, one that several threads ask for counted once."""
    parts = ((place[own], repeats[own]) for own in _simdgroups(len(repeats)))
    return sum(float(times.max()) * len(set(where[times > 0].tolist())) for where, times in parts)
