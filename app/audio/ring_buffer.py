"""A lock-free ring of samples between one writing and one reading thread."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.speech import Samples


class RingBuffer:
    """Samples in transit; only the producer calls `write`, only the consumer `read_into`.

    Both counters only increase, but for what is taken back; each is changed by one side only, after the samples it
    counts have been copied, so no lock is needed.
    """

    def __init__(self, capacity_samples: int) -> None:
        self._samples: Samples = np.zeros(capacity_samples, np.float32)
        self._written = 0
        self._read = 0

    @property
    def readable(self) -> int:
        """The number of samples waiting to be read."""
        return self._written - self._read

    @property
    def writable(self) -> int:
        """The number of samples that fit in now."""
        return len(self._samples) - self.readable

    @property
    def samples_read(self) -> int:
        """The number of samples read so far."""
        return self._read

    def write(self, samples: Samples) -> int:
        """Take as many of `samples` [n] as fit; returns how many."""
        count = min(len(samples), self.writable)
        start = self._written % len(self._samples)
        head = min(count, len(self._samples) - start)
        self._samples[start : start + head] = samples[:head]
        self._samples[: count - head] = samples[head:count]
        self._written += count
        return count

    def take_back(self, keep: int) -> Samples:
        """Remove all but the next `keep` samples from the end and return them [n].

        The consumer may be running if it never reads as many as `keep` at once.
        """
        end = min(self._read + keep, self._written)
        removed = self._samples[np.arange(end, self._written) % len(self._samples)]
        self._written = end
        return removed

    def read_into(self, target: NDArray[np.float32]) -> int:
        """Copy the available samples to the start of `target` [n] and return their number; the rest stays as it is."""
        count = min(len(target), self.readable)
        start = self._read % len(self._samples)
        head = min(count, len(self._samples) - start)
        target[:head] = self._samples[start : start + head]
        target[head:count] = self._samples[: count - head]
        self._read += count
        return count
