import numpy as np

from engine.compiler.kernels.metal.harmonic_source import PHASE_BITS, phases, spectrum
from engine.compiler.kernels.metal.harmonic_source import waveform as waveform_kernel
from engine.compiler.kernels.metal.inverse_stft import overlap_add, rectangular
from engine.network.ops.harmonic_source import exact_waveform, harmonic_source
from engine.network.ops.inverse_stft import inverse_stft
from tests.engine.compiler.kernels.metal.running import GROUP, built, normal

VALUES, SAMPLES, HARMONICS, N_FFT, HOP = 2, 600, 9, 20, 5
WEIGHT, BIAS = normal(1, HARMONICS, seed=3) / 3, np.array([0.01], np.float32)


def inputs(lengths, frames):
    generator = np.random.default_rng(0)
    f0 = generator.uniform(-30, 400, (len(lengths), frames, VALUES)).astype(np.float32)
    return f0, normal(len(lengths), frames, SAMPLES, HARMONICS), np.array(lengths, np.int32)


def signal_of(f0, noise, lengths):
    batch, frames, _ = f0.shape
    made = built(phases(VALUES, HARMONICS, GROUP), "uint32")
    counts = made((batch, 2 * HARMONICS, frames * VALUES), f0, lengths)
    kernel = built(waveform_kernel(VALUES, SAMPLES, HARMONICS, GROUP))
    return kernel((batch, frames * SAMPLES), f0, noise, counts, lengths, WEIGHT, BIAS)


def test_phases_wrap_after_a_cycle():
    f0, _, lengths = inputs([400], 400)
    result = built(phases(VALUES, HARMONICS, GROUP), "uint32")((1, 2 * HARMONICS, 800), f0, lengths)
    cycles = np.cumsum(f0.astype(np.float64).reshape(-1)[None] * np.arange(1, 10)[:, None] / 24000, axis=1)
    difference = result[0, HARMONICS:] / 2.0**PHASE_BITS - cycles
    assert np.abs(difference - np.rint(difference)).max() < 1e-6


def test_the_waveform_is_that_of_exact_phases():
    f0, noise, lengths = inputs([3, 1], 3)
    signal = signal_of(f0, noise, lengths)
    for batch_index, length in enumerate(lengths):
        expected = exact_waveform(f0[batch_index, :length], noise[batch_index, :length], WEIGHT, BIAS)
        np.testing.assert_allclose(signal[batch_index, : length * SAMPLES], expected, atol=2e-6)
        assert (signal[batch_index, length * SAMPLES :] == 0).all()


def test_the_spectrum_is_the_references_and_keeps_the_phase_contract():
    f0, noise, lengths = inputs([3, 1], 3)
    expected = harmonic_source(f0, noise, lengths, WEIGHT, BIAS, N_FFT, HOP)
    result = built(spectrum(N_FFT, HOP, SAMPLES, GROUP))(expected.shape, signal_of(f0, noise, lengths), lengths)
    bins = N_FFT // 2 + 1
    np.testing.assert_allclose(result[:, :bins], expected[:, :bins], atol=1e-5)
    heard = expected[:, :bins] > 1e-2
    np.testing.assert_allclose(result[:, bins:][heard], expected[:, bins:][heard], atol=2e-3)
    assert not np.signbit(result[:, [bins, -1]]).any()
    assert not np.signbit(result[:, bins:, 0]).any()
    assert (result[1, :, SAMPLES // HOP + 1 :] == 0).all()


def test_the_inverse_stft_of_ragged_batches_equals_numpy():
    samples, lengths = 60, np.array([5, 1, 3], np.int32)
    columns = samples // HOP * 5 + 1
    magnitude, phase = np.exp(normal(3, 11, columns)), 3 * normal(3, 11, columns, seed=1)
    expected = inverse_stft(magnitude, phase, lengths, N_FFT, HOP, samples)
    spectrum = built(rectangular(N_FFT, GROUP))((3, 22, columns), magnitude, phase)
    result = built(overlap_add(N_FFT, HOP, samples, GROUP))(expected.shape, spectrum, lengths)
    np.testing.assert_allclose(result, expected, atol=3e-6)
