"""Samples kept on disk instead of in memory, for as long as they may be heard."""

from __future__ import annotations

import os
import tempfile
import weakref
from pathlib import Path

import numpy as np

from engine.speech import Samples
from engine.system.paths import cache_folder

SAMPLE_BYTES = 4


class SampleFile:
    """Samples that can be appended and read; positions are samples from the start.

    The file has no name, so that it is gone with the process, however that ends. It is read, not mapped: what is mapped
    counts as memory of the process. What cannot be written, as on a full disk, stays in memory, so that the speech goes
    on.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._descriptor: int | None = None
        self._filed = 0
        self._rest: list[Samples] = []
        self.length = 0

    @property
    def kept_in_memory(self) -> int:
        """The number of samples that could not be written."""
        return self.length - self._filed

    def append(self, samples: Samples) -> None:
        """Append `samples` [n]."""
        if self.kept_in_memory or not self._written(samples):
            self._rest.append(samples)
        self.length += len(samples)

    def cut(self, length: int) -> None:
        """Drop what is behind so many samples."""
        self._rest = [self.read(self._filed, length)] if length > self._filed else []
        self._filed = min(self._filed, length)
        self.length = length

    def read(self, start: int, end: int) -> Samples:
        """The samples from `start` to `end`, or to the end of what is here."""
        end = min(end, self.length)
        filed = self._read_filed(start, min(end, self._filed))
        if end <= self._filed:
            return filed
        rest = np.concatenate(self._rest)[max(start - self._filed, 0) : end - self._filed]
        return np.concatenate([filed, rest])

    def _written(self, samples: Samples) -> bool:
        try:
            content = np.ascontiguousarray(samples, np.float32).tobytes()
            place = self._filed * SAMPLE_BYTES
            while content:
                done = os.pwrite(self._opened(), content, place)
                content, place = content[done:], place + done
        except OSError:
            return False
        self._filed += len(samples)
        return True

    def _read_filed(self, start: int, end: int) -> Samples:
        if start >= end:
            return np.zeros(0, np.float32)
        content = os.pread(self._opened(), (end - start) * SAMPLE_BYTES, start * SAMPLE_BYTES)
        return np.frombuffer(content, np.float32)

    def _opened(self) -> int:
        if self._descriptor is None:
            folder = self._folder or cache_folder() / "speech"
            folder.mkdir(parents=True, exist_ok=True)
            self._descriptor, name = tempfile.mkstemp(dir=folder)
            weakref.finalize(self, os.close, self._descriptor)
            Path(name).unlink()
        return self._descriptor
