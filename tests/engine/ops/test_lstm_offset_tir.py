"""What all steps share, against numpy in float64."""

import numpy as np

from engine.ops.lstm_offset_tir import lstm_offset
from tests.engine.kernels import built, host_microkernel


def test_the_offset_is_exact() -> None:
    random = np.random.default_rng(2)
    beside, weight, bias = (random.standard_normal(shape, np.float32) for shape in ((3, 7), (20, 7), (20,)))
    found = built(lstm_offset(7, 20, host_microkernel()))((3, 20), beside, weight, bias, dtype=np.float64)
    np.testing.assert_allclose(found, beside.astype(np.float64) @ weight.T.astype(np.float64) + bias, rtol=1e-12)
