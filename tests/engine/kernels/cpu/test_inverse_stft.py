"""The compiled inverse STFT against its meaning."""

import numpy as np
import pytest

from engine.kernels.cpu.inverse_stft import inverse_stft
from engine.ops.inverse_stft import inverse_stft as meaning
from tests.engine.kernels.cpu.running import Kernel, built, host_microkernel

N_FFT, HOP, SAMPLES = 20, 5, 600


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return built(inverse_stft(N_FFT, HOP, SAMPLES, host_microkernel()))


@pytest.mark.parametrize("lengths", [[1], [2], [5, 2, 1, 4], [50]])
def test_samples_equal_the_meaning_whatever_the_padding_holds(kernel: Kernel, lengths: list[int]) -> None:
    random = np.random.default_rng(len(lengths))
    columns = SAMPLES // HOP * max(lengths) + 1
    magnitude = np.exp(random.standard_normal((len(lengths), N_FFT // 2 + 1, columns), np.float32))
    phase = np.sin(random.standard_normal(magnitude.shape, np.float32))
    for batch_index, length in enumerate(lengths):
        magnitude[batch_index, :, SAMPLES // HOP * length + 1 :] = np.nan
        phase[batch_index, :, SAMPLES // HOP * length + 1 :] = np.nan
    valid = np.array(lengths, np.int32)
    result = kernel((len(lengths), SAMPLES * max(lengths)), magnitude, phase, valid)
    assert np.abs(result - meaning(magnitude, phase, valid, N_FFT, HOP, SAMPLES)).max() < 5e-6
