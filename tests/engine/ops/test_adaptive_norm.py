"""Adaptive normalisation must be torch's instance norm of each member alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.ops.adaptive_norm import adaptive_norm, adaptive_norm_leaky_relu, adaptive_norm_snake

LENGTHS = np.array([40, 2, 17], np.int32)


def case(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    x = 3 + generator.standard_normal((3, 4, 41), dtype=np.float32)
    scale, shift = generator.standard_normal((2, 3, 4), dtype=np.float32)
    return x, scale, shift


def alone(x: np.ndarray, scale: np.ndarray, shift: np.ndarray, member: int) -> torch.Tensor:
    valid = torch.from_numpy(x[member : member + 1, :, : LENGTHS[member]])
    return torch.nn.functional.instance_norm(
        valid, weight=torch.from_numpy(scale[member]), bias=torch.from_numpy(shift[member])
    )


@pytest.mark.parametrize("member", range(3))
def test_equals_instance_norm_of_the_member_alone(member: int) -> None:
    x, scale, shift = case()
    ours = adaptive_norm(x, LENGTHS, scale, shift)[member]
    np.testing.assert_allclose(ours[:, : LENGTHS[member]], alone(x, scale, shift, member)[0], atol=1e-5)
    assert not ours[:, LENGTHS[member] :].any()


def test_activations_follow_the_norm() -> None:
    x, scale, shift = case()
    alpha = np.array([0.5, 1, 2, 3], np.float32)
    leaky = adaptive_norm_leaky_relu(x, LENGTHS, scale, shift, 0.2)[2, :, :17]
    snake = adaptive_norm_snake(x, LENGTHS, scale, shift, alpha)[2, :, :17]
    y = alone(x, scale, shift, 2)[0]
    a = torch.from_numpy(alpha)[:, None]
    np.testing.assert_allclose(leaky, torch.nn.functional.leaky_relu(y, 0.2), atol=1e-5)
    np.testing.assert_allclose(snake, y + torch.sin(a * y) ** 2 / a, atol=1e-5)


@pytest.mark.parametrize("filling", [0.0, 1e30, np.nan])
def test_padding_does_not_matter(filling: float) -> None:
    x, scale, shift = case()
    expected = adaptive_norm(x, LENGTHS, scale, shift)
    for member, length in enumerate(LENGTHS):
        x[member, :, length:] = filling
    np.testing.assert_array_equal(adaptive_norm(x, LENGTHS, scale, shift), expected)


def test_one_step_is_its_own_mean() -> None:
    x, scale, shift = case()
    ours = adaptive_norm(x, np.array([1, 1, 1], np.int32), scale, shift)
    np.testing.assert_allclose(ours[:, :, 0], shift)
