"""The torch operator must compute what the numpy meaning says, and pass torch's own checks of a custom operator."""

from __future__ import annotations

import numpy as np
import torch

from engine.ops import inverse_stft as meaning
from engine.ops.inverse_stft_torch import inverse_stft

SIZES = (20, 5, 600)


def arguments() -> list[np.ndarray]:
    magnitude, phase = np.random.default_rng(0).standard_normal((2, 2, 11, 361), dtype=np.float32)
    return [np.exp(magnitude), phase, np.array([3, 1], np.int32)]


def test_equals_the_numpy_meaning() -> None:
    values = arguments()
    values[0][1, :, 121:] = np.nan
    ours = inverse_stft(*map(torch.from_numpy, values), *SIZES)
    np.testing.assert_allclose(ours.numpy(), meaning.inverse_stft(*values, *SIZES), atol=1e-5)


def test_passes_torchs_operator_checks() -> None:
    checks = torch.library.opcheck(inverse_stft, (*map(torch.from_numpy, arguments()), *SIZES))
    assert set(checks.values()) == {"SUCCESS"}
