import numpy as np
import pytest
import torch

from engine.kernels.convolution import ConvWorkload, Depthwise, transposed
from engine.kernels.precision import Precision


def test_rows_are_channels_and_phases():
    assert ConvWorkload(8, 20, 2, padding=1, upsampling=10).row_count == 200


def test_a_slab_has_strides_and_halo():
    assert ConvWorkload(8, 20, 3, dilation=5, padding=5).slab(1) == 11
    assert ConvWorkload(8, 20, 3, stride=6, padding=1).slab(4) == 21


@pytest.mark.parametrize(
    ("kernel_size", "stride", "padding"), [(20, 10, 5), (7, 3, 0), (2, 3, 0), (3, 2, 1), (5, 1, 2)]
)
def test_a_transposed_convolution_is_a_convolution_per_phase(kernel_size, stride, padding):
    x, weight = np.arange(1, 8.0), np.arange(1.0, kernel_size + 1)
    expected = torch.nn.functional.conv_transpose1d(
        torch.from_numpy(x)[None, None], torch.from_numpy(weight)[None, None], stride=stride, padding=padding
    )[0, 0].numpy()
    sizes = transposed(1, 1, kernel_size, stride, padding)
    padded = np.pad(x, (sizes.padding, kernel_size))
    by_tap = np.pad(weight, (0, sizes.taps * stride - kernel_size)).reshape(sizes.taps, stride)[::-1]
    columns = -(-(expected.size + sizes.trim) // sizes.upsampling)
    found = np.stack([padded[column : column + sizes.taps] @ by_tap for column in range(columns)]).ravel()
    np.testing.assert_allclose(found[sizes.trim :][: expected.size], expected)


@pytest.mark.parametrize(("sizes", "expected"), [((3, 1, 0), False), ((3, 1, 1), True), ((20, 10, 0), True)])
def test_columns_that_are_left_out_or_apart_are_no_positions(sizes, expected):
    assert transposed(8, 8, *sizes).is_scattered == expected


def test_where_it_begins_does_not_change_its_weights():
    assert ConvWorkload(8, 8, 3, dilation=2, padding=2).unplaced == ConvWorkload(8, 8, 3, dilation=2)
    assert transposed(8, 8, 20, 10, 5).unplaced == transposed(8, 8, 20, 10, 3).unplaced


def test_a_depthwise_weight_is_not_packed():
    plan = Depthwise(6, 5, 2, 1, None)
    assert plan.packed_shape == (6, 1, 5)
    assert (plan.sizes.channels, plan.sizes.out_channels, plan.sizes.taps) == (6, 6, 3)


def test_precisions_are_named_as_types_are():
    assert [np.dtype(str(precision)).itemsize for precision in Precision] == [4, 2]
