"""Linear layers against PyTorch in float64, at every kind of row count."""

import functools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compiler.kernels.cpu.linear import linear, pack_weight, packed_shape
from engine.compiler.kernels.cpu.register_tile import AVX2, AVX512, NEON, Microkernel
from engine.compiler.kernels.epilogue import Epilogue
from tests.engine.compiler.kernels.cpu.running import NARROW, Kernel, built, error_half_ulps, host_microkernel

ROWS = [1, 2, 3, 7, 8, 9, 47, 129]


@functools.cache
def kernels(in_features: int, out_features: int, epilogue: Epilogue, microkernel: Microkernel) -> tuple[Kernel, Kernel]:
    pack = built(pack_weight(out_features, in_features, microkernel))
    return pack, built(linear(in_features, out_features, epilogue, microkernel))


def compare(
    rows: int,
    in_features: int,
    out_features: int,
    has_bias: bool = True,
    has_gelu: bool = False,
    microkernel: Microkernel | None = None,
) -> None:
    microkernel = microkernel or host_microkernel()
    random = np.random.default_rng(rows)
    x = random.standard_normal((rows, in_features), np.float32)
    weight = random.standard_normal((out_features, in_features), np.float32)
    bias = random.standard_normal(out_features, np.float32)
    expected = torch.from_numpy(x).double() @ torch.from_numpy(weight).double().T
    if has_bias:
        expected = expected + torch.from_numpy(bias)
    if has_gelu:
        expected = torch.nn.functional.gelu(expected, approximate="tanh")
    pack, kernel = kernels(in_features, out_features, Epilogue(has_bias, has_gelu=has_gelu), microkernel)
    packed = pack(packed_shape(out_features, in_features, microkernel), weight)
    operands = [x, packed, *([bias] if has_bias else [])]
    found = kernel((rows, out_features), *operands)
    assert np.abs(found - expected.numpy()).max() < 1e-6 * in_features + 1e-6


@pytest.mark.parametrize(
    ("in_features", "out_features", "has_bias"), [(5, 1, True), (33, 48, False), (128, 50, True), (1, 97, False)]
)
def test_every_kind_of_row_count(in_features, out_features, has_bias):
    for rows in ROWS:
        compare(rows, in_features, out_features, has_bias)


@pytest.mark.parametrize("out_features", [7, 96, 99])
def test_gelu_follows(out_features):
    for rows in ROWS:
        compare(rows, 20, out_features, True, True)


@pytest.mark.parametrize("microkernel", [*NARROW, AVX512, NEON])
def test_other_register_tiles(microkernel):
    for rows in ROWS:
        compare(rows, 33, 50, microkernel=microkernel)


@given(rows=st.integers(1, 700))
@settings(max_examples=30)
def test_any_row_count(rows):
    compare(rows, 33, 50)


@pytest.mark.parametrize("microkernel", [AVX2, NEON, AVX512])
def test_long_sums_lose_little_to_rounding(microkernel):
    random = np.random.default_rng(0)
    x, weight = random.standard_normal((64, 2048), np.float32), random.standard_normal((48, 2048), np.float32)
    pack, kernel = kernels(2048, 48, Epilogue(), microkernel)
    packed = pack(packed_shape(48, 2048, microkernel), weight)
    found = kernel((64, 48), x, packed)
    assert error_half_ulps(found, x.astype(np.float64) @ weight.T) < 4


def test_not_a_number_stays_in_its_row():
    pack, kernel = kernels(5, 1, Epilogue(has_bias=True), host_microkernel())
    x = np.ones((9, 5), np.float32)
    x[3] = np.nan
    packed = pack(packed_shape(1, 5, host_microkernel()), np.ones((1, 5), np.float32))
    found = kernel((9, 1), x, packed, np.zeros(1, np.float32))
    assert np.flatnonzero(found[:, 0] != 5).tolist() == [3]
