"""The torch operator must compute what the numpy meaning says, and pass torch's own checks of a custom operator."""

from __future__ import annotations

import numpy as np
import torch

from engine.ops import attention as meaning
from engine.ops.attention_torch import attention

HEADS = 2
LENGTHS = np.array([6, 1, 4], np.int32)


def case() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((3, 7, 3 * HEADS * 5), dtype=np.float32)


def test_equals_the_numpy_meaning() -> None:
    x = case()
    x[1, 1:] = np.nan
    ours = attention(torch.from_numpy(x), torch.from_numpy(LENGTHS), HEADS).numpy()
    np.testing.assert_allclose(ours, meaning.attention(x, LENGTHS, HEADS), atol=1e-6)


def test_passes_torchs_operator_checks() -> None:
    checks = torch.library.opcheck(attention, (torch.from_numpy(case()), torch.from_numpy(LENGTHS), HEADS))
    assert set(checks.values()) == {"SUCCESS"}
