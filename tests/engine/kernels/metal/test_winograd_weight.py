"""The transformed weights: G g in the order in which simdgroups read them, 0 where there is no channel or row."""

import numpy as np
import pytest

from engine.kernels.convolution import ConvWorkload, weight_at
from engine.kernels.metal.winograd_plan import WinogradTile
from engine.kernels.metal.winograd_weight import pack_winograd_weight
from engine.kernels.winograd import Winograd
from tests.engine.kernels.metal.running import GROUP, built, normal


@pytest.mark.parametrize("sizes", [(20, 40, 3), (33, 16, 3)], ids=str)
def test_weights_are_matrices_at_each_point(sizes):
    channels, rows, taps = sizes
    plan = WinogradTile(ConvWorkload(channels, rows, taps), Winograd(6, taps))
    weight = normal(rows, channels, taps)
    found = built(pack_winograd_weight(plan, GROUP, weight.shape, weight_at))(plan.packed_shape, weight)
    matrix = np.array([[float(value) for value in row] for row in plan.winograd.weight_matrix])
    whole = np.zeros((plan.blocks * plan.tile_rows, plan.steps * 16, plan.points))
    whole[:rows, :channels] = weight @ matrix.T
    # Block, row / slab, half, channel of eight / point -> block, slab, point, half, row, channel of eight.
    expected = whole.reshape(plan.blocks, plan.tile_rows, plan.steps, 2, 8, plan.points).transpose(0, 2, 5, 3, 1, 4)
    np.testing.assert_allclose(found, expected.reshape(plan.packed_shape), atol=2e-6)
