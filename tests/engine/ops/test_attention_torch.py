"""The torch operator must compute what the numpy meaning says, and pass torch's own checks of a custom operator."""

from __future__ import annotations

import numpy as np
import torch

from engine.ops import attention as meaning
from engine.ops.attention_torch import attention


def arguments() -> list[np.ndarray]:
    parts = np.random.default_rng(0).standard_normal((3, 3, 2, 7, 5), dtype=np.float32)
    return [*parts, np.array([6, 1, 4], np.int32)]


def test_equals_the_numpy_meaning() -> None:
    values = arguments()
    for part in values[:3]:
        part[1, :, 1:] = np.nan
    np.testing.assert_allclose(attention(*map(torch.from_numpy, values)).numpy(), meaning.attention(*values), atol=1e-6)


def test_passes_torchs_operator_checks() -> None:
    checks = torch.library.opcheck(attention, tuple(map(torch.from_numpy, arguments())))
    assert set(checks.values()) == {"SUCCESS"}
