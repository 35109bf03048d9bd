"""Adaptive layer normalisation equals kokoro's, with the constant input appended."""

from __future__ import annotations

import numpy as np
import torch
from kokoro.modules import AdaLayerNorm

from engine.ops.adaptive_layer_norm import adaptive_layer_norm

STYLE, CHANNELS, OFFSET = 4, 6, 3


def test_equals_kokoros_with_the_constant_input_appended() -> None:
    norm = AdaLayerNorm(STYLE, CHANNELS).requires_grad_(False)
    x, style = 3 + torch.randn(2, 7, CHANNELS), torch.randn(2, STYLE)
    styles = torch.cat([torch.randn(2, OFFSET), norm.fc(style), torch.randn(2, 1)], dim=1)
    ours = adaptive_layer_norm(x.numpy(), styles.numpy(), style.numpy(), OFFSET, norm.eps)
    theirs = norm(x, style)
    np.testing.assert_allclose(ours[:, :, :CHANNELS], theirs, atol=1e-5)
    np.testing.assert_array_equal(ours[:, :, CHANNELS:], np.repeat(style.numpy()[:, None], 7, axis=1))
