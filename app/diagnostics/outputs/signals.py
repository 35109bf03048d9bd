"""A signal reduced to the columns of a picture: its envelope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.floating]


@dataclass(frozen=True)
class Envelope:
    """`lowest` and `highest` [columns]; column i covers `edges[i]` to `edges[i + 1]`, counted in values."""

    edges: NDArray[np.int_]
    lowest: Values
    highest: Values


def envelope(signal: Values, start: int, end: int, columns: int) -> Envelope:
    """Values `start` to `end` of a signal [n] in at most `columns` columns; fewer when there are fewer values."""
    start, end = max(start, 0), min(end, len(signal))
    if end <= start:
        nothing = np.zeros(0, np.float32)
        return Envelope(np.zeros(1, int), nothing, nothing)
    count = min(columns, end - start)
    edges = start + np.arange(count + 1) * (end - start) // count
    part = np.asarray(signal[start:end])
    starts = edges[:-1] - start
    return Envelope(edges, np.minimum.reduceat(part, starts), np.maximum.reduceat(part, starts))
