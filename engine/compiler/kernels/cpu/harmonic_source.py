"""The harmonic source and its STFT on CPUs, as one kernel: integer phases, then float64 until the result is stored.

Float64 costs little here (216,000 sines per second of audio) and keeps the phases of the float64 reference.
`engine/network/ops/harmonic_source.py` explains the formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.cpu.register_tile import Microkernel
from engine.compiler.kernels.mathematics import atan2, sin_of_cycles64, tanh64
from engine.compiler.kernels.stft import Stft, cosine64, hann64, sine64
from engine.config import SAMPLE_RATE_HZ
from engine.network.ops.harmonic_source import (
    PHASE_BITS,
    SINE_AMPLITUDE,
    UNVOICED_NOISE_DEVIATION,
    VOICED_ABOVE_HZ,
    VOICED_NOISE_DEVIATION,
)


@dataclass(frozen=True)
class _Source(Stft):
    """Sizes of the source; over a segment, half of an F0 value's samples, interpolation is between the same two."""

    values: int
    harmonics: int

    @property
    def samples_per_value(self) -> int:
        return self.samples // self.values

    @property
    def segments(self) -> int:
        return 2 * self.values

    @property
    def samples_per_segment(self) -> int:
        return self.samples // self.segments


_CYCLE = 1 << PHASE_BITS


def harmonic_source(
    values: int, samples: int, harmonics: int, n_fft: int, hop: int, microkernel: Microkernel
) -> PrimFunc:
    """The kernel, for `values` F0 values and `samples` samples per frame, a multiple of 2 * values.

    f0 [batch, frames, values], noise [batch, frames, samples, harmonics], lengths [batch] (int32), weight
    [1, harmonics], bias [1] -> y [batch, n_fft + 2, samples / hop * frames + 1].
    """
    plan = _Source(n_fft, hop, samples, values, harmonics)

    @T.prim_func(s_tir=True)
    def harmonic_source(
        f0: T.handle, noise: T.handle, lengths: T.handle, weight: T.handle, bias: T.handle, y: T.handle
    ) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        frames = T.int64()
        pitch = T.match_buffer(f0, (batch, frames, plan.values), "float32")
        excitation = T.match_buffer(noise, (batch, frames, plan.samples, plan.harmonics), "float32")
        valid = T.match_buffer(lengths, (batch,), "int32")
        merging = T.match_buffer(weight, (1, plan.harmonics), "float32")
        offset = T.match_buffer(bias, (1,), "float32")
        target = T.match_buffer(y, (batch, plan.n_fft + 2, plan.columns * frames + 1), "float32")
        steps = T.alloc_buffer((batch, plan.harmonics, frames * plan.values), "int64")
        phases = T.alloc_buffer((batch, plan.harmonics, frames * plan.values), "int64")
        signal = T.alloc_buffer((batch, frames * plan.samples), "float64")
        cosines = T.alloc_buffer((plan.bins, plan.n_fft), "float64")
        sines = T.alloc_buffer((plan.bins, plan.n_fft), "float64")
        _accumulate(plan, pitch, valid, steps, phases, batch)
        _waveform(plan, pitch, excitation, valid, merging, offset, steps, phases, signal, batch, frames)
        _transform_table(plan, cosines, sines)
        _spectrum(plan, signal, valid, cosines, sines, target, batch, frames)

    return harmonic_source


