"""Weights in blocks of rows."""

import numpy as np

from engine.compiler.correlation import Correlation, weight_at
from engine.compiler.schedules.correlation_plan import CorrelationPlan
from engine.compiler.schedules.correlation_weight import correlation_weight
from engine.ops.microkernel_tir import AVX512
from tests.engine.kernels import built


def test_rows_that_are_not_there_have_no_weight() -> None:
    plan = CorrelationPlan(Correlation(3, 9, 2), AVX512)
    weight = 1 + np.arange(9 * 3 * 2, dtype=np.float32).reshape(9, 3, 2)
    packed = built(correlation_weight(plan, weight.shape, weight_at))(plan.packed_shape, weight)
    by_row = packed.transpose(0, 3, 1, 2).reshape(10, 3, 2)
    np.testing.assert_array_equal(by_row[:9], weight)
    assert not by_row[9].any()
