from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import tvm
import tvm_ffi
from torch import nn
from tvm import relax
from tvm.script import tirx as T

from engine.compiler.kernel_calls import KernelBook, shape_of, simplified
from engine.compiler.target_kernels import kernels_for
from engine.compiler.targets import host_cpu
from engine.stages import TOKENS, Size, Tensor


def copying(extent, microkernel):
    @T.prim_func(s_tir=True)
    def copying(x: T.Buffer((extent,), "float32"), y: T.Buffer((extent,), "float32")):
        for position in T.serial(extent):
            y[position] = x[position]

    return copying


@pytest.fixture
def importer():
    return SimpleNamespace(block_builder=relax.BlockBuilder())


@pytest.fixture
def book():
    return KernelBook(kernels_for(host_cpu()))


def test_a_kernel_is_placed_once_per_size(book, importer):
    first = book.place(importer, copying, (4, None))
    assert book.place(importer, copying, (4, None)).same_as(first)
    assert not book.place(importer, copying, (5, None)).same_as(first)
    assert len(importer.block_builder.get().functions) == 2


def test_kernels_are_left_alone_by_fusion(book, importer):
    name = book.place(importer, copying, (4, None))
    assert importer.block_builder.get()[name].attrs["op_pattern"] == 8


def test_a_weight_is_packed_once_per_weight_and_key(book):
    packings = []

    def pack():
        packings.append(len(packings))
        return packings[-1]

    one, other = (relax.Var(name, relax.TensorType((2,), "float32")) for name in "ab")
    assert [book.packed(one, "k", pack), book.packed(one, "k", pack)] == [0, 0]
    assert [book.packed(other, "k", pack), book.packed(one, "l", pack)] == [1, 2]


def test_extents_are_ints_where_they_are_fixed():
    frames = tvm.tirx.Var("frames", "int64")
    assert simplified(7) == 7
    tensor = relax.Var("x", relax.TensorType((frames, 3), "float32"))
    assert shape_of(tensor)[1] == 3
    assert shape_of(tensor)[0].same_as(frames)
    columns = simplified((120 * frames + 1 + 2 * 3 - 12) // 6 + 1)
    assert tvm_ffi.structural_equal(columns, frames * 20)


def test_a_layer_runs_over_the_last_of_any_axes(compiled):
    made = compiled(nn.Linear(32, 5), Tensor("x", (TOKENS, Size("f0_values_per_frame"), Size("hidden_dim"))))
    x = np.random.default_rng(0).standard_normal((2, 3, 2, 32), np.float32)
    np.testing.assert_allclose(made(x), made.eager(x), atol=2e-5)
