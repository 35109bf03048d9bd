"""Attention over valid keys must be torch's attention of each member alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.ops.attention import attention

LENGTHS = np.array([6, 1, 4], np.int32)


def case() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    query, key, value = np.random.default_rng(0).standard_normal((3, 3, 2, 7, 5), dtype=np.float32)
    return query, key, value


@pytest.mark.parametrize("member", range(3))
def test_equals_torch_attention_of_the_member_alone(member: int) -> None:
    ours = attention(*case(), LENGTHS)[member]
    alone = [torch.from_numpy(part[member, :, : LENGTHS[member]]) for part in case()]
    expected = torch.nn.functional.scaled_dot_product_attention(*alone)
    np.testing.assert_allclose(ours[:, : LENGTHS[member]], expected, atol=1e-6)
    assert not ours[:, LENGTHS[member] :].any()


@pytest.mark.parametrize("filling", [0.0, 1e30, np.nan])
def test_padding_does_not_matter(filling: float) -> None:
    parts = case()
    for part in parts:
        part[1, :, 1:] = filling
    np.testing.assert_array_equal(attention(*parts, LENGTHS)[1], attention(*case(), LENGTHS)[1])


def test_survives_large_scores() -> None:
    query, key, value = case()
    assert np.isfinite(attention(query * 1e3, key * 1e3, value, LENGTHS)).all()
