"""The left reflection must be torch's reflection padding of one."""

from __future__ import annotations

import numpy as np
import torch

from engine.ops.reflect_left import reflect_left


def test_equals_reflection_padding() -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 5), dtype=np.float32)
    expected = torch.nn.ReflectionPad1d((1, 0))(torch.from_numpy(x))
    np.testing.assert_array_equal(reflect_left(x), expected)
