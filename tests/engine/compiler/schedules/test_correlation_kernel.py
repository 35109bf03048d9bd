"""The kernel with either layout of packed input; every kind of size is tested with the operators."""

import numpy as np
import pytest
import torch

from engine.compiler.correlation import Correlation, Ending, weight_at
from engine.compiler.schedules.correlation_kernel import correlation_kernel
from engine.compiler.schedules.correlation_plan import CorrelationPlan
from engine.compiler.schedules.correlation_weight import correlation_weight
from engine.ops.microkernel_tir import AVX2, AVX512, Microkernel
from tests.engine.kernels import built

SIZES = Correlation(3, 9, 4, dilation=3, stride=2, padding=5)


@pytest.mark.parametrize(("microkernel", "apart"), [(AVX512, False), (AVX2, True)])
@pytest.mark.parametrize("length", [1, 90, 1001])
def test_tiles_side_by_side_read_what_was_packed_for_them(microkernel: Microkernel, apart: bool, length: int) -> None:
    plan = CorrelationPlan(SIZES, microkernel)
    assert plan.packed.apart == apart
    assert plan.packed.parts > 1
    generator = np.random.default_rng(length)
    x = generator.standard_normal((2, 3, length)).astype(np.float32)
    weight = generator.standard_normal((9, 3, 4)).astype(np.float32)
    expected = torch.conv1d(
        torch.from_numpy(x).double(), torch.from_numpy(weight).double(), stride=2, padding=5, dilation=3
    ).numpy()
    packed = built(correlation_weight(plan, weight.shape, weight_at))(plan.packed_shape, weight)
    found = built(correlation_kernel(plan, Ending(False)))(expected.shape, x, packed)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
