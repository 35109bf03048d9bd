"""Matrices of simdgroups: right products, and every wrong use of them is caught."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.software_metal.address_spaces import complaints
from tests.software_metal.kernels import kernel, tensor
from tests.software_metal.programs import compile_program, machine

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


def test_products_of_matrices_read_at_any_place_and_stride(device):
    left, right, result = numbers(148), numbers(88, 1), tensor(device, [0.0] * 64)
    kernel(PRODUCT, buffers=3)(tensor(device, left), tensor(device, right), result, group=(32,))
    expected = 2 * block(left, 0, 20) @ block(right, 3, 11).T
    np.testing.assert_allclose(result.numpy().reshape(8, 8), expected, atol=1e-5)


def test_halves_are_multiplied_and_summed_as_floats(device):
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


def test_each_simdgroup_has_its_own(device):
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
def test_divergent_simdgroup_operations_are_caught(device, body, words):
    with pytest.raises(RuntimeError, match=f"divergent .*{words}"):
        kernel(SHARED + body)(tensor(device, [0.0] * 128), group=(32,))


def test_a_simdgroup_of_fewer_threads_is_caught(device):
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
def test_accesses_of_matrices_are_looked_at_like_any_other(checked_device, body, words):
    with pytest.raises(RuntimeError, match=words):
        kernel(SHARED + body)(tensor(checked_device, [0.0] * 128), group=(64,))


def test_a_matrix_never_filled_holds_no_numbers(device):
    held = tensor(device, [0.0] * 64)
    kernel(SHARED + STORE.format(what="b0[0]"))(held, group=(32,))
    assert np.isnan(held.numpy()).all()


def layer_norm(x: np.ndarray, scale: np.ndarray, shift: np.ndarray) -> np.ndarray:
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5) * scale + shift


def conv1d(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    padded = np.pad(x, ((0, 0), (0, 0), (2, 2)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 5, axis=2)
    return np.einsum("bctk,ock->bot", windows, weight)


def softmax(x: np.ndarray) -> np.ndarray:
    raised = np.exp(x - x.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def operations() -> dict[str, Callable[..., Any]]:
    from tvm import relax

    return {
        "matmul": relax.op.matmul,
        "layer_norm": lambda x, scale, shift: relax.op.nn.layer_norm(x, scale, shift, axes=[-1], epsilon=1e-5),
        "conv1d": lambda x, weight: relax.op.nn.conv1d(x, weight, padding=(2, 2)),
        "sum": lambda x: relax.op.sum(x, axis=-1),
        "softmax": lambda x: relax.op.nn.softmax(x, axis=-1),
        "elementwise": lambda x: relax.op.tanh(relax.op.exp(relax.op.sin(x))),
        "cumsum": lambda x: relax.op.cumsum(x, axis=-1),
    }


CASES = {
    "matmul": (lambda a, b: a @ b, [("n", 96), (96, 64)]),
    "layer_norm": (layer_norm, [("n", 96), (96,), (96,)]),
    "conv1d": (conv1d, [(1, 48, "n"), (32, 48, 5)]),
    "sum": (lambda x: x.sum(-1), [("n", 300)]),
    "softmax": (softmax, [("n", 300)]),
    "elementwise": (lambda x: np.tanh(np.exp(np.sin(x))), [("n", 300)]),
}


def arguments(shapes: list[tuple], length: int) -> list[np.ndarray]:
    generator = np.random.default_rng(length)
    drawn = [generator.standard_normal([length if extent == "n" else extent for extent in shape]) for shape in shapes]
    return [values.astype("float32") for values in drawn]


@pytest.mark.parametrize("name", CASES)
def test_programs_match_numpy_results(software_metal, tmp_path, name):
    reference, shapes = CASES[name]
    compile_program(operations()[name], shapes, tmp_path / "library.so")
    run = machine(tmp_path / "library.so", software_metal.device())["main"]
    for length in (1, 5, 37, 130):
        given = arguments(shapes, length)
        expected = reference(*(values.astype("float64") for values in given))
        result = run(*(tensor(software_metal.device(), values) for values in given)).numpy()
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=2e-6 * np.abs(expected).max())


def test_fast_kernels_give_the_same(software_metal, tmp_path):
    reference, shapes = CASES["matmul"]
    compile_program(operations()["matmul"], shapes, tmp_path / "library.so")
    given = arguments(shapes, 70)
    with software_metal.fast():
        run = machine(tmp_path / "library.so", software_metal.device())["main"]
        result = run(*(tensor(software_metal.device(), values) for values in given)).numpy()
    np.testing.assert_allclose(result, reference(*given), rtol=1e-5, atol=1e-4)


def test_half_precision(software_metal, tmp_path):
    _, shapes = CASES["matmul"]
    compile_program(operations()["matmul"], shapes, tmp_path / "library.so", dtype="float16")
    run = machine(tmp_path / "library.so", software_metal.device())["main"]
    given = [values.astype("float16") for values in arguments(shapes, 37)]
    result = run(*(tensor(software_metal.device(), values) for values in given)).numpy()
    expected = given[0].astype("float32") @ given[1].astype("float32")
    assert 0 < np.abs(result - expected).max() < 0.2  # summed in halves


def test_the_race_in_tvms_scan_is_caught(software_metal, tmp_path):
    compile_program(operations()["cumsum"], [("n", 300)], tmp_path / "library.so")
    run = machine(tmp_path / "library.so", software_metal.device())["main"]
    with pytest.raises(RuntimeError, match=r"cumsum.*a race: read without a barrier"):
        run(tensor(software_metal.device(), np.ones((2, 300), "float32")))


def metal_text(library: Path) -> str:
    import tvm

    modules = [tvm.runtime.load_module(str(library))]
    while modules[0].kind != "metal":
        modules = [*modules[0].imports, *modules[1:]]
    return modules[0].inspect_source()


def test_a_barrier_taken_out_of_tvms_matmul_is_caught(software_metal, tmp_path):
    from tests.software_metal.metal_module import MetalKernel

    _, shapes = CASES["matmul"]
    compile_program(operations()["matmul"], shapes, tmp_path / "library.so")
    whole = metal_text(tmp_path / "library.so").split("\n", 1)[1]
    assert complaints(whole) == ""
    barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);"
    first, second, third = whole.split(barrier)
    given = [
        tensor(software_metal.device(), values) for values in [np.zeros((64, 64), "float32"), *arguments(shapes, 64)]
    ]
    for text in (first + second + barrier + third, first + barrier + second + third):
        kernel = MetalKernel("matmul_kernel", text, ["handle", "handle", "handle", "int64"])
        with pytest.raises(RuntimeError, match=r"a race|before it is written"):
            kernel(*given, 64, grid=(2, 2), group=(8, 8))
