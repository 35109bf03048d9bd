import numpy as np
import pytest
import torch
from torch.nn import functional

from engine.compiler.metal_schedules.conv1d import conv1d, pack_weight, packed_shape
from tests.engine.metal_kernels import GROUP, TOLERANCE, built, normal

SHAPES = [
    (6, 40, 5, 1, 1, 2, True),
    (35, 3, 7, 5, 1, 15, False),
    (22, 20, 12, 1, 6, 3, True),
    (7, 70, 1, 1, 1, 0, True),
    (4, 1, 3, 1, 2, 1, True),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_any_length_equals_torch(shape):
    in_channels, out_channels, kernel_size, dilation, stride, padding, has_bias = shape
    weight, bias = normal(out_channels, in_channels, kernel_size), normal(out_channels, seed=1) if has_bias else None
    pack = built(pack_weight(out_channels, in_channels, kernel_size, GROUP))
    kernel = built(conv1d(*shape, GROUP))
    packed = pack(packed_shape(out_channels, in_channels, kernel_size, GROUP), weight)
    for length in (12, 131):
        x = normal(2, in_channels, length, seed=2)
        expected = functional.conv1d(
            torch.from_numpy(x),
            torch.from_numpy(weight),
            torch.from_numpy(bias) if has_bias else None,
            stride,
            padding,
            dilation,
        )
        result = kernel(tuple(expected.shape), x, packed, *([bias] if has_bias else []))
        np.testing.assert_allclose(result, expected, **TOLERANCE)
