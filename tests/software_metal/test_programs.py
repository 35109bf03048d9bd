"""What TVM compiles for Metal gives what numpy gives, at every length, and without a fault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.software_metal.address_spaces import complaints
from tests.software_metal.kernels import tensor
from tests.software_metal.programs import compile_program, machine


def layer_norm(x: np.ndarray, scale: np.ndarray, shift: np.ndarray) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + shift


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
def test_programs_give_what_numpy_gives(software_metal, tmp_path: Path, name: str) -> None:
    reference, shapes = CASES[name]
    compile_program(operations()[name], shapes, tmp_path / "library.so")
    run = machine(tmp_path / "library.so", software_metal.device())["main"]
    for length in (1, 5, 37, 130):
        given = arguments(shapes, length)
        expected = reference(*(values.astype("float64") for values in given))
        result = run(*(tensor(software_metal.device(), values) for values in given)).numpy()
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=2e-6 * np.abs(expected).max())


def test_fast_kernels_give_the_same(software_metal, tmp_path: Path) -> None:
    reference, shapes = CASES["matmul"]
    compile_program(operations()["matmul"], shapes, tmp_path / "library.so")
    given = arguments(shapes, 70)
    with software_metal.fast():
        run = machine(tmp_path / "library.so", software_metal.device())["main"]
        result = run(*(tensor(software_metal.device(), values) for values in given)).numpy()
    np.testing.assert_allclose(result, reference(*given), rtol=1e-5, atol=1e-4)


def test_half_precision(software_metal, tmp_path: Path) -> None:
    _, shapes = CASES["matmul"]
    compile_program(operations()["matmul"], shapes, tmp_path / "library.so", dtype="float16")
    run = machine(tmp_path / "library.so", software_metal.device())["main"]
    given = [values.astype("float16") for values in arguments(shapes, 37)]
    result = run(*(tensor(software_metal.device(), values) for values in given)).numpy()
    expected = given[0].astype("float32") @ given[1].astype("float32")
    assert 0 < np.abs(result - expected).max() < 0.2  # summed in halves


def test_the_race_in_tvms_scan_is_caught(software_metal, tmp_path: Path) -> None:
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


def test_a_barrier_taken_out_of_tvms_matmul_is_caught(software_metal, tmp_path: Path) -> None:
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
