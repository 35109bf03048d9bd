"""Transformed weights are those of the exact matrix."""

import numpy as np

from engine.compiler.correlation import Correlation
from engine.compiler.schedules.filtering_plan import Filtering
from engine.compiler.schedules.filtering_weight import filtering_weight
from engine.compiler.schedules.minimal_filter import MinimalFilter
from engine.ops.microkernel_tir import AVX512
from tests.engine.kernels import built


def test_every_piece_at_every_point() -> None:
    plan = Filtering(Correlation(3, 9, 5), MinimalFilter(2, 4), AVX512)
    weight = np.random.default_rng(0).standard_normal((9, 3, 5), np.float32)
    found = built(filtering_weight(plan))(plan.packed_shape, weight)
    rows = [*range(9), 8]  # the last is there twice, to fill its block
    pieces = np.pad(weight, ((0, 0), (0, 0), (0, 3)))[rows].reshape(2, 5, 3, 2, 4)
    matrix = np.array(plan.form.weight_matrix, float)
    np.testing.assert_allclose(found, np.einsum("brcit,pt->bpcir", pieces, matrix), rtol=1e-6)
