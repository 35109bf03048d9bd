"""The inverse STFT on Apple's GPUs, in two kernels: polar to rectangular, then every sample adds its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.mathematics import cos, sin
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.stft import Stft, fill_circle


@dataclass(frozen=True)
class _Inverse(Stft):
    """Sizes of the transform; `reach` is the number of columns that may touch a sample."""

    group: Threadgroup

    @property
    def reach(self) -> int:
        return -(-self.n_fft // self.hop)


def rectangular(n_fft: int, group: Threadgroup) -> PrimFunc:
    """The kernel: magnitude, phase [batch, bins, columns] -> y [batch, 2 bins, columns], real parts first.

    Inner bins are doubled and all are divided by n_fft, as the inverse transform needs them.
    """
    plan = _Inverse(n_fft, 1, 1, group)

    @T.prim_func(s_tir=True)
    def rectangular(m: T.handle, p: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        columns = T.int32()
        magnitude = T.match_buffer(m, (batch, plan.bins, columns), "float32")
        phase = T.match_buffer(p, (batch, plan.bins, columns), "float32")
        target = T.match_buffer(y, (batch, 2 * plan.bins, columns), "float32")
        for row in T.thread_binding(batch * plan.bins, thread="blockIdx.y"):
            for part in T.thread_binding(T.ceildiv(columns, plan.group.threads), thread="blockIdx.x"):
                for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                    column: T.int32 = part * plan.group.threads + thread
                    batch_index: T.int32 = T.truncdiv(row, plan.bins)
                    place: T.int32 = T.truncmod(row, plan.bins)
                    if column < columns:
                        # Inner bins have conjugates at negative frequencies, which double their real part.
                        size: T.float32 = magnitude[batch_index, place, column] * T.Select(
                            T.Or(place == 0, place == plan.bins - 1),
                            T.float32(1 / plan.n_fft),
                            T.float32(2 / plan.n_fft),
                        )
                        target[batch_index, place, column] = size * cos(phase[batch_index, place, column])
                        target[batch_index, plan.bins + place, column] = size * sin(phase[batch_index, place, column])

    return rectangular


def overlap_add(n_fft: int, hop: int, samples: int, group: Threadgroup) -> PrimFunc:
    """The kernel: spectrum [batch, 2 bins, columns], lengths [batch] (int32) -> y [batch, (columns - 1) * hop].

    Lengths are in frames of `samples` samples, a multiple of `hop`.
    """
    plan = _Inverse(n_fft, hop, samples, group)

    @T.prim_func(s_tir=True)
    def overlap_add(s: T.handle, n: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        columns = T.int32()
        sample_count = T.int32()
        spectrum = T.match_buffer(s, (batch, 2 * plan.bins, columns), "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        target = T.match_buffer(y, (batch, sample_count), "float32")
        for batch_index in T.thread_binding(batch, thread="blockIdx.y"):
            for part in T.thread_binding(T.ceildiv(sample_count, plan.group.threads), thread="blockIdx.x"):
                for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                    cosines = T.alloc_buffer((plan.n_fft,), "float32", scope="shared")
                    sines = T.alloc_buffer((plan.n_fft,), "float32", scope="shared")
                    result = T.alloc_buffer((2,), "float32", scope="local")
                    sample: T.int32 = part * plan.group.threads + thread
                    last: T.int32 = T.truncdiv(lengths[batch_index] * plan.samples, plan.hop)
                    fill_circle(plan.group, plan.n_fft, cosines, sines, thread)
                    result[0] = T.float32(0)
                    result[1] = T.float32(0)
                    if T.And(sample < sample_count, sample < lengths[batch_index] * plan.samples):
                        _add_columns(plan, spectrum, cosines, sines, result, batch_index, sample, last)
                    if sample < sample_count:
                        target[batch_index, sample] = T.Select(
                            # `T.Select` evaluates both sides: the maximum avoids 0 / 0.
                            result[1] > T.float32(0),
                            result[0] / T.max(result[1], T.float32(1e-30)),
                            T.float32(0),
                        )

    return overlap_add


@T.inline
def _add_columns(
    plan: Any, spectrum: Any, cosines: Any, sines: Any, result: Any, batch_index: Any, sample: Any, last: Any
) -> None:
    """Set result[0] to the windowed sum, result[1] to the sum of squared windows, by which it is to be divided."""
    # Column c covers the samples from c hop - n_fft / 2 on: the newest starts last.
    newest: T.int32 = T.truncdiv(sample + plan.n_fft // 2, plan.hop)
    for age in T.serial(plan.reach):
        column: T.int32 = newest - age
        tap: T.int32 = sample + plan.n_fft // 2 - column * plan.hop
        if T.And(T.And(column >= 0, column <= last), tap < plan.n_fft):
            piece = T.alloc_buffer((1,), "float32", scope="local")
            window: T.float32 = T.float32(0.5) - T.float32(0.5) * cosines[tap]
            piece[0] = T.float32(0)
            for place in T.serial(plan.bins):
                piece[0] += (
                    # Re((a + bi) e^(2 pi i k n / n_fft)) = a cos(2 pi k n / n_fft) - b sin(2 pi k n / n_fft)
                    spectrum[batch_index, place, column] * cosines[T.truncmod(place * tap, plan.n_fft)]
                    - spectrum[batch_index, plan.bins + place, column] * sines[T.truncmod(place * tap, plan.n_fft)]
                )
            result[0] += window * piece[0]
            result[1] += window * window
