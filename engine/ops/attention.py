"""Softmax attention over the valid keys of each sequence, in numpy.

It does not know heads' projections.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def attention(query: Floats, key: Floats, value: Floats, lengths: NDArray[np.integer]) -> NDArray[np.float32]:
    """softmax(query key^T / sqrt(width)) value over keys within the length.

    `query`, `key`, `value` [batch, heads, time, width], `lengths` [batch]; the result has the same shape and is 0
    in rows beyond the length.
    """
    result = np.zeros(query.shape, np.float32)
    for member, length in enumerate(lengths):
        rows, keys, values = (part[member, :, :length] for part in (query, key, value))
        scores = rows @ keys.transpose(0, 2, 1) / np.sqrt(np.float32(query.shape[3]))
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        result[member, :, :length] = weights / weights.sum(axis=-1, keepdims=True) @ values
    return result
