"""The inverse STFT equals torch's of each sequence alone and undoes the STFT; the left reflection equals torch's."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.ops.harmonic_source import spectrum
from engine.ops.inverse_stft import inverse_stft
from engine.ops.reflect_left import reflect_left

N_FFT, HOP, SAMPLES_PER_FRAME = 20, 5, 600
COLUMNS_PER_FRAME = SAMPLES_PER_FRAME // HOP
LENGTHS = np.array([3, 1], np.int32)


def case() -> tuple[np.ndarray, np.ndarray]:
    shape = (2, N_FFT // 2 + 1, 3 * COLUMNS_PER_FRAME + 1)
    generator = np.random.default_rng(0)
    return np.exp(generator.standard_normal(shape, dtype=np.float32)), generator.standard_normal(
        shape, dtype=np.float32
    )


@pytest.mark.parametrize("batch_index", [0, 1])
def test_equals_torch_of_the_sequence_alone(batch_index: int) -> None:
    magnitude, phase = case()
    samples = SAMPLES_PER_FRAME * LENGTHS[batch_index]
    ours = inverse_stft(magnitude, phase, LENGTHS, N_FFT, HOP, SAMPLES_PER_FRAME)[batch_index]
    valid = slice(samples // HOP + 1)
    alone = torch.polar(
        torch.from_numpy(magnitude[batch_index, :, valid]), torch.from_numpy(phase[batch_index, :, valid])
    )
    expected = torch.istft(alone, N_FFT, HOP, window=torch.hann_window(N_FFT))
    np.testing.assert_allclose(ours[:samples], expected, atol=1e-5)
    assert not ours[samples:].any()


def test_undoes_the_stft() -> None:
    signal = np.random.default_rng(0).standard_normal(SAMPLES_PER_FRAME)
    magnitude, phase = np.split(spectrum(signal, N_FFT, HOP)[None], 2, axis=1)
    back = inverse_stft(magnitude, phase, np.array([1]), N_FFT, HOP, SAMPLES_PER_FRAME)
    np.testing.assert_allclose(back[0], signal, atol=1e-5)


@pytest.mark.parametrize("filling", [0.0, 1e30, np.nan])
def test_padding_does_not_matter(filling: float) -> None:
    expected = inverse_stft(*case(), LENGTHS, N_FFT, HOP, SAMPLES_PER_FRAME)
    magnitude, phase = case()
    magnitude[1, :, COLUMNS_PER_FRAME + 1 :] = phase[1, :, COLUMNS_PER_FRAME + 1 :] = filling
    actual = inverse_stft(magnitude, phase, LENGTHS, N_FFT, HOP, SAMPLES_PER_FRAME)
    np.testing.assert_array_equal(actual, expected)


def test_the_left_reflection_equals_reflection_padding() -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 5), dtype=np.float32)
    expected = torch.nn.ReflectionPad1d((1, 0))(torch.from_numpy(x))
    np.testing.assert_array_equal(reflect_left(x), expected)
