import copy

import numpy as np
import pytest
import torch
from torch import nn

from engine.ops.adaptive_layer_norm_torch import adaptive_layer_norm
from engine.stages import TOKENS, Size, Tensor
from tests.engine.kernels import lost_to_rounding


def test_a_layer_runs_over_the_last_of_any_axes(compiled):
    made = compiled(nn.Linear(32, 5), Tensor("x", (TOKENS, Size("f0_values_per_frame"), Size("hidden_dim"))))
    x = np.random.default_rng(0).standard_normal((2, 3, 2, 32), np.float32)
    np.testing.assert_allclose(made(x), made.eager(x), atol=2e-5)


def test_a_careful_value_is_rounded_once(compiled):
    layer = nn.Linear(32, 5)
    made = compiled(layer, Tensor("x", (TOKENS, Size("hidden_dim"))), careful=True)
    x = np.random.default_rng(0).standard_normal((2, 300, 32), np.float32)
    with torch.no_grad():
        exact = copy.deepcopy(layer).double()(torch.from_numpy(x).double()).numpy()
    assert lost_to_rounding(made(x), exact) < 0.5


class Styled(nn.Module):
    """Two linear layers, the second of which styles the normalised rows of the first; then a third."""

    def __init__(self):
        super().__init__()
        self.first, self.style, self.last = nn.Linear(32, 24), nn.Linear(32, 48), nn.Linear(24 + 32, 5)

    def forward(self, x):
        beside = x[:, 0]
        return self.last(adaptive_layer_norm(self.first(x), self.style(beside), beside, 0, 1e-5))


@pytest.mark.parametrize("careful", [False, True])
def test_between_careful_layers_nothing_is_rounded(compiled, careful):
    layers = Styled()
    made = compiled(layers, Tensor("x", (TOKENS, Size("hidden_dim"))), careful=careful)
    x = np.random.default_rng(0).standard_normal((2, 300, 32), np.float32)
    with torch.no_grad():
        exact = copy.deepcopy(layers).double()(torch.from_numpy(x).double()).numpy()
    assert (lost_to_rounding(made(x), exact) < 0.5) == careful
