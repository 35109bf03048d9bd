"""Convolutions against PyTorch in float64, at every kind of length."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.cpu.conv1d import conv1d, pack_weight, packed_shape
from engine.compiler.kernels.cpu.conv_choice import choices, winograd_for
from engine.compiler.kernels.cpu.register_tile import Microkernel
from engine.compiler.kernels.epilogue import Epilogue
from tests.engine.compiler.kernels.convolutions import FEW_POINTS, MANY_POINTS_LOSS, convolved
from tests.engine.compiler.kernels.cpu.running import NARROW, Kernel, built, host_microkernel

LENGTHS = [1, 2, 3, 15, 47, 48, 49, 95, 191, 193, 384, 1001]
SIZES = [
    ConvWorkload(5, 13, 1, 1, 1, 0),
    ConvWorkload(16, 16, 3, 1, 1, 1),
    ConvWorkload(22, 8, 7, 3, 1, 9),
    ConvWorkload(3, 22, 11, 5, 1, 25),
    ConvWorkload(22, 24, 12, 1, 6, 3),
    ConvWorkload(1, 1, 3, 1, 2, 1),
    ConvWorkload(7, 9, 5, 2, 3, 4),
    ConvWorkload(2, 1, 1, 1, 1, 0),
    ConvWorkload(32, 33, 7, 3, 1, 9),
    ConvWorkload(32, 33, 11, 1, 1, 5),
    ConvWorkload(32, 32, 7, 1, 2, 3),
]

SMALL = ConvWorkload(16, 16, 3, padding=1)


@functools.cache
def kernels(sizes: ConvWorkload, has_bias: bool, microkernel: Microkernel) -> tuple[Kernel, Kernel]:
    return built(pack_weight(sizes, microkernel)), built(conv1d(sizes, Epilogue(has_bias), microkernel))


def compare(sizes: ConvWorkload, batch: int, length: int, has_bias: bool, microkernel: Microkernel) -> None:
    random = np.random.default_rng(length)
    x = random.standard_normal((batch, sizes.channels, length), np.float32)
    weight = random.standard_normal((sizes.out_channels, sizes.channels, sizes.taps), np.float32)
    bias = random.standard_normal(sizes.out_channels, np.float32)
    biases = [bias] if has_bias else []
    expected = convolved(sizes, x, weight, *biases)
    pack, kernel = kernels(sizes, has_bias, microkernel)
    packed = pack(packed_shape(sizes, microkernel), weight)
    found = kernel(expected.shape, x, packed, *biases)
    assert np.abs(found - expected).max() < largest_error(sizes)


def largest_error(sizes: ConvWorkload) -> float:
    """Of a sum of products of about 1; Winograd of many points loses more, in proportion to the size of the sum."""
    winograd = winograd_for(sizes)
    if winograd is not None and winograd.samples > FEW_POINTS:
        return float(MANY_POINTS_LOSS * np.sqrt(sizes.channels * sizes.taps))
    return 2e-6 * sizes.channels * sizes.taps + 2e-6


def fits(sizes: ConvWorkload, length: int) -> bool:
    return length + 2 * sizes.padding > sizes.dilation * (sizes.taps - 1)


@pytest.mark.parametrize("sizes", SIZES)
def test_every_kind_of_length(sizes):
    for batch, length in enumerate(LENGTHS):
        if fits(sizes, length):
            compare(sizes, batch % 4 + 1, length, True, host_microkernel())


@pytest.mark.parametrize("microkernel", NARROW)
def test_other_register_tiles(microkernel):
    for length in LENGTHS:
        compare(ConvWorkload(6, 13, 3, 2, 1, 2), 2, length, False, microkernel)


@given(length=st.integers(1, 2500), batch=st.integers(1, 4))
@settings(max_examples=30)
def test_any_length(length, batch):
    compare(ConvWorkload(6, 13, 7, 3, 1, 9), batch, length, True, host_microkernel())


def test_many_channels_need_narrow_tiles():
    compare(ConvWorkload(1090, 16, 3, 1, 1, 1), 1, 300, True, host_microkernel())


def test_not_a_number_stays_where_the_taps_reach():
    pack, kernel = kernels(ConvWorkload(5, 13, 1, 1, 1, 0), True, host_microkernel())
    x = np.ones((2, 5, 100), np.float32)
    x[0, :, 60:] = np.nan
    packed = pack(packed_shape(ConvWorkload(5, 13, 1), host_microkernel()), np.ones((13, 5, 1), np.float32))
    found = kernel((2, 13, 100), x, packed, np.zeros(13, np.float32))
    assert np.array_equal(found[0, :, :60], np.full((13, 60), 5))
    assert np.array_equal(found[1], np.full((13, 100), 5))


def test_a_sequence_of_a_batch_equals_it_alone():
    pack, kernel = kernels(SMALL, True, host_microkernel())
    random = np.random.default_rng(0)
    x = random.standard_normal((3, 16, 77), np.float32)
    packed = pack(packed_shape(SMALL, host_microkernel()), random.standard_normal((16, 16, 3), np.float32))
    bias = random.standard_normal(16, np.float32)
    together = kernel((3, 16, 77), x, packed, bias)
    assert np.array_equal(together[1:2], kernel((1, 16, 77), x[1:2], packed, bias))


@pytest.mark.parametrize("place", [1, 5])
def test_a_tuned_convolution_computes_the_same(place):
    sizes = ConvWorkload(32, 33, 7, 3, padding=9)
    choice = choices(sizes, host_microkernel())[place]
    tuned = replace(host_microkernel(), tuned=((replace(sizes, padding=0), choice),))
    for length in LENGTHS:
        compare(sizes, 2, length, True, tuned)


@pytest.mark.parametrize("sizes", [ConvWorkload(5, 13, 3, padding=1), ConvWorkload(32, 33, 3, padding=1)])
def test_a_residual_is_added_and_the_sum_scaled(sizes):
    kernel = built(conv1d(sizes, Epilogue(True, has_residual=True, factor=0.75), host_microkernel()))
    pack, plain = kernels(sizes, True, host_microkernel())
    random = np.random.default_rng(0)
    weight = random.standard_normal((sizes.out_channels, sizes.channels, sizes.taps), np.float32)
    packed = pack(packed_shape(sizes, host_microkernel()), weight)
    bias = random.standard_normal(sizes.out_channels, np.float32)
    for length in (1, 48, 100, 577):
        x = random.standard_normal((2, sizes.channels, length), np.float32)
        residual = random.standard_normal((2, sizes.out_channels, length), np.float32)
        found = kernel(residual.shape, x, packed, bias, residual)
        expected = (plain(residual.shape, x, packed, bias) + residual) * np.float32(0.75)
        np.testing.assert_allclose(found, expected, atol=1e-5)
