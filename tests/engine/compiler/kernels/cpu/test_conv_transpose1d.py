"""Transposed convolutions against PyTorch in float64, at every kind of length, and the left reflection."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compiler.kernels.cpu.conv_transpose1d import conv_transpose1d, depthwise, pack_weight, packed_shape
from engine.compiler.kernels.cpu.reflect_left import reflect_left
from engine.compiler.kernels.cpu.register_tile import Microkernel
from tests.engine.compiler.kernels.convolutions import convolved_transposed
from tests.engine.compiler.kernels.cpu.running import NARROW, Kernel, built, host_microkernel

LENGTHS = [1, 2, 3, 47, 48, 49, 191, 193, 500]
SIZES = [  # in, out, kernel, stride, padding
    (8, 5, 20, 10, 5),
    (7, 4, 12, 6, 3),
    (3, 3, 3, 2, 1),
    (4, 9, 7, 3, 0),
    (3, 2, 2, 3, 0),
    (4, 5, 3, 1, 1),
    # with this many channels, by Winograd
    (17, 16, 20, 10, 5),
    (16, 19, 12, 6, 3),
    (16, 16, 11, 6, 2),
    (16, 17, 3, 1, 0),
]
TWO_WAYS = [(8, 5, 20, 10, 5), (17, 16, 20, 10, 5)]  # directly, and by Winograd


@functools.cache
def kernels(sizes: tuple[int, ...], has_bias: bool, microkernel: Microkernel) -> tuple[Kernel, Kernel]:
    in_channels, out_channels, kernel_size, stride, padding = sizes
    pack = built(pack_weight(in_channels, out_channels, kernel_size, stride, microkernel))
    return pack, built(conv_transpose1d(in_channels, out_channels, kernel_size, stride, padding, has_bias, microkernel))


def values(in_channels: int, shape: tuple[int, ...], batch: int, length: int) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(length)
    return (
        random.standard_normal((batch, in_channels, length), np.float32),
        random.standard_normal(shape, np.float32),
        random.standard_normal(shape[1], np.float32),
    )


def compare(
    sizes: tuple[int, ...], batch: int, length: int, has_bias: bool, microkernel: Microkernel, output_padding: int = 0
) -> None:
    in_channels, out_channels, kernel_size, stride, padding = sizes
    x, weight, bias = values(in_channels, (in_channels, out_channels, kernel_size), batch, length)
    biases = [bias] if has_bias else []
    expected = convolved_transposed(x, weight, *biases, stride=stride, padding=padding, output_padding=output_padding)
    pack, kernel = kernels(sizes, has_bias, microkernel)
    packed = pack(packed_shape(in_channels, out_channels, kernel_size, stride, microkernel), weight)
    found = kernel(expected.shape, x, packed, *biases)
    assert np.abs(found - expected).max() < 4e-6 * np.sqrt(in_channels * -(-kernel_size // stride))


@pytest.mark.parametrize(
    ("sizes", "output_padding"), [(sizes, more) for sizes in SIZES for more in range(min(sizes[3], 2))]
)
def test_every_kind_of_length(sizes, output_padding):
    for batch, length in enumerate(LENGTHS):
        compare(sizes, batch % 4 + 1, length, True, host_microkernel(), output_padding)


@pytest.mark.parametrize("microkernel", NARROW)
def test_other_register_tiles(microkernel):
    for length in LENGTHS:
        compare((6, 5, 12, 6, 3), 2, length, False, microkernel)
        compare((17, 16, 12, 6, 3), 2, length, False, microkernel)


@given(sizes=st.sampled_from(TWO_WAYS), length=st.integers(1, 700), batch=st.integers(1, 4))
@settings(max_examples=40)
def test_any_length(sizes, length, batch):
    compare(sizes, batch, length, True, host_microkernel())


@pytest.mark.parametrize(
    ("kernel_size", "stride", "padding", "output_padding"), [(3, 2, 1, 1), (4, 2, 1, 0), (5, 3, 0, 2), (3, 1, 1, 0)]
)
def test_depthwise(kernel_size, stride, padding, output_padding):
    channels = 6
    kernel = built(depthwise(channels, kernel_size, stride, padding, True, host_microkernel()))
    for length in LENGTHS:
        x, weight, _ = values(channels, (channels, 1, kernel_size), 3, length)
        bias = weight[:, 0, 0].copy()
        options = {"stride": stride, "padding": padding, "output_padding": output_padding}
        expected = convolved_transposed(x, weight, bias, groups=channels, **options)
        assert np.abs(kernel(expected.shape, x, weight, bias) - expected).max() < 1e-5


def test_depthwise_without_bias():
    kernel = built(depthwise(2, 3, 2, 1, False, host_microkernel()))
    found = kernel((1, 2, 4), np.ones((1, 2, 2), np.float32), np.array([[[1, 2, 4]], [[1, 2, 4]]], np.float32))
    assert found[0].tolist() == [[2, 5, 2, 4]] * 2


@pytest.mark.parametrize("length", [2, 3, 40])
def test_a_left_reflection_puts_the_second_value_first(length):
    x = np.random.default_rng(length).standard_normal((2, 5, length), np.float32)
    result = built(reflect_left(5, host_microkernel()))((2, 5, length + 1), x)
    assert np.array_equal(result, np.pad(x, ((0, 0), (0, 0), (1, 0)), mode="reflect"))
