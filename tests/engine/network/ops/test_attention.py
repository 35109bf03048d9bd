"""Attention over valid keys equals torch's attention of each sequence alone."""

import numpy as np
import pytest
import torch

from engine.network.ops.attention import attention

LENGTHS = np.array([6, 1, 4], np.int32)
HEADS = 2


def case() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((3, 7, 3 * HEADS * 5), dtype=np.float32)


@pytest.mark.parametrize("batch_index", range(3))
def test_equals_torch_attention_of_the_sequence_alone(batch_index):
    length = LENGTHS[batch_index]
    ours = attention(case(), LENGTHS, HEADS)[batch_index]
    alone = [
        part.reshape(length, HEADS, 5).transpose(0, 1)
        for part in torch.tensor(case()[batch_index, :length]).chunk(3, 1)
    ]
    expected = torch.nn.functional.scaled_dot_product_attention(*alone).transpose(0, 1).reshape(length, -1)
    np.testing.assert_allclose(ours[:length], expected, atol=1e-6)
    assert not ours[length:].any()


@pytest.mark.parametrize("filling", [0.0, 1e30, np.nan])
def test_padding_does_not_matter(filling):
    x = case()
    x[1, 1:] = filling
    np.testing.assert_array_equal(attention(x, LENGTHS, HEADS)[1], attention(case(), LENGTHS, HEADS)[1])


def test_survives_large_scores():
    assert np.isfinite(attention(1e3 * case(), LENGTHS, HEADS)).all()
