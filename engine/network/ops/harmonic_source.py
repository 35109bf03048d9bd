"""The harmonic source and its STFT in numpy: the exact float64 formula, and the integer-phase operator that equals it.

The formula is that of kokoro's `SineGen`, `SourceModuleHnNSF` and `TorchSTFT` (`kokoro/istftnet.py`). Phases are in
cycles.

Phase contract: an imaginary part that is zero by construction is exactly +0, so that its phase is 0 or +pi and never
-pi. That holds for the first bin (0 Hz) and the last (Nyquist) of every column, and for every bin of the first column:
reflection makes that frame symmetric about its own centre. It does not hold for the last column: its frame is centred
one sample past the end while reflection is about the last sample, so it is symmetric about no sample of the window, and
its imaginary parts are as large as those of any other column.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.config import SAMPLE_RATE_HZ

SINE_AMPLITUDE = 0.1
VOICED_NOISE_DEVIATION = 0.003
UNVOICED_NOISE_DEVIATION = SINE_AMPLITUDE / 3
VOICED_ABOVE_HZ = 10
PHASE_BITS = 40
"""An accumulated phase counts units of 2^-40 cycle: at 30 s it is still exact to 1e-7 cycle."""

Floats = NDArray[np.floating]
Phases = Callable[[Floats, int, int], NDArray[np.float64]]


def harmonic_source(
    f0: Floats, noise: Floats, lengths: NDArray[np.integer], weight: Floats, bias: Floats, n_fft: int, hop: int
) -> NDArray[np.float32]:
    """Magnitudes, then phases, of the source's STFT, from integer phases.

    `f0` [batch, frames, values] in Hz, `noise` [batch, frames, samples, harmonics] standard normal, `lengths` [batch]
    valid frames, `weight` [1, harmonics] and `bias` [1] of the merging layer. Returns
    [batch, n_fft + 2, samples / hop * frames + 1]; columns beyond a sequence's length are 0.
    """
    batch, frames, samples, _ = noise.shape
    result = np.zeros((batch, n_fft + 2, samples // hop * frames + 1), np.float32)
    for batch_index, length in enumerate(lengths):
        signal = waveform(f0[batch_index, :length], noise[batch_index, :length], weight, bias, integer_phases)
        columns = samples // hop * int(length) + 1
        result[batch_index, :, :columns] = spectrum(signal, n_fft, hop)
    return result


def exact_waveform(f0: Floats, noise: Floats, weight: Floats, bias: Floats) -> NDArray[np.float64]:
    """The source's waveform [samples] in float64 throughout: the reference. Arguments as for `waveform`."""
    return waveform(f0, noise, weight, bias, float64_phases)


def waveform(f0: Floats, noise: Floats, weight: Floats, bias: Floats, phases: Phases) -> NDArray[np.float64]:
    """The source's waveform [samples]: one sine per harmonic, noise added, merged by a linear layer and tanh.

    `f0` [frames, values] in Hz, `noise` [frames, samples, harmonics]; `phases` gives the phase of one harmonic.
    """
    values = f0.astype(np.float64).reshape(-1)
    excitation = noise.astype(np.float64).reshape(-1, noise.shape[-1])
    samples_per_value = len(excitation) // len(values)
    voiced = np.repeat(values > VOICED_ABOVE_HZ, samples_per_value)
    deviation = np.where(voiced, VOICED_NOISE_DEVIATION, UNVOICED_NOISE_DEVIATION)
    merged = np.full(len(excitation), float(bias[0]))
    for index in range(excitation.shape[1]):
        sine = np.sin(2 * np.pi * phases(values, index + 1, samples_per_value)) * SINE_AMPLITUDE
        merged += float(weight[0, index]) * (np.where(voiced, sine, 0) + deviation * excitation[:, index])
    return np.asarray(np.tanh(merged))


def integer_phases(f0: Floats, harmonic: int, samples_per_value: int) -> NDArray[np.float64]:
    """Phase [samples] in cycles, in [0, 1), of one harmonic, accumulated in integers that wrap after a cycle.

    The step of each value is taken modulo a cycle before interpolation, as in kokoro: for a negative F0, this makes a
    difference of half a cycle.
    """
    cycle = 1 << PHASE_BITS
    step = np.rint(f0 * harmonic / SAMPLE_RATE_HZ * cycle).astype(np.int64) & (cycle - 1)
    phase = np.cumsum(step) & (cycle - 1)
    value, neighbor, twice_offset = interpolation(len(f0), samples_per_value)
    difference = np.where(neighbor > value, step[neighbor], 0)
    count = phase[value] * samples_per_value + (difference * twice_offset >> 1)
    return (count & (cycle - 1)) / cycle


def float64_phases(f0: Floats, harmonic: int, samples_per_value: int) -> NDArray[np.float64]:
    """Phase [samples] in cycles, in [0, 1), of one harmonic: kokoro's formula in float64."""
    phase = np.cumsum(np.mod(f0 * harmonic / SAMPLE_RATE_HZ, 1.0))
    value, neighbor, twice_offset = interpolation(len(f0), samples_per_value)
    fraction = twice_offset / (2 * samples_per_value)
    interpolated = phase[value] * (1 - fraction) + phase[neighbor] * fraction
    return np.mod(interpolated * samples_per_value, 1.0)


def interpolation(
    values: int, samples_per_value: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each sample the value before it, the value after it, and twice its distance in samples from the former.

    Interpolation is linear between the centres of the values, as in `torch.nn.functional.interpolate` without aligned
    corners; before the first centre and after the last, it is constant.
    """
    twice_position = 2 * np.arange(values * samples_per_value) + 1 - samples_per_value
    value = np.clip(twice_position // (2 * samples_per_value), 0, values - 1)
    neighbor = np.minimum(value + 1, values - 1)
    twice_offset = np.maximum(twice_position - 2 * samples_per_value * value, 0)
    return value, neighbor, twice_offset


def spectrum(signal: Floats, n_fft: int, hop: int) -> NDArray[np.float32]:
    """Magnitudes and phases [n_fft + 2, samples / hop + 1] under the phase contract.

    It agrees with `torch.stft` with a periodic Hann window, centred frames and reflected borders.
    """
    padded = np.pad(signal.astype(np.float64), n_fft // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, n_fft)[::hop] * hann_window(n_fft)
    angle = 2 * np.pi / n_fft * np.outer(np.arange(n_fft), np.arange(n_fft // 2 + 1))
    real, imaginary = frames @ np.cos(angle), -frames @ np.sin(angle)
    imaginary[0] = 0
    imaginary[:, [0, -1]] = 0
    return np.concatenate([np.hypot(real, imaginary), np.arctan2(imaginary, real)], 1).T.astype(np.float32)


def hann_window(n_fft: int) -> NDArray[np.float64]:
    """The periodic Hann window [n_fft]."""
    return np.asarray(0.5 - 0.5 * np.cos(2 * np.pi / n_fft * np.arange(n_fft)))
