"""The source must be kokoro's, its phases exact, and its phase contract true."""

import numpy as np
import pytest
import torch
from kokoro.istftnet import SourceModuleHnNSF
from torch.overrides import TorchFunctionMode

from engine.network.ops.harmonic_source import (
    exact_waveform,
    float64_phases,
    hann_window,
    harmonic_source,
    integer_phases,
    spectrum,
)
from engine.network.ops.inverse_stft import inverse_stft
from engine.network.ops.reflect_left import reflect_left

SAMPLES_PER_VALUE, N_FFT, HOP, HARMONICS = 300, 20, 5, 9


def pitch(frames: int) -> np.ndarray:
    """Voiced around 120 Hz with unvoiced stretches, some slightly negative, as a network predicts them."""
    time = np.arange(2 * frames)
    voiced = np.sin(time / 5) > -0.6
    return np.where(voiced, 120 + 30 * np.sin(time / 7), -3).astype(np.float32).reshape(frames, 2)


def noise(frames: int) -> np.ndarray:
    shape = (frames, 2 * SAMPLES_PER_VALUE, HARMONICS)
    return np.random.default_rng(frames).standard_normal(shape, dtype=np.float32)


def merging_layer() -> tuple[np.ndarray, np.ndarray]:
    weight = np.linspace(-0.3, 0.3, HARMONICS, dtype=np.float32)[None]
    return weight, np.array([0.1], np.float32)


class _Noise(TorchFunctionMode):
    def __init__(self, excitation: np.ndarray) -> None:
        super().__init__()
        self.excitation = torch.from_numpy(excitation.reshape(1, -1, HARMONICS))

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        if function is torch.randn_like and arguments[0].shape == self.excitation.shape:
            return self.excitation
        return function(*arguments, **(keywords or {}))


def kokoro_source(f0: np.ndarray, excitation: np.ndarray) -> np.ndarray:
    """kokoro's own source module on float64 input."""
    module = SourceModuleHnNSF(24000, SAMPLES_PER_VALUE, harmonic_num=8, voiced_threshod=10)
    weight, bias = merging_layer()
    module.load_state_dict({"l_linear.weight": torch.from_numpy(weight), "l_linear.bias": torch.from_numpy(bias)})
    curve = torch.from_numpy(np.repeat(f0.reshape(-1), SAMPLES_PER_VALUE)[None, :, None]).double()
    with torch.no_grad(), _Noise(excitation.astype(np.float64)):
        return module.double()(curve)[0].numpy().reshape(-1)


@pytest.mark.parametrize("frames", [1, 3, 40])
def test_exact_waveform_is_kokoros_source_in_float64(frames):
    ours = exact_waveform(pitch(frames), noise(frames), *merging_layer())
    np.testing.assert_allclose(ours, kokoro_source(pitch(frames), noise(frames)), atol=1e-8)


@pytest.mark.parametrize("harmonic", [1, 9])
def test_integer_phases_are_the_float64_phases(harmonic):
    f0 = pitch(400).reshape(-1).astype(np.float64)
    difference = integer_phases(f0, harmonic, SAMPLES_PER_VALUE) - float64_phases(f0, harmonic, SAMPLES_PER_VALUE)
    assert np.abs(difference - np.rint(difference)).max() < 1e-7


def test_the_operator_equals_the_reference_without_a_flipped_phase():
    f0, excitation = pitch(200), noise(200)
    ours = harmonic_source(f0[None], excitation[None], np.array([200]), *merging_layer(), N_FFT, HOP)[0]
    truth = spectrum(exact_waveform(f0, excitation, *merging_layer()), N_FFT, HOP)
    np.testing.assert_allclose(ours, truth, atol=1e-4)


def test_spectrum_is_torchs_up_to_the_contract():
    signal = np.random.default_rng(0).standard_normal(600)
    window = torch.from_numpy(hann_window(N_FFT))
    theirs = torch.stft(torch.from_numpy(signal), N_FFT, HOP, window=window, return_complex=True)
    magnitude, phase = np.split(spectrum(signal, N_FFT, HOP), 2)
    np.testing.assert_allclose(magnitude * np.exp(1j * phase), theirs, atol=1e-6)