@T.inline
def _accumulate(plan: Any, pitch: Any, valid: Any, steps: Any, phases: Any, batch: Any) -> None:
    for batch_harmonic in T.parallel(batch * plan.harmonics):
        batch_index: T.int64 = batch_harmonic // plan.harmonics
        harmonic: T.int64 = batch_harmonic % plan.harmonics
        total = T.alloc_buffer((1,), "int64", scope="local")
        # phase[i] = sum of steps up to i, modulo a cycle: a running sum, hence serial within a harmonic.
        total[0] = T.int64(0)
        for index in T.serial(T.Cast("int64", valid[batch_index]) * plan.values):
            cycles: T.float64 = (
                T.Cast("float64", pitch[batch_index, index // plan.values, index % plan.values])
                * T.Cast("float64", harmonic + 1)
                / T.float64(SAMPLE_RATE_HZ)
            )
            # Modulo one cycle before interpolation, as in the formula; `&` makes negative steps positive.
            steps[batch_index, harmonic, index] = T.Cast("int64", T.nearbyint(cycles * T.float64(_CYCLE))) & T.int64(
                _CYCLE - 1
            )
            total[0] = (total[0] + steps[batch_index, harmonic, index]) & T.int64(_CYCLE - 1)
            phases[batch_index, harmonic, index] = total[0]


@T.inline
def _waveform(
    plan: Any,
    pitch: Any,
    excitation: Any,
    valid: Any,
    merging: Any,
    offset: Any,
    steps: Any,
    phases: Any,
    signal: Any,
    batch: Any,
    frames: Any,
) -> None:
    for batch_segment in T.parallel(batch * frames * plan.segments):
        batch_index: T.int64 = batch_segment // (frames * plan.segments)
        segment: T.int64 = batch_segment % (frames * plan.segments)
        frame: T.int64 = segment // plan.segments
        if frame < T.Cast("int64", valid[batch_index]):
            last: T.int64 = T.Cast("int64", valid[batch_index]) * plan.values - 1
            value: T.int64 = T.max((segment + 1) // 2 - 1, T.int64(0))
            voiced: T.bool = pitch[batch_index, frame, segment % plan.segments // 2] > T.float32(VOICED_ABOVE_HZ)
            deviation: T.float64 = T.Select(
                voiced, T.float64(VOICED_NOISE_DEVIATION), T.float64(UNVOICED_NOISE_DEVIATION)
            )
            amplitude: T.float64 = T.Select(voiced, T.float64(SINE_AMPLITUDE), T.float64(0))
            merged = T.alloc_buffer((plan.samples_per_segment,), "float64")
            for sample in T.serial(plan.samples_per_segment):
                merged[sample] = T.Cast("float64", offset[0])
            for harmonic in T.serial(plan.harmonics):
                scale: T.float64 = T.Cast("float64", merging[0, harmonic])
                # A step is in cycles per sample: the sum of steps times the samples of a value is a phase in cycles.
                base: T.int64 = phases[batch_index, harmonic, value] * plan.samples_per_value
                step: T.int64 = T.if_then_else(value < last, steps[batch_index, harmonic, value + 1], T.int64(0))
                # Twice the distance from a value's centre is an integer, because centres lie between samples.
                first: T.int64 = 2 * (segment * plan.samples_per_segment - value * plan.samples_per_value) + 1
                for sample in T.serial(plan.samples_per_segment):
                    twice_offset: T.int64 = T.max(first - plan.samples_per_value + 2 * sample, T.int64(0))
                    count: T.int64 = (base + (step * twice_offset >> T.int64(1))) & T.int64(_CYCLE - 1)
                    sine: T.float64 = sin_of_cycles64(T.Cast("float64", count) * T.float64(1 / _CYCLE))
                    merged[sample] += scale * (
                        amplitude * sine
                        + deviation
                        * T.Cast(
                            "float64",
                            excitation[
                                batch_index,
                                frame,
                                segment % plan.segments * plan.samples_per_segment + sample,
                                harmonic,
                            ],
                        )
                    )
            for sample in T.serial(plan.samples_per_segment):
                signal[batch_index, segment * plan.samples_per_segment + sample] = tanh64(merged[sample])


@T.inline
def _transform_table(plan: Any, cosines: Any, sines: Any) -> None:
    """Fill the tables of the transform, each basis function times the window."""
    for bin_number, tap in T.grid(plan.bins, plan.n_fft):
        window: T.float64 = hann64(tap, plan.n_fft)
        cosines[bin_number, tap] = window * cosine64(bin_number * tap, plan.n_fft)
        sines[bin_number, tap] = window * sine64(bin_number * tap, plan.n_fft)


@T.inline
def _column(
    plan: Any, signal: Any, cosines: Any, sines: Any, target: Any, batch_index: Any, column: Any, length: Any
) -> None:
    taps = T.alloc_buffer((plan.n_fft,), "float64")
    for tap in T.serial(plan.n_fft):
        index: T.int64 = T.abs(column * plan.hop + tap - plan.n_fft // 2)
        # Reflection about the first sample is abs(), about the last 2 (length - 1) - index.
        taps[tap] = signal[batch_index, T.Select(index < length, index, 2 * length - 2 - index)]
    for bin_number in T.serial(plan.bins):
        # Real and imaginary part of sum over n of x[n] e^(-2 pi i k n / n_fft).
        parts = T.alloc_buffer((2,), "float64", scope="local")
        parts[0] = T.float64(0)
        parts[1] = T.float64(0)
        for tap in T.unroll(plan.n_fft):
            parts[0] += taps[tap] * cosines[bin_number, tap]
            parts[1] -= taps[tap] * sines[bin_number, tap]
        # Phase contract: an imaginary part that is zero by construction is exactly +0.
        if bin_number == 0 or bin_number == plan.bins - 1 or column == 0:
            parts[1] = T.float64(0)
        target[batch_index, bin_number, column] = T.Cast("float32", T.sqrt(parts[0] * parts[0] + parts[1] * parts[1]))
        target[batch_index, plan.bins + bin_number, column] = atan2(
            T.Cast("float32", parts[1]), T.Cast("float32", parts[0])
        )


@T.inline
def _spectrum(
    plan: Any, signal: Any, valid: Any, cosines: Any, sines: Any, target: Any, batch: Any, frames: Any
) -> None:
    # One unit per frame, and one for the closing column.
    for batch_frame in T.parallel(batch * (frames + 1)):
        batch_index: T.int64 = batch_frame // (frames + 1)
        frame: T.int64 = batch_frame % (frames + 1)
        length: T.int64 = T.Cast("int64", valid[batch_index]) * plan.samples
        for position in T.serial(T.Select(frame < frames, T.int64(plan.columns), T.int64(1))):
            column: T.int64 = frame * plan.columns + position
            if column * plan.hop <= length:
                _column(plan, signal, cosines, sines, target, batch_index, column, length)
            else:
                for channel in T.serial(plan.n_fft + 2):
                    target[batch_index, channel, column] = T.float32(0)
