"""One reflected step before a sequence, in numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def reflect_left(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """`x` [batch, channels, time] with its second step put before its first: [batch, channels, time + 1].

    It agrees with `torch.nn.ReflectionPad1d((1, 0))`.
    """
    return np.concatenate([x[:, :, 1:2], x], axis=2)
