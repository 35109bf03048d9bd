"""Each block must be kokoro's block on every sequence alone."""

import numpy as np
import pytest
import torch
from kokoro.istftnet import AdainResBlk1d, AdaINResBlock1
from torch.nn.utils import remove_weight_norm

from engine.network.exportable.blocks import (
    bidirectional_lstm,
    leaky_relu_within,
    repeated_twice,
    residual_block,
    snake_block,
    zero_beyond,
)
from engine.network.exportable.styles import NormStyles
from engine.network.ops.packed_lstm import LstmSemantics

CHANNELS, STYLE = 6, 4
LENGTHS = torch.tensor([9, 2, 5], dtype=torch.int32)


def folded(block: torch.nn.Module) -> torch.nn.Module:
    for module in block.modules():
        if hasattr(module, "weight_g"):
            remove_weight_norm(module)
        if isinstance(module, torch.nn.InstanceNorm1d):
            torch.nn.init.normal_(module.weight)
            torch.nn.init.normal_(module.bias)
    return block.eval().requires_grad_(False)


def made(kind: type[torch.nn.Module], *arguments: object, **keywords: object) -> torch.nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return folded(kind(*arguments, **keywords))


def case() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(3, CHANNELS, 10, generator=generator), torch.randn(3, STYLE, generator=generator)


@pytest.mark.parametrize("upsample", ["none", True])
@pytest.mark.parametrize("channels_out", [CHANNELS, 3])
def test_residual_block_is_kokoros_on_each_member(upsample, channels_out):
    block = made(AdainResBlk1d, CHANNELS, channels_out, STYLE, upsample=upsample)
    x, style = case()
    ours = residual_block(block, x, NormStyles([block], style), LENGTHS)
    for batch_index, length in enumerate(LENGTHS.tolist()):
        theirs = block(x[batch_index : batch_index + 1, :, :length], style[batch_index : batch_index + 1])[0]
        torch.testing.assert_close(ours[batch_index, :, : theirs.shape[1]], theirs, atol=1e-5, rtol=1e-5)


def test_snake_block_is_kokoros_on_each_member():
    block = made(AdaINResBlock1, CHANNELS, 3, (1, 3, 5), STYLE)
    for alpha in (*block.alpha1, *block.alpha2):
        alpha.copy_(torch.linspace(0.5, 2, CHANNELS)[None, :, None])
    x, style = case()
    ours = snake_block(block, x, NormStyles([block], style), LENGTHS)
    for batch_index, length in enumerate(LENGTHS.tolist()):
        theirs = block(x[batch_index : batch_index + 1, :, :length], style[batch_index : batch_index + 1])[0]
        torch.testing.assert_close(ours[batch_index, :, :length], theirs, atol=1e-5, rtol=1e-5)


def test_lstm_is_torchs_on_each_member():
    network = torch.nn.LSTM(CHANNELS, 3, batch_first=True, bidirectional=True).requires_grad_(False)
    x = case()[0].transpose(1, 2)
    ours = bidirectional_lstm(network, x, LENGTHS)
    for batch_index, length in enumerate(LENGTHS.tolist()):
        theirs, _ = network(x[batch_index : batch_index + 1, :length])
        torch.testing.assert_close(ours[batch_index, :length], theirs[0], atol=1e-6, rtol=1e-5)


def test_lstm_without_packing_runs_over_masked_padding_and_is_masked():
    network = torch.nn.LSTM(CHANNELS, 3, batch_first=True, bidirectional=True).requires_grad_(False)
    x = case()[0].transpose(1, 2)
    ours = bidirectional_lstm(network, torch.where(beyond(x), torch.nan, x), LENGTHS, LstmSemantics.NO_PACK)
    theirs, _ = network(torch.where(beyond(x), 0, x))
    torch.testing.assert_close(ours, torch.where(beyond(theirs), 0, theirs), atol=1e-6, rtol=1e-5)


def beyond(x: torch.Tensor) -> torch.Tensor:
    return torch.arange(x.shape[1])[None, :, None] >= LENGTHS[:, None, None]


@pytest.mark.parametrize(("shape", "axis"), [((3, 10), 1), ((3, 4, 10), 2), ((3, 10, 4), 1)])
def test_zero_beyond_replaces_any_padding_values(shape, axis):
    x = torch.full(shape, torch.nan)
    for row, length in zip(x, LENGTHS.tolist(), strict=True):
        row.narrow(axis - 1, 0, length).fill_(1)
    expected = np.nan_to_num(x.numpy())
    np.testing.assert_array_equal(zero_beyond(x, LENGTHS, axis), expected)


def test_leaky_relu_within_keeps_the_valid_steps():
    x, _ = case()
    ours = leaky_relu_within(x, LENGTHS, 0.1)
    torch.testing.assert_close(ours[1, :, :2], torch.nn.functional.leaky_relu(x[1, :, :2], 0.1))
    assert not ours[1, :, 2:].any()


def test_repeated_twice_is_nearest_upsampling():
    x, _ = case()
    expected = torch.nn.functional.interpolate(x, scale_factor=2, mode="nearest")
    torch.testing.assert_close(repeated_twice(x), expected)
