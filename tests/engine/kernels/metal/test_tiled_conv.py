"""The packing of weights that are multiplied directly; the grid of tiles is tested with every kind of tile."""

import numpy as np
import pytest

from engine.kernels.convolution import ConvWorkload
from engine.kernels.metal.simdgroup_tile import SimdgroupTile
from engine.kernels.metal.thread_tile import ThreadTile
from engine.kernels.metal.tiled_conv import pack_direct_weight
from tests.engine.kernels.metal.running import GROUP, built


@pytest.mark.parametrize("channels", [3, 35])
def test_packing_keeps_every_weight_once_and_fills_with_zeros(channels):
    sizes = ConvWorkload(channels, 40, 2, 1, 1, 0)
    plan = SimdgroupTile(sizes) if channels > 16 else ThreadTile(sizes, GROUP)
    weight = 1 + np.arange(channels * 2 * 40, dtype=np.float32).reshape(channels, 2, 40)
    pack = pack_direct_weight(plan, GROUP, weight.shape, lambda w, channel, tap, row: w[channel, tap, row])
    packed = built(pack)(plan.packed_shape, weight)
    np.testing.assert_array_equal(np.sort(packed[packed != 0]), weight.ravel())
