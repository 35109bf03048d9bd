"""Minima and maxima of a growing signal at several resolutions, so that any part of it can be drawn quickly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.speech import Samples

FINEST_BIN_SAMPLES = 64
COARSER_BY = 8
LEVEL_COUNT = 5


@dataclass(frozen=True)
class Peaks:
    """The envelope of part of a signal: `lowest` and `highest` [columns] float32."""

    lowest: NDArray[np.float32]
    highest: NDArray[np.float32]


class PeakPyramid:
    """Collects samples as they arrive; a bin appears once it is full, so `covered_samples` lags by less than a bin."""

    def __init__(self) -> None:
        self._pending: Samples = np.zeros(0, np.float32)
        self._levels = [_Level() for _ in range(LEVEL_COUNT)]

    @property
    def covered_samples(self) -> int:
        """The number of samples that the finest level covers."""
        return len(self._levels[0]) * FINEST_BIN_SAMPLES

    def append(self, samples: Samples) -> None:
        """Append `samples` [n]."""
        joined = np.concatenate([self._pending, samples])
        whole = len(joined) // FINEST_BIN_SAMPLES * FINEST_BIN_SAMPLES
        bins = joined[:whole].reshape(-1, FINEST_BIN_SAMPLES)
        self._levels[0].append(bins.min(axis=1), bins.max(axis=1))
        self._pending = joined[whole:].copy()
        for finer, coarser in pairwise(self._levels):
            coarser.fold(finer)

    def cut(self, samples_count: int) -> int:
        """Truncate to at most `samples_count` samples. Return the number still covered; append the rest again."""
        self._pending = np.zeros(0, np.float32)
        self._levels[0].cut(samples_count // FINEST_BIN_SAMPLES)
        for finer, coarser in pairwise(self._levels):
            coarser.cut(len(finer) // COARSER_BY)
            coarser.fold(finer)
        return self.covered_samples

    def peaks(self, start: float, end: float, columns: int) -> Peaks:
        """Return the envelope of samples `start` to `end` in columns, accurate to one bin at the edges of each."""
        per_column = max((end - start) / columns, 1.0)
        level_index = self._level_for(per_column)
        level = self._levels[level_index]
        bin_samples = FINEST_BIN_SAMPLES * COARSER_BY**level_index
        edges = (start + np.arange(columns + 1) * per_column) / bin_samples
        return level.reduced(np.floor(edges[:-1]).clip(0).astype(int), np.ceil(edges[1:]).astype(int))

    def _level_for(self, samples_per_column: float) -> int:
        coarsest = 0
        while (
            coarsest + 1 < LEVEL_COUNT and FINEST_BIN_SAMPLES * COARSER_BY ** (coarsest + 1) * 2 <= samples_per_column
        ):
            coarsest += 1
        return coarsest


@dataclass(frozen=True)
class JoinedPeaks:
    """Several signals in order, each with the sample at which it begins, and silence between them."""

    parts: tuple[tuple[int, PeakPyramid], ...]

    @property
    def covered_samples(self) -> int:
        """The number of samples up to the end of the last signal."""
        start, last = self.parts[-1]
        return start + last.covered_samples

    def peaks(self, start: float, end: float, columns: int) -> Peaks:
        """Return the envelope of samples `start` to `end` in columns, accurate to one bin at the edges of each."""
        per_column = max((end - start) / columns, 1.0)
        joined = Peaks(*np.zeros((2, columns), np.float32))
        for first, pyramid in self.parts:
            before = max(0, math.floor((first - start) / per_column))
            if before < columns and pyramid.covered_samples:
                part = pyramid.peaks(start + before * per_column - first, end - first, columns - before)
                np.minimum(joined.lowest[before:], part.lowest, out=joined.lowest[before:])
                np.maximum(joined.highest[before:], part.highest, out=joined.highest[before:])
        return joined


Envelope = PeakPyramid | JoinedPeaks


class _Level:
    """Minima and maxima of equally long bins, in arrays that double when full."""

    def __init__(self) -> None:
        self._bins = np.zeros((2, 64), np.float32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, lowest: NDArray[np.float32], highest: NDArray[np.float32]) -> None:
        end = self._count + len(lowest)
        while end >= self._bins.shape[1]:  # one bin is always spare: `reduced` names the bin after the last
            self._bins = np.concatenate([self._bins, np.zeros_like(self._bins)], axis=1)
        self._bins[0, self._count : end] = lowest
        self._bins[1, self._count : end] = highest
        self._count = end

    def cut(self, count: int) -> None:
        self._count = min(self._count, count)

    def fold(self, finer: _Level) -> None:
        """Extend from the finer level, recomputing the last bin, which may be incomplete."""
        self._count = max(self._count - 1, 0)
        fresh = finer._bins[:, self._count * COARSER_BY : finer._count]
        if fresh.shape[1]:
            whole = np.pad(fresh, ((0, 0), (0, -fresh.shape[1] % COARSER_BY)), mode="edge").reshape(2, -1, COARSER_BY)
            self.append(whole[0].min(axis=1), whole[1].max(axis=1))

    def reduced(self, starts: NDArray[np.int_], ends: NDArray[np.int_]) -> Peaks:
        """Return one pair per column; columns beyond the last bin are zero."""
        lowest, highest = np.zeros((2, len(starts)), np.float32)
        known = int(np.searchsorted(starts, self._count))
        if known:
            spans = np.stack([starts[:known], np.clip(ends[:known], starts[:known] + 1, self._count)], axis=1).ravel()
            lowest[:known] = np.minimum.reduceat(self._bins[0, : self._count + 1], spans)[::2]
            highest[:known] = np.maximum.reduceat(self._bins[1, : self._count + 1], spans)[::2]
        return Peaks(lowest, highest)
