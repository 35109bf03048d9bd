"""Softmax attention over the valid keys, in numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def attention(x: Floats, lengths: NDArray[np.integer], heads: int) -> NDArray[np.float32]:
    """softmax(query key^T / sqrt(width)) value over keys within the length, for each head.

    `x` [batch, time, 3 * heads * width] holds per step the queries of all heads, then their keys, then their values;
    `lengths` [batch]. The result [batch, time, heads * width] is 0 in rows beyond the length.
    """
    batch, time, _ = x.shape
    query, key, value = x.reshape(batch, time, 3, heads, -1).transpose(2, 0, 3, 1, 4)
    result = np.zeros(query.shape, np.float32)
    for batch_index, length in enumerate(lengths):
        rows, keys, values = (part[batch_index, :, :length] for part in (query, key, value))
        scores = rows @ keys.transpose(0, 2, 1) / np.sqrt(np.float32(query.shape[3]))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        result[batch_index, :, :length] = weights / weights.sum(axis=-1, keepdims=True) @ values
    return result.transpose(0, 2, 1, 3).reshape(batch, time, -1)
