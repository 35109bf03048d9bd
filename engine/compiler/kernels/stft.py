"""Short-time Fourier transforms on every target: sizes per frame of audio, the window, and tables of sines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T

from engine.compiler.kernels.mathematics import cos, sin, sin_of_cycles64


@dataclass(frozen=True)
class Stft:
    """Sizes of a transform; `samples`, the samples of a frame, are a multiple of `hop`."""

    n_fft: int
    hop: int
    samples: int

    @property
    def bins(self) -> int:
        """Frequencies, from 0 Hz to Nyquist."""
        return self.n_fft // 2 + 1

    @property
    def columns(self) -> int:
        """Columns of the spectrum in a frame."""
        return self.samples // self.hop


def sine64(tap: Any, n_fft: int) -> Any:
    """sin(2 pi tap / n_fft) in float64."""
    return sin_of_cycles64(T.Cast("float64", tap % n_fft) / T.float64(n_fft))


def cosine64(tap: Any, n_fft: int) -> Any:
    """cos(2 pi tap / n_fft) in float64."""
    # cos x = sin(x + a quarter cycle), and the quarter is exact in units of 1 / (4 n_fft) cycle.
    return sin_of_cycles64(T.Cast("float64", (4 * tap + n_fft) % (4 * n_fft)) / T.float64(4 * n_fft))


def hann64(tap: Any, n_fft: int) -> Any:
    """The periodic Hann window, 1/2 - cos / 2, in float64."""
    return T.float64(0.5) - T.float64(0.5) * cosine64(tap, n_fft)


@T.inline
def fill_circle(group: Any, n_fft: Any, cosines: Any, sines: Any, thread: Any) -> None:
    """Fill threadgroup memory with cos and sin of 2 pi tap / n_fft for every tap; every thread must call this."""
    for turn in T.serial(T.ceildiv(n_fft, group.threads)):
        tap: T.int32 = turn * group.threads + thread
        if tap < n_fft:
            cosines[tap] = cos(T.Cast("float32", tap) * T.float32(2 * math.pi / n_fft))
            sines[tap] = sin(T.Cast("float32", tap) * T.float32(2 * math.pi / n_fft))
    # Threads read entries that others wrote.
    T.tvm_storage_sync("shared")
