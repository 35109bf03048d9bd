"""The interface of audio files that are written piece by piece, with chapters and tags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.speech import Samples

Pcm = NDArray[np.int16]
_FULL_SCALE = np.float32(32767)


@dataclass(frozen=True)
class Tags:
    """The metadata that players show; `cover` is a JPEG or PNG picture, stored only in MP4; `track` counts from 1."""

    title: str = ""
    author: str = ""
    album: str = ""
    track: int = 0
    cover: bytes | None = field(default=None, repr=False)


class Recording(Protocol):
    """An audio file that grows; failures raise `OSError`."""

    def begin_chapter(self, title: str) -> None:
        """Start a chapter at the next sample; formats without chapters ignore this."""

    def write(self, pcm: Pcm) -> None:
        """Append mono samples [n]."""

    def finish(self) -> Iterator[None]:
        """Write the end of the file, step by step, since it may take long; without it, the file is discarded."""

    def close(self) -> None:
        """Release all resources."""


def to_pcm(samples: Samples) -> Pcm:
    """Convert samples [n] float32, clipped to [-1, 1], to 16-bit integers."""
    pcm: Pcm = np.rint(np.clip(samples, -1, 1) * _FULL_SCALE).astype(np.int16)
    return pcm
