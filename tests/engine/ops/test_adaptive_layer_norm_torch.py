"""The torch operator must compute what the numpy meaning says, and pass torch's own checks of a custom operator."""

from __future__ import annotations

import numpy as np
import torch

from engine.ops import adaptive_layer_norm as meaning
from engine.ops.adaptive_layer_norm_torch import adaptive_layer_norm


def arguments() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, int, float]:
    return 3 + torch.randn(2, 7, 6), torch.randn(2, 16), torch.randn(2, 4), 3, 1e-5


def test_equals_the_numpy_meaning() -> None:
    *tensors, offset, epsilon = arguments()
    expected = meaning.adaptive_layer_norm(*(tensor.numpy() for tensor in tensors), offset, epsilon)
    np.testing.assert_allclose(adaptive_layer_norm(*tensors, offset, epsilon), expected, atol=1e-5)


def test_passes_torchs_operator_checks() -> None:
    assert set(torch.library.opcheck(adaptive_layer_norm, arguments()).values()) == {"SUCCESS"}
