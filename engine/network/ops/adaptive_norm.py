"""Adaptive instance normalization over a valid length, alone or with the activation that follows it, in numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Lengths = NDArray[np.integer]

EPSILON = 1e-5
"""As in `torch.nn.InstanceNorm1d`."""


def adaptive_norm(
    x: Floats, lengths: Lengths, styles: Floats, weight: Floats, bias: Floats, offset: int
) -> NDArray[np.float32]:
    """Normalize each channel of `x` [batch, channels, time] over its valid steps, then scale and shift it.

    The result is (1 + gamma) (weight normal + bias) + beta with `weight`, `bias` [channels]; gamma and beta [batch,
    channels] follow each other in `styles` [batch, values] from index `offset` on. `lengths` [batch]. The variance is
    the biased one; beyond the length the result is 0.
    """
    channels = x.shape[1]
    gamma, beta = np.split(styles[:, offset : offset + 2 * channels], 2, axis=1)
    result = np.zeros(x.shape, np.float32)
    for batch_index, length in enumerate(lengths):
        valid = x[batch_index, :, :length].astype(np.float64)
        centered = valid - valid.mean(axis=1, keepdims=True)
        normal = centered / np.sqrt(np.square(centered).mean(axis=1, keepdims=True) + EPSILON)
        affine = weight[:, None] * normal + bias[:, None]
        result[batch_index, :, :length] = (1 + gamma[batch_index][:, None]) * affine + beta[batch_index][:, None]
    return result


def adaptive_norm_leaky_relu(
    x: Floats, lengths: Lengths, styles: Floats, weight: Floats, bias: Floats, offset: int, slope: float
) -> NDArray[np.float32]:
    """`adaptive_norm`, then a leaky ReLU: values below 0 are multiplied by `slope`."""
    y = adaptive_norm(x, lengths, styles, weight, bias, offset)
    return np.where(y > 0, y, np.float32(slope) * y)


def adaptive_norm_snake(
    x: Floats, lengths: Lengths, styles: Floats, weight: Floats, bias: Floats, offset: int, alpha: Floats
) -> NDArray[np.float32]:
    """`adaptive_norm`, then Snake: y + sin(alpha y)^2 / alpha, with `alpha` [channels]."""
    y = adaptive_norm(x, lengths, styles, weight, bias, offset)
    frequency = alpha[:, None]
    activated: NDArray[np.float32] = y + np.square(np.sin(frequency * y)) / frequency
    return activated
