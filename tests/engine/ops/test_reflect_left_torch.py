"""The torch operator must compute what the numpy meaning says, and pass torch's own checks of a custom operator."""

from __future__ import annotations

import numpy as np
import torch

from engine.ops import reflect_left as meaning
from engine.ops.reflect_left_torch import reflect_left

X = np.random.default_rng(0).standard_normal((2, 3, 5), dtype=np.float32)


def test_equals_the_numpy_meaning() -> None:
    np.testing.assert_array_equal(reflect_left(torch.from_numpy(X)).numpy(), meaning.reflect_left(X))


def test_passes_torchs_operator_checks() -> None:
    checks = torch.library.opcheck(reflect_left, (torch.from_numpy(X),))
    assert set(checks.values()) == {"SUCCESS"}
