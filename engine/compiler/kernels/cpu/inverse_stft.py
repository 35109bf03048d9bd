"""The inverse STFT on CPUs, as one kernel: every frame adds the columns that reach into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.cpu.register_tile import Microkernel
from engine.compiler.kernels.mathematics import ceil_div, cos, sin
from engine.compiler.kernels.stft import Stft, cosine64, hann64, sine64


@dataclass(frozen=True)
class _Inverse(Stft):
    """Sizes of the transform; `reach` is the number of columns outside a frame that touch its samples on one side."""

    @property
    def reach(self) -> int:
        return ceil_div(self.n_fft, 2 * self.hop)


def inverse_stft(n_fft: int, hop: int, samples: int, microkernel: Microkernel) -> PrimFunc:
    """The kernel, for `samples` samples per frame, a multiple of `hop`.

    magnitude, phase [batch, n_fft / 2 + 1, columns], lengths [batch] (int32) -> y [batch, (columns - 1) * hop], where
    columns is samples / hop * frames + 1.
    """
    plan = _Inverse(n_fft, hop, samples)

    @T.prim_func(s_tir=True)
    def inverse_stft(magnitude: T.handle, phase: T.handle, lengths: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        columns = T.int64()
        sample_count = T.int64()
        sizes = T.match_buffer(magnitude, (batch, plan.bins, columns), "float32")
        angles = T.match_buffer(phase, (batch, plan.bins, columns), "float32")
        valid = T.match_buffer(lengths, (batch,), "int32")
        target = T.match_buffer(y, (batch, sample_count), "float32")
        window = T.alloc_buffer((plan.n_fft,), "float32")
        cosines = T.alloc_buffer((plan.bins, plan.n_fft), "float32")
        sines = T.alloc_buffer((plan.bins, plan.n_fft), "float32")
        _tables(plan, window, cosines, sines)
        # A symbol of a buffer's shape must be an axis itself, so the number of frames is computed.
        for batch_frame in T.parallel(batch * (sample_count // plan.samples)):
            frames: T.int64 = sample_count // plan.samples
            batch_index: T.int64 = batch_frame // frames
            frame: T.int64 = batch_frame % frames
            length: T.int64 = T.Cast("int64", valid[batch_index])
            if frame < length:
                _frame(plan, sizes, angles, window, cosines, sines, target, batch_index, frame, length)
            else:
                for sample in T.serial(plan.samples):
                    target[batch_index, frame * plan.samples + sample] = T.float32(0)

    return inverse_stft


@T.inline
def _tables(plan: Any, window: Any, cosines: Any, sines: Any) -> None:
    """Fill the window and the windowed inverse transform."""
    for tap in T.serial(plan.n_fft):
        hann: T.float64 = hann64(tap, plan.n_fft)
        window[tap] = T.Cast("float32", hann)
        for bin_number in T.serial(plan.bins):
            # A real signal's inner bins have conjugates at negative frequencies, which double their real part.
            weight: T.float64 = (
                hann
                * T.Select(bin_number == 0 or bin_number == plan.bins - 1, T.float64(1), T.float64(2))
                / T.float64(plan.n_fft)
            )
            cosines[bin_number, tap] = T.Cast("float32", weight * cosine64(bin_number * tap, plan.n_fft))
            sines[bin_number, tap] = T.Cast("float32", weight * sine64(bin_number * tap, plan.n_fft))


@T.inline
def _piece(
    plan: Any, sizes: Any, angles: Any, cosines: Any, sines: Any, batch_index: Any, column: Any, piece: Any
) -> None:
    """Compute the windowed inverse transform of one column."""
    for tap in T.serial(plan.n_fft):
        piece[tap] = T.float32(0)
    for bin_number in T.serial(plan.bins):
        size: T.float32 = sizes[batch_index, bin_number, column]
        # Re((a + bi) e^(2 pi i k n / n_fft)) = a cos(2 pi k n / n_fft) - b sin(2 pi k n / n_fft)
        real: T.float32 = size * cos(angles[batch_index, bin_number, column])
        imaginary: T.float32 = size * sin(angles[batch_index, bin_number, column])
        for tap in T.serial(plan.n_fft):
            piece[tap] += real * cosines[bin_number, tap] - imaginary * sines[bin_number, tap]


@T.inline
def _frame(
    plan: Any,
    sizes: Any,
    angles: Any,
    window: Any,
    cosines: Any,
    sines: Any,
    target: Any,
    batch_index: Any,
    frame: Any,
    length: Any,
) -> None:
    total = T.alloc_buffer((plan.samples,), "float32")
    weight = T.alloc_buffer((plan.samples,), "float32")
    piece = T.alloc_buffer((plan.n_fft,), "float32")
    for sample in T.serial(plan.samples):
        total[sample] = T.float32(0)
        weight[sample] = T.float32(0)
    for position in T.serial(plan.columns + 2 * plan.reach + 1):
        column: T.int64 = frame * plan.columns + position - plan.reach
        # Columns beyond the length are padding; the one that closes the last frame belongs to it.
        if column >= 0 and column <= length * plan.columns:
            _piece(plan, sizes, angles, cosines, sines, batch_index, column, piece)
            first: T.int64 = (position - plan.reach) * plan.hop - plan.n_fft // 2
            for tap in T.serial(T.max(-first, 0), T.min(plan.n_fft, plan.samples - first)):
                total[first + tap] += piece[tap]
                # Windowed twice, in the STFT and here: dividing by the sum of squared windows undoes both.
                weight[first + tap] += window[tap] * window[tap]
    for sample in T.serial(plan.samples):
        target[batch_index, frame * plan.samples + sample] = total[sample] / weight[sample]
