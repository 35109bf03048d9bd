import numpy as np

from engine.kernels.metal.inverse_stft import overlap_add, rectangular
from engine.ops.inverse_stft import inverse_stft
from tests.engine.kernels.metal.running import GROUP, built, normal

N_FFT, HOP, SAMPLES = 20, 5, 60


def test_ragged_batches_equal_numpy():
    lengths = np.array([5, 1, 3], np.int32)
    columns = SAMPLES // HOP * 5 + 1
    magnitude, phase = np.exp(normal(3, 11, columns)), 3 * normal(3, 11, columns, seed=1)
    expected = inverse_stft(magnitude, phase, lengths, N_FFT, HOP, SAMPLES)
    spectrum = built(rectangular(N_FFT, GROUP))((3, 22, columns), magnitude, phase)
    result = built(overlap_add(N_FFT, HOP, SAMPLES, GROUP))(expected.shape, spectrum, lengths)
    np.testing.assert_allclose(result, expected, atol=3e-6)
