"""The kernel with either layout of packed input; every kind of size is tested with the operators."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.kernels.convolution import ConvWorkload, weight_at
from engine.kernels.cpu.direct_conv import direct_conv, pack_direct_weight
from engine.kernels.cpu.direct_plan import DirectPlan
from engine.kernels.cpu.register_tile import AVX2, AVX512, Microkernel
from engine.kernels.epilogue import Epilogue
from tests.engine.kernels.cpu.running import built

SIZES = ConvWorkload(3, 9, 4, dilation=3, stride=2, padding=5)


@pytest.mark.parametrize(("microkernel", "apart"), [(AVX512, False), (AVX2, True)])
@pytest.mark.parametrize("length", [1, 90, 1001])
def test_tiles_side_by_side_read_what_was_packed_for_them(microkernel: Microkernel, apart: bool, length: int) -> None:
    plan = DirectPlan(SIZES, microkernel)
    assert plan.packed.apart == apart
    assert plan.packed.parts > 1
    generator = np.random.default_rng(length)
    x = generator.standard_normal((2, 3, length)).astype(np.float32)
    weight = generator.standard_normal((9, 3, 4)).astype(np.float32)
    expected = torch.conv1d(
        torch.from_numpy(x).double(), torch.from_numpy(weight).double(), stride=2, padding=5, dilation=3
    ).numpy()
    packed = built(pack_direct_weight(plan, weight.shape, weight_at))(plan.packed_shape, weight)
    found = built(direct_conv(plan, Epilogue(False)))(expected.shape, x, packed)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_rows_that_are_not_there_have_no_weight() -> None:
    plan = DirectPlan(ConvWorkload(3, 9, 2), AVX512)
    weight = 1 + np.arange(9 * 3 * 2, dtype=np.float32).reshape(9, 3, 2)
    packed = built(pack_direct_weight(plan, weight.shape, weight_at))(plan.packed_shape, weight)
    by_row = packed.transpose(0, 3, 1, 2).reshape(10, 3, 2)
    np.testing.assert_array_equal(by_row[:9], weight)
    assert not by_row[9].any()
