import numpy as np
import pytest
import torch
from torch.nn import functional

from engine.kernels.epilogue import Epilogue
from engine.kernels.metal.linear import linear, pack_weight, packed_shape
from tests.engine.kernels.metal.running import GROUP, TOLERANCE, built, normal


@pytest.mark.parametrize("has_gelu", [True, False])
@pytest.mark.parametrize("has_bias", [True, False])
def test_any_number_of_rows_equals_torch(has_bias, has_gelu):
    in_features, out_features = 19, 37
    weight, bias = normal(out_features, in_features), normal(out_features, seed=1)
    pack = built(pack_weight(out_features, in_features, GROUP))
    kernel = built(linear(in_features, out_features, Epilogue(has_bias, has_gelu=has_gelu), GROUP))
    packed = pack(packed_shape(out_features, in_features, GROUP), weight)
    for rows in (1, 33, 70):
        x = normal(rows, in_features, seed=2)
        expected = functional.linear(*map(torch.from_numpy, (x, weight, *([bias] if has_bias else []))))
        if has_gelu:
            expected = functional.gelu(expected, approximate="tanh")
        result = kernel((rows, out_features), x, packed, *([bias] if has_bias else []))
        np.testing.assert_allclose(result, expected, **TOLERANCE)
