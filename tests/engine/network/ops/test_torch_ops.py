"""The torch operators compute what their numpy meaning says, and pass torch's own checks of a custom operator."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.network.ops import adaptive_layer_norm as numpy_adaptive_layer_norm
from engine.network.ops import adaptive_norm as numpy_adaptive_norm
from engine.network.ops import attention as numpy_attention
from engine.network.ops import harmonic_source as numpy_harmonic_source
from engine.network.ops import inverse_stft as numpy_inverse_stft
from engine.network.ops import packed_lstm as numpy_packed_lstm
from engine.network.ops import reflect_left as numpy_reflect_left
from engine.network.ops.torch_ops import (
    adaptive_layer_norm,
    adaptive_norm,
    adaptive_norm_leaky_relu,
    adaptive_norm_snake,
    attention,
    harmonic_source,
    inverse_stft,
    lstm_forward_packed,
    lstm_forward_packed_bidirectional,
    reflect_left,
)


def adaptive_layer_norm_arguments() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, int, float]:
    return 3 + torch.randn(2, 7, 6), torch.randn(2, 16), torch.randn(2, 4), 3, 1e-5


def test_adaptive_layer_norm_equals_the_numpy_reference():
    *tensors, offset, epsilon = adaptive_layer_norm_arguments()
    expected = numpy_adaptive_layer_norm.adaptive_layer_norm(*(tensor.numpy() for tensor in tensors), offset, epsilon)
    np.testing.assert_allclose(adaptive_layer_norm(*tensors, offset, epsilon), expected, atol=1e-5)


def test_adaptive_layer_norm_passes_torchs_operator_checks():
    assert set(torch.library.opcheck(adaptive_layer_norm, adaptive_layer_norm_arguments()).values()) == {"SUCCESS"}


ALPHA = np.array([0.5, 1, 2, 3], np.float32)
CASES = [
    (adaptive_norm, numpy_adaptive_norm.adaptive_norm, ()),
    (adaptive_norm_leaky_relu, numpy_adaptive_norm.adaptive_norm_leaky_relu, (0.2,)),
    (adaptive_norm_snake, numpy_adaptive_norm.adaptive_norm_snake, (ALPHA,)),
]


def adaptive_norm_arguments() -> list[object]:
    generator = np.random.default_rng(0)
    x = 3 + generator.standard_normal((3, 4, 41), dtype=np.float32)
    styles = generator.standard_normal((3, 12), dtype=np.float32)
    weight, bias = generator.standard_normal((2, 4), dtype=np.float32)
    return [x, np.array([40, 1, 17], np.int32), styles, weight, bias, 3]


def tensors(values: tuple[object, ...] | list[object]) -> tuple[object, ...]:
    return tuple(torch.from_numpy(value) if isinstance(value, np.ndarray) else value for value in values)


@pytest.mark.parametrize(("operator", "numpy_reference", "extra"), CASES)
def test_adaptive_norm_equals_the_numpy_reference(operator, numpy_reference, extra):
    values = adaptive_norm_arguments()
    values[0][1, :, 1:] = np.nan
    ours = operator(*tensors(values), *tensors(extra)).numpy()
    np.testing.assert_allclose(ours, numpy_reference(*values, *extra), atol=1e-5)


@pytest.mark.parametrize(("operator", "numpy_reference", "extra"), CASES)
def test_adaptive_norm_passes_torchs_operator_checks(operator, numpy_reference, extra):
    checks = torch.library.opcheck(operator, (*tensors(adaptive_norm_arguments()), *tensors(extra)))
    assert set(checks.values()) == {"SUCCESS"}


HEADS = 2
LENGTHS = np.array([6, 1, 4], np.int32)


def case() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((3, 7, 3 * HEADS * 5), dtype=np.float32)


def test_attention_equals_the_numpy_reference():
    x = case()
    x[1, 1:] = np.nan
    ours = attention(torch.from_numpy(x), torch.from_numpy(LENGTHS), HEADS).numpy()
    np.testing.assert_allclose(ours, numpy_attention.attention(x, LENGTHS, HEADS), atol=1e-6)


def test_attention_passes_torchs_operator_checks():
    checks = torch.library.opcheck(attention, (torch.from_numpy(case()), torch.from_numpy(LENGTHS), HEADS))
    assert set(checks.values()) == {"SUCCESS"}


def harmonic_source_arguments() -> list[np.ndarray]:
    generator = np.random.default_rng(0)
    f0 = 100 + 50 * generator.standard_normal((2, 4, 2), dtype=np.float32)
    noise = generator.standard_normal((2, 4, 600, 9), dtype=np.float32)
    weight = generator.standard_normal((1, 9), dtype=np.float32)
    return [f0, noise, np.array([4, 2], np.int32), weight, np.zeros(1, np.float32)]


def test_harmonic_source_equals_the_numpy_reference():
    ours = harmonic_source(*map(torch.from_numpy, harmonic_source_arguments()), 20, 5)
    np.testing.assert_array_equal(
        ours.numpy(), numpy_harmonic_source.harmonic_source(*harmonic_source_arguments(), 20, 5)
    )


def test_harmonic_source_passes_torchs_operator_checks():
    checks = torch.library.opcheck(harmonic_source, (*map(torch.from_numpy, harmonic_source_arguments()), 20, 5))
    assert set(checks.values()) == {"SUCCESS"}


SIZES = (20, 5, 600)


def inverse_stft_arguments() -> list[np.ndarray]:
    magnitude, phase = np.random.default_rng(0).standard_normal((2, 2, 11, 361), dtype=np.float32)
    return [np.exp(magnitude), phase, np.array([3, 1], np.int32)]


def test_inverse_stft_equals_the_numpy_reference():
    values = inverse_stft_arguments()
    values[0][1, :, 121:] = np.nan
    ours = inverse_stft(*map(torch.from_numpy, values), *SIZES)
    np.testing.assert_allclose(ours.numpy(), numpy_inverse_stft.inverse_stft(*values, *SIZES), atol=1e-5)


def test_inverse_stft_passes_torchs_operator_checks():
    checks = torch.library.opcheck(inverse_stft, (*map(torch.from_numpy, inverse_stft_arguments()), *SIZES))
    assert set(checks.values()) == {"SUCCESS"}


INPUTS, HIDDEN = 5, 3


def packed_lstm_arguments(lengths: list[int], directions: int) -> list[np.ndarray]:
    generator = np.random.default_rng(sum(lengths))
    shapes = [(4 * HIDDEN, INPUTS), (4 * HIDDEN, HIDDEN), (4 * HIDDEN,)] * directions
    x = generator.standard_normal((len(lengths), max(lengths) + 1, INPUTS), dtype=np.float32)
    x[:, -1] = np.nan
    weights = [generator.standard_normal(shape, dtype=np.float32) for shape in shapes]
    return [x, np.array(lengths, np.int32), *weights]


@settings(max_examples=30)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_packed_lstm_equals_the_numpy_reference(lengths):
    for directions, operator, numpy_reference in (
        (1, lstm_forward_packed, numpy_packed_lstm.lstm_forward_packed),
        (2, lstm_forward_packed_bidirectional, numpy_packed_lstm.lstm_forward_packed_bidirectional),
    ):
        values = packed_lstm_arguments(lengths, directions)
        ours = operator(*map(torch.from_numpy, values)).numpy()
        np.testing.assert_allclose(ours, numpy_reference(*values), atol=1e-5)


def test_packed_lstm_passes_torchs_operator_checks():
    for directions, operator in ((1, lstm_forward_packed), (2, lstm_forward_packed_bidirectional)):
        values = packed_lstm_arguments([3, 2], directions)
        values[0] = np.nan_to_num(values[0])
        checks = torch.library.opcheck(operator, tuple(map(torch.from_numpy, values)))
        assert set(checks.values()) == {"SUCCESS"}


X = np.random.default_rng(0).standard_normal((2, 3, 5), dtype=np.float32)


def test_reflect_left_equals_the_numpy_reference():
    np.testing.assert_array_equal(reflect_left(torch.from_numpy(X)).numpy(), numpy_reflect_left.reflect_left(X))


def test_reflect_left_passes_torchs_operator_checks():
    checks = torch.library.opcheck(reflect_left, (torch.from_numpy(X),))
    assert set(checks.values()) == {"SUCCESS"}
