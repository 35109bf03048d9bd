"""Winograd convolutions against PyTorch in float64, at every kind of length, and their code for other CPUs."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compiler.kernels.convolution import ConvWorkload, weight_at
from engine.compiler.kernels.cpu.register_tile import Microkernel
from engine.compiler.kernels.cpu.winograd_conv import winograd_conv
from engine.compiler.kernels.cpu.winograd_plan import WinogradPlan
from engine.compiler.kernels.cpu.winograd_tiles import pack_winograd_weight
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.winograd import Winograd
from tests.engine.compiler.kernels.convolutions import FEW_POINTS, FEW_POINTS_LOSS, MANY_POINTS_LOSS, convolved
from tests.engine.compiler.kernels.cpu.running import NARROW, Kernel, built, host_microkernel

LENGTHS = [1, 2, 11, 48, 193, 287, 288, 289, 2001]
WITH_BIAS = Epilogue(True)


def plan(
    kernel_size: int,
    dilation: int,
    winograd: tuple[int, int],
    microkernel: Microkernel,
    channels: tuple[int, int] = (5, 13),
) -> WinogradPlan:
    padding = (kernel_size - 1) * dilation // 2
    sizes = ConvWorkload(*channels, kernel_size, dilation, padding=padding)
    return WinogradPlan(sizes, Winograd(*winograd), microkernel)


@functools.cache
def kernels(made: WinogradPlan, epilogue: Epilogue) -> tuple[Kernel, Kernel]:
    shape = made.sizes.out_channels, made.sizes.channels, made.sizes.taps
    return built(pack_winograd_weight(made, shape, weight_at)), built(winograd_conv(made, epilogue))


def compare(made: WinogradPlan, batch: int, length: int, epilogue: Epilogue = WITH_BIAS) -> None:
    sizes = made.sizes
    random = np.random.default_rng(length)
    x = random.standard_normal((batch, sizes.channels, length), np.float32)
    weight = random.standard_normal((sizes.out_channels, sizes.channels, sizes.taps), np.float32)
    bias = random.standard_normal(sizes.out_channels, np.float32)
    biases = [bias] if epilogue.has_bias else []
    expected = convolved(sizes, x, weight, *biases)
    residual = random.standard_normal(expected.shape, np.float32)
    transform, kernel = kernels(made, epilogue)
    operands = [*biases, *([residual] if epilogue.has_residual else [])]
    found = kernel(expected.shape, x, transform(made.packed_shape, weight), *operands)
    if epilogue.has_residual:
        expected = (expected + residual) * epilogue.factor
    loss = FEW_POINTS_LOSS if made.points <= FEW_POINTS else MANY_POINTS_LOSS
    assert np.abs(found - expected).max() < loss * np.sqrt(sizes.channels * sizes.taps)


@pytest.mark.parametrize(
    ("kernel_size", "dilation", "winograd"),
    [
        *((3, 1, (6, 3)), (3, 5, (6, 3)), (7, 1, (8, 7)), (7, 3, (8, 7))),
        *((11, 1, (6, 11)), (11, 5, (6, 11)), (11, 5, (6, 6)), (12, 2, (2, 4))),
    ],
)
def test_every_kind_of_length(kernel_size, dilation, winograd):
    made = plan(kernel_size, dilation, winograd, host_microkernel())
    for batch, length in enumerate(LENGTHS):
        compare(made, batch % 3 + 1, length)


@pytest.mark.parametrize("microkernel", NARROW)
def test_other_register_tiles(microkernel):
    for length in LENGTHS:
        compare(plan(11, 3, (6, 6), microkernel), 2, length)


@given(length=st.integers(1, 2500), batch=st.integers(1, 3))
@settings(max_examples=20)
def test_any_length(length, batch):
    compare(plan(7, 3, (4, 7), host_microkernel()), batch, length)


@pytest.mark.parametrize("has_bias", [False, True])
def test_a_residual_is_added_and_the_sum_scaled(has_bias):
    made = plan(3, 1, (6, 3), host_microkernel())
    for length in LENGTHS:
        compare(made, 2, length, Epilogue(has_bias, has_residual=True, factor=0.75))


def test_without_bias():
    compare(plan(3, 1, (6, 3), host_microkernel()), 2, 100, Epilogue(False))
