import numpy as np
import pytest
from tvm.script import tirx as T

from engine.ops.activation_tir import Activation, Snake
from engine.ops.adaptive_norm_function_tir import adaptive_norm_function
from tests.engine.kernels import built

CHANNELS, OFFSET = 3, 2
ALPHA = np.array([0.5, 1, 4], np.float32)


@T.inline
def styled(operands):
    for member, channel, place in T.grid(operands.batch, CHANNELS, operands.time):
        operands.target[member, channel, place] = (
            (T.float32(1) + operands.gamma(member, channel)) * operands.source[member, channel, place]
            + operands.beta(member, channel)
            + operands.alpha(channel)
        )


@pytest.mark.parametrize(("activation", "last"), [(Activation(), ()), (Snake(), (ALPHA,))])
def test_operands_are_found_where_the_styles_hold_them(activation, last):
    random = np.random.default_rng(0)
    x, styles = random.standard_normal((2, CHANNELS, 4), np.float32), random.standard_normal((2, 9), np.float32)
    unused = np.ones(CHANNELS, np.float32)
    kernel = built(adaptive_norm_function(CHANNELS, activation, styled, T.int64))
    found = kernel(x.shape, x, np.array([4, 4], np.int32), styles, unused, unused, OFFSET, *last)
    gamma, beta = styles[:, 2:5, None], styles[:, 5:8, None]
    alpha = ALPHA[:, None] if last else 0
    np.testing.assert_allclose(found, (1 + gamma) * x + beta + alpha, rtol=1e-6, atol=1e-6)
