"""Transformed weights are those of the exact matrix."""

import numpy as np

from engine.compiler.correlation import Correlation, transposed, transposed_weight_at, weight_at
from engine.compiler.schedules.filtering_plan import Filtering
from engine.compiler.schedules.filtering_weight import filtering_weight
from engine.compiler.schedules.minimal_filter import MinimalFilter
from engine.ops.microkernel_tir import AVX512
from tests.engine.kernels import built


def test_every_piece_at_every_point() -> None:
    plan = Filtering(Correlation(3, 9, 5), MinimalFilter(2, 4), AVX512)
    weight = np.random.default_rng(0).standard_normal((9, 3, 5), np.float32)
    found = built(filtering_weight(plan, weight.shape, weight_at))(plan.packed_shape, weight)
    rows = [*range(9), 8]  # the last is there twice, to fill its block
    pieces = np.pad(weight, ((0, 0), (0, 0), (0, 3)))[rows].reshape(2, 5, 3, 2, 4)
    matrix = np.array(plan.form.weight_matrix, float)
    np.testing.assert_allclose(found, np.einsum("brcit,pt->bpcir", pieces, matrix), rtol=1e-6)


def test_phases_are_rows_and_taps_that_are_not_there_are_nothing() -> None:
    sizes = transposed(3, 2, kernel_size=5, stride=3, padding=1)
    plan = Filtering(sizes, MinimalFilter(3, 2), AVX512)
    weight = np.random.default_rng(0).standard_normal((3, 2, 5), np.float32)
    found = built(filtering_weight(plan, weight.shape, transposed_weight_at(sizes, 5)))(plan.packed_shape, weight)
    by_phase = np.pad(weight, ((0, 0), (0, 0), (0, 1))).reshape(3, 2, 2, 3)[:, :, ::-1]  # the last tap comes first
    matrix = np.array(plan.form.weight_matrix, float)
    expected = np.einsum("cotp,xt->xcop", by_phase, matrix).reshape(1, 4, 3, 1, 6)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
