"""The compiled harmonic source against its meaning, phases included."""

import numpy as np
import pytest

from engine.compiler.kernels.cpu.harmonic_source import harmonic_source
from engine.compiler.kernels.cpu.inverse_stft import inverse_stft
from engine.network.ops import harmonic_source as reference
from engine.network.ops.inverse_stft import inverse_stft as inverse_meaning
from tests.engine.compiler.kernels.cpu.running import Kernel, built, host_microkernel

N_FFT, HOP, SAMPLES, HARMONICS = 20, 5, 600, 9


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return built(harmonic_source(2, SAMPLES, HARMONICS, N_FFT, HOP, host_microkernel()))


@pytest.mark.parametrize("lengths", [[1], [3], [5, 2, 1, 4], [200]])
def test_magnitudes_and_phases_equal_the_reference_regardless_of_padding_values(kernel, lengths):
    random = np.random.default_rng(len(lengths))
    batch, frames = len(lengths), max(lengths)
    f0 = random.uniform(-30, 300, (batch, frames, 2)).astype(np.float32)
    noise = random.standard_normal((batch, frames, SAMPLES, HARMONICS), np.float32)
    for batch_index, length in enumerate(lengths):
        f0[batch_index, length:] = np.nan
        noise[batch_index, length:] = np.nan
    weight = random.standard_normal((1, HARMONICS), np.float32)
    bias = np.array([0.05], np.float32)
    valid = np.array(lengths, np.int32)
    shape = (batch, N_FFT + 2, SAMPLES // HOP * frames + 1)
    result = kernel(shape, f0, noise, valid, weight, bias)
    expected = reference.harmonic_source(f0, noise, valid, weight, bias, N_FFT, HOP)
    assert np.abs(result - expected).max() < 2e-6


N_FFT, HOP, SAMPLES = 20, 5, 600


@pytest.fixture(scope="module")
def inverse() -> Kernel:
    return built(inverse_stft(N_FFT, HOP, SAMPLES, host_microkernel()))


@pytest.mark.parametrize("lengths", [[1], [2], [5, 2, 1, 4], [50]])
def test_samples_equal_the_reference_regardless_of_padding_values(inverse, lengths):
    random = np.random.default_rng(len(lengths))
    columns = SAMPLES // HOP * max(lengths) + 1
    magnitude = np.exp(random.standard_normal((len(lengths), N_FFT // 2 + 1, columns), np.float32))
    phase = np.sin(random.standard_normal(magnitude.shape, np.float32))
    for batch_index, length in enumerate(lengths):
        magnitude[batch_index, :, SAMPLES // HOP * length + 1 :] = np.nan
        phase[batch_index, :, SAMPLES // HOP * length + 1 :] = np.nan
    valid = np.array(lengths, np.int32)
    result = inverse((len(lengths), SAMPLES * max(lengths)), magnitude, phase, valid)
    assert np.abs(result - inverse_meaning(magnitude, phase, valid, N_FFT, HOP, SAMPLES)).max() < 5e-6
