"""Adaptive layer normalization in numpy, with a constant input appended to every step for the next layer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def adaptive_layer_norm(x: Floats, styles: Floats, constant_input: Floats, offset: int, epsilon: float) -> Floats:
    """Normalize each step of `x` [batch, time, channels] over its channels, then scale and shift it.

    The result is (1 + gamma) normal + beta. Gamma and beta [batch, channels] follow each other in `styles` [batch,
    values] from index `offset` on. Returns [batch, time, channels + style] in the type of `x`: every step ends with its
    sequence's `constant_input` [batch, style].
    """
    time, channels = x.shape[1:]
    gamma, beta = np.split(styles[:, None, offset : offset + 2 * channels], 2, axis=2)
    centered = x.astype(np.float64) - x.mean(axis=2, keepdims=True, dtype=np.float64)
    normal = centered / np.sqrt(np.square(centered).mean(axis=2, keepdims=True) + epsilon)
    repeated = np.repeat(constant_input[:, None], time, axis=1)
    return np.concatenate([(1 + gamma) * normal + beta, repeated], axis=2).astype(x.dtype)