def test_first_column_and_border_bins_are_real_by_construction():
    """The first column and the two border bins are real in float64; the last column is not."""
    signal = exact_waveform(pitch(12), noise(12), *merging_layer())
    window = torch.from_numpy(hann_window(N_FFT))
    imaginary = torch.stft(torch.from_numpy(signal), N_FFT, HOP, window=window, return_complex=True).imag.abs()
    assert imaginary[:, 0].max() < 1e-14
    assert imaginary[[0, -1]].max() < 1e-14
    assert imaginary[:, -1].max() > 1e-4


def test_phase_is_never_minus_pi_where_the_imaginary_part_is_zero():
    phase = spectrum(-np.abs(np.random.default_rng(0).standard_normal(600)), N_FFT, HOP)[N_FFT // 2 + 1 :]
    real = np.concatenate([phase[:, 0], phase[0], phase[-1]])
    assert set(real.tolist()) <= {0.0, float(np.float32(np.pi))}
    assert float(np.float32(np.pi)) in real


@pytest.mark.parametrize("filling", [0.0, 400.0, np.nan])
def test_padding_does_not_matter(filling):
    f0, excitation = np.stack([pitch(5)] * 2), np.stack([noise(5)] * 2)
    f0[1, 3:] = excitation[1, 3:] = filling
    both = harmonic_source(f0, excitation, np.array([5, 3]), *merging_layer(), N_FFT, HOP)
    alone = harmonic_source(f0[1:, :3], excitation[1:, :3], np.array([3]), *merging_layer(), N_FFT, HOP)
    np.testing.assert_array_equal(both[1, :, : alone.shape[2]], alone[0])
    assert not both[1, :, alone.shape[2] :].any()


N_FFT, HOP, SAMPLES_PER_FRAME = 20, 5, 600
COLUMNS_PER_FRAME = SAMPLES_PER_FRAME // HOP
LENGTHS = np.array([3, 1], np.int32)


def random_spectrum() -> tuple[np.ndarray, np.ndarray]:
    shape = (2, N_FFT // 2 + 1, 3 * COLUMNS_PER_FRAME + 1)
    generator = np.random.default_rng(0)
    return np.exp(generator.standard_normal(shape, dtype=np.float32)), generator.standard_normal(
        shape, dtype=np.float32
    )


@pytest.mark.parametrize("batch_index", [0, 1])
def test_equals_torch_of_the_sequence_alone(batch_index):
    magnitude, phase = random_spectrum()
    samples = SAMPLES_PER_FRAME * LENGTHS[batch_index]
    ours = inverse_stft(magnitude, phase, LENGTHS, N_FFT, HOP, SAMPLES_PER_FRAME)[batch_index]
    valid = slice(samples // HOP + 1)
    alone = torch.polar(
        torch.from_numpy(magnitude[batch_index, :, valid]), torch.from_numpy(phase[batch_index, :, valid])
    )
    expected = torch.istft(alone, N_FFT, HOP, window=torch.hann_window(N_FFT))
    np.testing.assert_allclose(ours[:samples], expected, atol=1e-5)
    assert not ours[samples:].any()


def test_undoes_the_stft():
    signal = np.random.default_rng(0).standard_normal(SAMPLES_PER_FRAME)
    magnitude, phase = np.split(spectrum(signal, N_FFT, HOP)[None], 2, axis=1)
    back = inverse_stft(magnitude, phase, np.array([1]), N_FFT, HOP, SAMPLES_PER_FRAME)
    np.testing.assert_allclose(back[0], signal, atol=1e-5)


@pytest.mark.parametrize("filling", [0.0, 1e30, np.nan])
def test_padding_does_not_matter_to_the_inverse(filling):
    expected = inverse_stft(*random_spectrum(), LENGTHS, N_FFT, HOP, SAMPLES_PER_FRAME)
    magnitude, phase = random_spectrum()
    magnitude[1, :, COLUMNS_PER_FRAME + 1 :] = phase[1, :, COLUMNS_PER_FRAME + 1 :] = filling
    actual = inverse_stft(magnitude, phase, LENGTHS, N_FFT, HOP, SAMPLES_PER_FRAME)
    np.testing.assert_array_equal(actual, expected)


def test_the_left_reflection_equals_reflection_padding():
    x = np.random.default_rng(0).standard_normal((2, 3, 5), dtype=np.float32)
    expected = torch.nn.ReflectionPad1d((1, 0))(torch.from_numpy(x))
    np.testing.assert_array_equal(reflect_left(x), expected)
