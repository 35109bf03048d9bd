"""The harmonic source and its STFT on Apple's GPUs, in three kernels: phases, waveform, spectrum.

Phases count units of 2^-32 cycle in unsigned integers that wrap after a cycle; everything else is float32, because
there is no float64. `engine/network/ops/harmonic_source.py` explains the formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.mathematics import atan2, sin, tanh
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.stft import Stft, fill_circle
from engine.config import SAMPLE_RATE_HZ
from engine.network.ops.harmonic_source import (
    SINE_AMPLITUDE,
    UNVOICED_NOISE_DEVIATION,
    VOICED_ABOVE_HZ,
    VOICED_NOISE_DEVIATION,
)

PITCH_BITS = 20
"""F0 is converted to units of 2^-20 Hz, which is exact from 16 Hz on."""
PHASE_BITS = 32
_STEP_FACTOR = 1 << (PHASE_BITS - PITCH_BITS)
_RADIANS = 2 * math.pi / (1 << PHASE_BITS)


@dataclass(frozen=True)
class _Source(Stft):
    values: int
    harmonics: int
    group: Threadgroup

    @property
    def samples_per_value(self) -> int:
        return self.samples // self.values


def phases(values: int, harmonics: int, group: Threadgroup) -> PrimFunc:
    """The kernel: f0 [batch, frames, values], lengths [batch] (int32) -> y [batch, 2 harmonics, frames * values].

    y is uint32, in units of 2^-32 cycle: per harmonic the step of each value, then per harmonic the sum of all steps up
    to each value. Beyond the length it is undefined.
    """
    plan = _Source(1, 1, values, values, harmonics, group)

    @T.prim_func(s_tir=True)
    def source_phases(f0: T.handle, n: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        frames = T.int32()
        pitch = T.match_buffer(f0, (batch, frames, plan.values), "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        target = T.match_buffer(y, (batch, 2 * plan.harmonics, frames * plan.values), "uint32")
        for place in T.thread_binding(batch * plan.harmonics, thread="blockIdx.x"):
            for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                sums = T.alloc_buffer((plan.group.threads,), "uint32", scope="shared")
                total = T.alloc_buffer((1,), "uint32", scope="local")
                batch_index: T.int32 = T.truncdiv(place, plan.harmonics)
                harmonic: T.int32 = T.truncmod(place, plan.harmonics)
                count: T.int32 = T.max(T.min(lengths[batch_index], frames), 0) * plan.values
                # A running sum in parallel: each thread sums its share, then adds the sums of all shares before it.
                share: T.int32 = T.truncdiv(count + plan.group.threads - 1, plan.group.threads)
                own: T.int32 = T.max(T.min(share, count - thread * share), 0)
                total[0] = T.uint32(0)
                for turn in T.serial(own):
                    index: T.int32 = thread * share + turn
                    step: T.uint32 = _step(
                        pitch[batch_index, T.truncdiv(index, plan.values), T.truncmod(index, plan.values)], harmonic
                    )
                    target[batch_index, harmonic, index] = step
                    total[0] = total[0] + step
                sums[thread] = total[0]
                # Every share is summed before threads read the sums of others.
                T.tvm_storage_sync("shared")
                total[0] = T.uint32(0)
                for other in T.serial(thread):
                    total[0] = total[0] + sums[other]
                for turn in T.serial(own):
                    total[0] = total[0] + target[batch_index, harmonic, thread * share + turn]
                    target[batch_index, plan.harmonics + harmonic, thread * share + turn] = total[0]

    return source_phases


def _step(pitch: Any, harmonic: Any) -> Any:
    """The step of a harmonic for one value, modulo one cycle; that of a negative pitch becomes positive."""
    # round(f0 harmonic 2^32 / sample rate) in int64: a float32 would lose the low bits.
    fixed = T.Cast("int64", pitch * T.float32(1 << PITCH_BITS))
    cycles = fixed * T.Cast("int64", harmonic + 1) * T.int64(_STEP_FACTOR) + T.int64(SAMPLE_RATE_HZ // 2)
    return T.Cast("uint32", T.floordiv(cycles, T.int64(SAMPLE_RATE_HZ)) & T.int64((1 << PHASE_BITS) - 1))


def waveform(values: int, samples: int, harmonics: int, group: Threadgroup) -> PrimFunc:
    """The kernel: f0, noise, phases, lengths, weight, bias -> y [batch, frames * samples], 0 beyond the length.

    f0 is [batch, frames, values], noise [batch, frames, samples, harmonics], phases the result of the kernel `phases`,
    lengths [batch], weight [1, harmonics], bias [1].
    """
    plan = _Source(1, 1, samples, values, harmonics, group)

    @T.prim_func(s_tir=True)
    def source_waveform(
        f0: T.handle, noise: T.handle, p: T.handle, n: T.handle, w: T.handle, b: T.handle, y: T.handle
    ) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        frames = T.int32()
        pitch = T.match_buffer(f0, (batch, frames, plan.values), "float32")
        excitation = T.match_buffer(noise, (batch, frames, plan.samples, plan.harmonics), "float32")
        counts = T.match_buffer(p, (batch, 2 * plan.harmonics, frames * plan.values), "uint32")
        lengths = T.match_buffer(n, (batch,), "int32")
        merging = T.match_buffer(w, (1, plan.harmonics), "float32")
        offset = T.match_buffer(b, (1,), "float32")
        target = T.match_buffer(y, (batch, frames * plan.samples), "float32")
        for batch_index in T.thread_binding(batch, thread="blockIdx.y"):
            for part in T.thread_binding(T.ceildiv(frames * plan.samples, plan.group.threads), thread="blockIdx.x"):
                for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                    sample: T.int32 = part * plan.group.threads + thread
                    frame: T.int32 = T.truncdiv(sample, plan.samples)
                    if frame < T.min(lengths[batch_index], frames):
                        merged = T.alloc_buffer((1,), "float32", scope="local")
                        merged[0] = offset[0]
                        _merge(
                            plan,
                            pitch,
                            excitation,
                            counts,
                            merging,
                            merged,
                            batch_index,
                            frame,
                            sample,
                            lengths[batch_index],
                        )
                        target[batch_index, sample] = tanh(merged[0])
                    else:
                        if frame < frames:
                            target[batch_index, sample] = T.float32(0)

    return source_waveform


@T.inline
def _merge(
    plan: Any,
    pitch: Any,
    excitation: Any,
    counts: Any,
    merging: Any,
    merged: Any,
    batch_index: Any,
    frame: Any,
    sample: Any,
    length: Any,
) -> None:
    inside: T.int32 = sample - frame * plan.samples
    value: T.int32 = T.max(T.truncdiv(sample + T.truncdiv(plan.samples_per_value, 2), plan.samples_per_value) - 1, 0)
    last: T.int32 = length * plan.values - 1
    # Twice the distance from the value's centre, an integer, because centres lie between samples.
    twice: T.int32 = T.max(2 * sample + 1 - plan.samples_per_value - 2 * plan.samples_per_value * value, 0)
    voiced: T.bool = pitch[batch_index, frame, T.truncdiv(inside, plan.samples_per_value)] > T.float32(VOICED_ABOVE_HZ)
    deviation: T.float32 = T.Select(voiced, T.float32(VOICED_NOISE_DEVIATION), T.float32(UNVOICED_NOISE_DEVIATION))
    amplitude: T.float32 = T.Select(voiced, T.float32(SINE_AMPLITUDE), T.float32(0))
    for harmonic in T.serial(plan.harmonics):
        step: T.uint32 = T.if_then_else(
            value < last, counts[batch_index, harmonic, T.min(value + 1, last)], T.uint32(0)
        )
        # step * twice / 2, computed so that no product needs a 33rd bit.
        count: T.uint32 = (
            counts[batch_index, plan.harmonics + harmonic, value] * T.uint32(plan.samples_per_value)
            + step * T.Cast("uint32", T.truncdiv(twice, 2))
            + T.truncdiv(step, T.uint32(2)) * T.Cast("uint32", T.truncmod(twice, 2))
        )
        # As int32, phases are from -1/2 to 1/2 cycle: float32 is more exact near 0, and sin reduces less.
        sine: T.float32 = sin(T.Cast("float32", T.Cast("int32", count)) * T.float32(_RADIANS))
        merged[0] += merging[0, harmonic] * (
            amplitude * sine + deviation * excitation[batch_index, frame, inside, harmonic]
        )


def spectrum(n_fft: int, hop: int, samples: int, group: Threadgroup) -> PrimFunc:
    """The kernel: signal [batch, samples in total], lengths [batch] -> y [batch, n_fft + 2, columns].

    y holds magnitudes, then phases, under the phase contract, and 0 beyond the length. Lengths are in frames of
    `samples` samples.
    """
    plan = _Source(n_fft, hop, samples, 1, 1, group)

    @T.prim_func(s_tir=True)
    def source_spectrum(s: T.handle, n: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int32()
        total = T.int32()
        columns = T.int32()
        signal = T.match_buffer(s, (batch, total), "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        target = T.match_buffer(y, (batch, plan.n_fft + 2, columns), "float32")
        for place in T.thread_binding(batch * plan.bins, thread="blockIdx.y"):
            for part in T.thread_binding(T.ceildiv(columns, plan.group.threads), thread="blockIdx.x"):
                for thread in T.thread_binding(plan.group.threads, thread="threadIdx.x"):
                    cosines = T.alloc_buffer((plan.n_fft,), "float32", scope="shared")
                    sines = T.alloc_buffer((plan.n_fft,), "float32", scope="shared")
                    batch_index: T.int32 = T.truncdiv(place, plan.bins)
                    bin_number: T.int32 = T.truncmod(place, plan.bins)
                    column: T.int32 = part * plan.group.threads + thread
                    length: T.int32 = lengths[batch_index] * plan.samples
                    fill_circle(plan.group, plan.n_fft, cosines, sines, thread)
                    if T.And(column < columns, column * plan.hop <= length):
                        _column(plan, signal, cosines, sines, target, batch_index, bin_number, column, length)
                    else:
                        if column < columns:
                            target[batch_index, bin_number, column] = T.float32(0)
                            target[batch_index, plan.bins + bin_number, column] = T.float32(0)

    return source_spectrum


@T.inline
def _column(
    plan: Any,
    signal: Any,
    cosines: Any,
    sines: Any,
    target: Any,
    batch_index: Any,
    bin_number: Any,
    column: Any,
    length: Any,
) -> None:
    parts = T.alloc_buffer((2,), "float32", scope="local")
    parts[0] = T.float32(0)
    parts[1] = T.float32(0)
    for tap in T.serial(plan.n_fft):
        # Reflection about the first sample is abs(), about the last 2 (length - 1) - index.
        index: T.int32 = T.abs(column * plan.hop + tap - plan.n_fft // 2)
        value: T.float32 = signal[batch_index, T.Select(index < length, index, 2 * length - 2 - index)] * (
            # The Hann window from the table of cosines: 1/2 - cos(2 pi n / n_fft) / 2.
            T.float32(0.5) - T.float32(0.5) * cosines[tap]
        )
        # e^(-2 pi i k n / n_fft) depends on k n modulo n_fft alone.
        parts[0] += value * cosines[T.truncmod(bin_number * tap, plan.n_fft)]
        parts[1] -= value * sines[T.truncmod(bin_number * tap, plan.n_fft)]
    # Phase contract: an imaginary part that is zero by construction is exactly +0.
    if T.Or(T.Or(bin_number == 0, bin_number == plan.bins - 1), column == 0):
        parts[1] = T.float32(0)
    target[batch_index, bin_number, column] = T.sqrt(parts[0] * parts[0] + parts[1] * parts[1])
    target[batch_index, plan.bins + bin_number, column] = atan2(parts[1], parts[0])
