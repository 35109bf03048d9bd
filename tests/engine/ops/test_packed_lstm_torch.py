"""The torch operator must compute what the numpy meaning says, and pass torch's own checks of a custom operator."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ops import packed_lstm as meaning
from engine.ops.packed_lstm_torch import lstm_forward_packed, lstm_forward_packed_bidirectional

INPUTS, HIDDEN = 5, 3


def arguments(lengths: list[int], directions: int) -> list[np.ndarray]:
    generator = np.random.default_rng(sum(lengths))
    shapes = [(4 * HIDDEN, INPUTS), (4 * HIDDEN, HIDDEN), (4 * HIDDEN,)] * directions
    x = generator.standard_normal((len(lengths), max(lengths) + 1, INPUTS), dtype=np.float32)
    x[:, -1] = np.nan
    weights = [generator.standard_normal(shape, dtype=np.float32) for shape in shapes]
    return [x, np.array(lengths, np.int32), *weights]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_equals_the_numpy_meaning(lengths: list[int]) -> None:
    for directions, operator, numpy_meaning in (
        (1, lstm_forward_packed, meaning.lstm_forward_packed),
        (2, lstm_forward_packed_bidirectional, meaning.lstm_forward_packed_bidirectional),
    ):
        values = arguments(lengths, directions)
        ours = operator(*map(torch.from_numpy, values)).numpy()
        np.testing.assert_allclose(ours, numpy_meaning(*values), atol=1e-5)


def test_passes_torchs_operator_checks() -> None:
    for directions, operator in ((1, lstm_forward_packed), (2, lstm_forward_packed_bidirectional)):
        values = arguments([3, 2], directions)
        values[0] = np.nan_to_num(values[0])
        checks = torch.library.opcheck(operator, tuple(map(torch.from_numpy, values)))
        assert set(checks.values()) == {"SUCCESS"}
