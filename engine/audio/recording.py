"""What is written to a sound file piece by piece: samples, starts of chapters, and what the file tells of itself."""

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
    """What players show; `cover` is a picture in JPEG or PNG, which only MP4 keeps; `track` counts from 1."""

    title: str = ""
    author: str = ""
    album: str = ""
    track: int = 0
    cover: bytes | None = field(default=None, repr=False)


class Recording(Protocol):
    """A sound file that grows; what fails raises `OSError`."""

    def begin_chapter(self, title: str) -> None:
        """A chapter begins with the next sample; formats without chapters ignore it."""

    def write(self, pcm: Pcm) -> None:
        """Append mono samples [n]."""

    def finish(self) -> Iterator[None]:
        """Write what comes last, step by step, since it may take long; without it, the file is given up."""

    def close(self) -> None:
        """Let go of everything."""


def to_pcm(samples: Samples) -> Pcm:
    """Samples [n] float32, clipped to [-1, 1], as 16-bit integers."""
    pcm: Pcm = np.rint(np.clip(samples, -1, 1) * _FULL_SCALE).astype(np.int16)
    return pcm
