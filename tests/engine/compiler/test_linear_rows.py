import copy

import numpy as np
import torch
from torch import nn

from engine.stages import TOKENS, Size, Tensor
from tests.engine.kernels import lost_to_rounding


def test_a_layer_runs_over_the_last_of_any_axes(compiled):
    made = compiled(nn.Linear(32, 5), Tensor("x", (TOKENS, Size("f0_values_per_frame"), Size("hidden_dim"))))
    x = np.random.default_rng(0).standard_normal((2, 3, 2, 32), np.float32)
    np.testing.assert_allclose(made(x), made.eager(x), atol=2e-5)


def test_in_a_careful_stage_a_value_is_rounded_once(compiled):
    layer = nn.Linear(32, 5)
    made = compiled(layer, Tensor("x", (TOKENS, Size("hidden_dim"))), careful=True)
    x = np.random.default_rng(0).standard_normal((2, 300, 32), np.float32)
    with torch.no_grad():
        exact = copy.deepcopy(layer).double()(torch.from_numpy(x).double()).numpy()
    assert lost_to_rounding(made(x), exact) < 0.5
