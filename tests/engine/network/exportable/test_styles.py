"""One linear layer must give every norm what its own layer gives."""

import pytest
import torch
from kokoro.istftnet import AdaIN1d
from kokoro.modules import AdaLayerNorm
from torch import nn

from engine.network.exportable.styles import NormStyles
from engine.network.ops.torch_ops import adaptive_norm

STYLE = 4


def test_every_norm_finds_the_output_of_its_fc_layer():
    norms = [AdaIN1d(STYLE, 3), AdaLayerNorm(STYLE, 5), AdaIN1d(STYLE, 2)]
    style = torch.randn(2, STYLE)
    styles = NormStyles([nn.ModuleList(norms[:2]), norms[2]], style)
    for norm in norms:
        expected = norm.fc(style)
        found = styles.values.narrow(1, styles.offset(norm), expected.shape[1])
        torch.testing.assert_close(found, expected)
    with pytest.raises(KeyError):
        styles.offset(AdaIN1d(STYLE, 3))


def test_operands_make_the_operator_kokoros_norm():
    norm, x, style = AdaIN1d(STYLE, 3).requires_grad_(False), torch.randn(2, 3, 7), torch.randn(2, STYLE)
    nn.init.normal_(norm.norm.weight)
    nn.init.normal_(norm.norm.bias)
    styles = NormStyles([AdaIN1d(STYLE, 9), norm], style)
    lengths = torch.tensor([7, 7], dtype=torch.int32)
    ours = adaptive_norm(x, lengths, *styles.operands(norm))
    torch.testing.assert_close(ours, norm(x, style), atol=1e-5, rtol=1e-5)
