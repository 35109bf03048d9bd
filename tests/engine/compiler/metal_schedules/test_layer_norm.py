import numpy as np
import pytest
import torch
from torch.nn import functional

from engine.compiler.metal_schedules.layer_norm import layer_norm
from tests.engine.metal_kernels import GROUP, TOLERANCE, built, normal


@pytest.mark.parametrize("channels", [5, 300])
@pytest.mark.parametrize("affine", [True, False])
def test_rows_equal_torch(channels, affine):
    x = 3 + normal(4, channels)
    parameters = [normal(channels, seed=1), normal(channels, seed=2)] if affine else []
    result = built(layer_norm(channels, affine, 1e-5, GROUP))(x.shape, x, *parameters)
    expected = functional.layer_norm(torch.from_numpy(x), (channels,), *map(torch.from_numpy, parameters))
    np.testing.assert_allclose(result, expected, **TOLERANCE)
