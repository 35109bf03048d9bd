"""Matrices of simdgroups: right products, and every way to use them wrongly is caught."""

from __future__ import annotations

import numpy as np
import pytest

from tests.software_metal.kernels import kernel, tensor

BARRIER = "threadgroup_barrier(mem_flags::mem_threadgroup);"
ZERO = "make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f)"
PRODUCT = f"""
  simdgroup_float8x8 a[1];
  simdgroup_float8x8 b[1];
  simdgroup_float8x8 c[1];
  c[0] = {ZERO};
  simdgroup_load(a[0], (&(b0[0])), 20, 0, (bool)0);
  simdgroup_load(b[0], (&(b1[3])), 11, 0, (bool)1);
  simdgroup_multiply_accumulate(c[0], a[0], b[0], c[0]);
  simdgroup_multiply_accumulate(c[0], a[0], b[0], c[0]);
  simdgroup_store(c[0], (&(b2[0])), 8, 0, (bool)0);
"""


def numbers(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(count, np.float32)


def block(values: np.ndarray, first: int, stride: int) -> np.ndarray:
    return np.stack([values[first + row * stride : first + row * stride + 8] for row in range(8)])


def test_products_of_matrices_read_at_any_place_and_stride(device) -> None:
    left, right, result = numbers(148), numbers(88, 1), tensor(device, [0.0] * 64)
    kernel(PRODUCT, buffers=3)(tensor(device, left), tensor(device, right), result, group=(32,))
    expected = 2 * block(left, 0, 20) @ block(right, 3, 11).T
    np.testing.assert_allclose(result.numpy().reshape(8, 8), expected, atol=1e-5)


def test_halves_are_multiplied_and_summed_as_floats(device) -> None:
    values = numbers(64).astype("float16")
    body = f"""
  simdgroup_half8x8 a[1];
  simdgroup_float8x8 c[1];
  threadgroup float shared[64];
  c[0] = {ZERO};
  simdgroup_load(a[0], (&(b0[0])), 8, 0, (bool)0);
  simdgroup_multiply_accumulate(c[0], a[0], a[0], c[0]);
  simdgroup_store(c[0], (&(shared[0])), 8, 0, (bool)0);
  {BARRIER}
  b0[threadIdx] = (half)(shared[threadIdx] - (float)((half)shared[threadIdx]));
"""
    held = tensor(device, values)
    kernel(body, element="half")(held, group=(32,))
    square = (values.astype("float32").reshape(8, 8) @ values.astype("float32").reshape(8, 8)).ravel()[:32]
    np.testing.assert_allclose(held.numpy()[:32], square - square.astype("float16"), atol=1e-6)
    assert np.abs(held.numpy()[:32]).max() > 1e-5


def test_each_simdgroup_has_its_own(device) -> None:
    body = f"""
  simdgroup_float8x8 c[1];
  c[0] = make_filled_simdgroup_matrix<float, 8, 8>((float)(threadIdx / 32));
  simdgroup_store(c[0], (&(b0[(threadIdx / 32) * 64])), 8, 0, (bool)0);
  {BARRIER}
"""
    held = tensor(device, [0.0] * 128)
    kernel(body)(held, group=(64,))
    np.testing.assert_array_equal(held.numpy(), np.arange(128) // 64)


LOAD = "simdgroup_load(a[0], (&({what})), 8, 0, (bool)0);"
STORE = "simdgroup_store(a[0], (&({what})), 8, 0, (bool)0);"
SHARED = "threadgroup float shared[128];\nsimdgroup_float8x8 a[1];\nsimdgroup_float8x8 b[2];\n"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            f"if (threadIdx < 8) {{ {LOAD.format(what='b0[0]')} }}",
            "thread 8 has ended and made other operations on matrices than thread 0 has ended",
        ),
        (f"if (threadIdx >= 8) {{ {LOAD.format(what='b0[0]')} }}", "thread 8"),
        (LOAD.format(what="b0[threadIdx % 2]"), "thread 1"),
        ("simdgroup_multiply_accumulate(b[threadIdx % 2], a[0], a[0], a[0]);", "thread 1"),
        (
            f"if (threadIdx < 8) {{\n{LOAD.format(what='b0[0]')}\n}} else {{\n{LOAD.format(what='b0[0]')}\n}}",
            "thread 8",
        ),
        (
            f"if (threadIdx < 9) {{ {LOAD.format(what='b0[0]')} }}\n{BARRIER}",
            "thread 9 waits at the barrier of line 12",
        ),
    ],
)
def test_what_a_simdgroup_does_not_do_as_one_is_caught(device, body: str, words: str) -> None:
    with pytest.raises(RuntimeError, match=f"divergent .*{words}"):
        kernel(SHARED + body)(tensor(device, [0.0] * 128), group=(32,))


def test_a_simdgroup_of_fewer_threads_is_caught(device) -> None:
    with pytest.raises(RuntimeError, match="fewer than 32 threads"):
        kernel(SHARED + LOAD.format(what="b0[0]"))(tensor(device, [0.0] * 128), group=(40,))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (LOAD.format(what="b0[65]"), "out of bounds: read of 4 bytes at byte 512 of buffer 0"),
        (STORE.format(what="b0[65]"), "out of bounds: write of 4 bytes at byte 512 of buffer 0"),
        (STORE.format(what="shared[65]"), "out of bounds: write of 4 bytes"),
        (LOAD.format(what="shared[0]"), "read before it is written"),
        (f"shared[threadIdx] = 1;\n{LOAD.format(what='shared[0]')}", "read before it is written"),
        (
            f"shared[threadIdx] = 1;\n{BARRIER}\n{LOAD.format(what='shared[0]')}\nshared[threadIdx] = 2;",
            "a race: written without a barrier after another thread's read",
        ),
        (f"{STORE.format(what='shared[0]')}\nb0[threadIdx] = shared[threadIdx];", "a race: read without a barrier"),
        (STORE.format(what="b0[threadIdx / 32]"), "a race in device memory"),
    ],
)
def test_accesses_of_matrices_are_looked_at_like_any_other(checked_device, body: str, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        kernel(SHARED + body)(tensor(checked_device, [0.0] * 128), group=(64,))


def test_a_matrix_never_filled_holds_no_numbers(device) -> None:
    held = tensor(device, [0.0] * 64)
    kernel(SHARED + STORE.format(what="b0[0]"))(held, group=(32,))
    assert np.isnan(held.numpy()).all()
