"""Adaptive normalization equals torch's instance norm of each sequence alone."""

import numpy as np
import pytest
import torch
from kokoro.modules import AdaLayerNorm

from engine.network.ops.adaptive_layer_norm import adaptive_layer_norm
from engine.network.ops.adaptive_norm import adaptive_norm, adaptive_norm_leaky_relu, adaptive_norm_snake

LENGTHS = np.array([40, 2, 17], np.int32)


OFFSET = 3


def case(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    x = 3 + generator.standard_normal((3, 4, 41), dtype=np.float32)
    weight, bias = generator.standard_normal((2, 4), dtype=np.float32)
    return x, generator.standard_normal((3, 12), dtype=np.float32), weight, bias


def alone(x: np.ndarray, styles: np.ndarray, weight: np.ndarray, bias: np.ndarray, batch_index: int) -> torch.Tensor:
    valid = torch.from_numpy(x[batch_index : batch_index + 1, :, : LENGTHS[batch_index]])
    normal = torch.nn.functional.instance_norm(valid, weight=torch.from_numpy(weight), bias=torch.from_numpy(bias))
    gamma, beta = torch.from_numpy(styles[batch_index, OFFSET : OFFSET + 8]).reshape(2, 4, 1)
    return (1 + gamma) * normal + beta


@pytest.mark.parametrize("batch_index", range(3))
def test_equals_instance_norm_of_the_sequence_alone(batch_index):
    x, *affine = case()
    ours = adaptive_norm(x, LENGTHS, *affine, OFFSET)[batch_index]
    np.testing.assert_allclose(ours[:, : LENGTHS[batch_index]], alone(x, *affine, batch_index)[0], atol=1e-5)
    assert not ours[:, LENGTHS[batch_index] :].any()


def test_activations_follow_the_norm():
    x, *affine = case()
    alpha = np.array([0.5, 1, 2, 3], np.float32)
    leaky = adaptive_norm_leaky_relu(x, LENGTHS, *affine, OFFSET, 0.2)[2, :, :17]
    snake = adaptive_norm_snake(x, LENGTHS, *affine, OFFSET, alpha)[2, :, :17]
    y = alone(x, *affine, 2)[0]
    a = torch.from_numpy(alpha)[:, None]
    np.testing.assert_allclose(leaky, torch.nn.functional.leaky_relu(y, 0.2), atol=1e-5)
    np.testing.assert_allclose(snake, y + torch.sin(a * y) ** 2 / a, atol=1e-5)


@pytest.mark.parametrize("filling", [0.0, 1e30, np.nan])
def test_padding_does_not_matter(filling):
    x, *affine = case()
    expected = adaptive_norm(x, LENGTHS, *affine, OFFSET)
    for batch_index, length in enumerate(LENGTHS):
        x[batch_index, :, length:] = filling
    np.testing.assert_array_equal(adaptive_norm(x, LENGTHS, *affine, OFFSET), expected)


def test_one_step_is_its_own_mean():
    x, styles, weight, bias = case()
    ours = adaptive_norm(x, np.array([1, 1, 1], np.int32), styles, weight, bias, OFFSET)
    gamma, beta = styles[:, OFFSET : OFFSET + 4], styles[:, OFFSET + 4 : OFFSET + 8]
    np.testing.assert_allclose(ours[:, :, 0], (1 + gamma) * bias + beta, rtol=1e-6)


STYLE, CHANNELS, STYLE_OFFSET = 4, 6, 3


def test_equals_kokoros_with_the_constant_input_appended():
    norm = AdaLayerNorm(STYLE, CHANNELS).requires_grad_(False)
    x, style = 3 + torch.randn(2, 7, CHANNELS), torch.randn(2, STYLE)
    styles = torch.cat([torch.randn(2, STYLE_OFFSET), norm.fc(style), torch.randn(2, 1)], dim=1)
    ours = adaptive_layer_norm(x.numpy(), styles.numpy(), style.numpy(), STYLE_OFFSET, norm.eps)
    theirs = norm(x, style)
    np.testing.assert_allclose(ours[:, :, :CHANNELS], theirs, atol=1e-5)
    np.testing.assert_array_equal(ours[:, :, CHANNELS:], np.repeat(style.numpy()[:, None], 7, axis=1))
