"""Wrong types and pointers between address spaces are found in a kernel's text."""

from __future__ import annotations

import pytest

from tests.software_metal.address_spaces import complaints
from tests.software_metal.kernels import text

RIGHT = """
  threadgroup float shared[32];
  thread float local[4];
  *(thread float4*)(local + 0) = *(device float4*)(b0 + arg.n);
  shared[threadIdx] = ((volatile threadgroup float*)shared)[0] + simd_shuffle_down(local[0], 16);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 matrix[2];
  simdgroup_half8x8 narrow[1];
  matrix[0] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  simdgroup_load(matrix[1], (&(b0[3])), 16, 0, (bool)0);
  simdgroup_multiply_accumulate(matrix[0], narrow[0], narrow[0], matrix[1]);
  simdgroup_store(matrix[0], (&(shared[0])), 8, 0, (bool)0);
  b1[threadIdx] = select(max(shared[0], 1.0f), exp(local[1]), isnan(local[2])) + as_type<float>((int)1);
"""


def test_right_text_has_no_complaints() -> None:
    assert complaints(text(RIGHT, buffers=2, scalars="long n;")) == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("b0 = shared;", "__local"),
        ("thread float* p = b0; p[0] = 1;", "__global"),
        ("device float* p = (device float*)shared; p[0] = 1;", "__local"),
        ("float4 v = float4(1.0f, 2.0f);", "make_float4"),
        ("b0[0] = max(threadIdx, (int)2);", "max"),
        ("b0[0] = exp_of(1.0f);", "exp_of"),
        ("arg.n = 1;", "read-only"),
        ("simdgroup_half8x8 m[1]; simdgroup_load(m[0], (&(b0[0])), 8, 0, (bool)0);", "simdgroup_load"),
        ("thread float p[64]; simdgroup_float8x8 m[1]; simdgroup_store(m[0], p, 8, 0, (bool)0);", "simdgroup_store"),
        ("simdgroup_float8x8 m; simdgroup_half8x8 n; simdgroup_multiply_accumulate(m, m, n, m);", "Factor"),
    ],
)
def test_wrong_text_is_complained_about(line: str, words: str) -> None:
    wrong = complaints(text(f"threadgroup float shared[32];\n{line}", scalars="long n;"))
    assert "error" in wrong
    assert words in wrong
