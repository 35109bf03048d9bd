import numpy as np
from torch import nn

from engine.stages import TOKENS, Size, Tensor


def test_a_layer_runs_over_the_last_of_any_axes(compiled):
    made = compiled(nn.Linear(32, 5), Tensor("x", (TOKENS, Size("f0_values_per_frame"), Size("hidden_dim"))))
    x = np.random.default_rng(0).standard_normal((2, 3, 2, 32), np.float32)
    np.testing.assert_allclose(made(x), made.eager(x), atol=2e-5)
