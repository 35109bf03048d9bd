"""Convolutions of random numbers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional
from tvm.target import Target
from tvm.tirx import PrimFunc

from engine.compiler import convolution_runs
from engine.compiler.convolution_runs import Convolution, convolution
from engine.kernels.convolution import ConvWorkload, transposed
from tests.engine.kernels.cpu.running import host, host_microkernel


@pytest.mark.parametrize(
    "sizes",
    [
        ConvWorkload(3, 4, 4, stride=2, padding=1),
        ConvWorkload(32, 33, 3, dilation=5, padding=5),
        transposed(6, 5, 12, 6, 3),
        transposed(32, 33, 12, 6, 3),
    ],
    ids=str,
)
def test_a_convolution_runs_as_often_as_wanted(sizes: ConvWorkload, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, tuple[Any, ...]] = {}
    compile_kernels = convolution_runs._library

    def noting(target: Target, **kernels: PrimFunc) -> dict[str, Callable[..., None]]:
        library = compile_kernels(target, **kernels)

        def run_kernel(name: str, *arrays: Any) -> None:
            given[name] = arrays
            library[name](*arrays)

        return {name: partial(run_kernel, name) for name in kernels}

    monkeypatch.setattr(convolution_runs, "_library", noting)
    run = convolution(host(), sizes, 50, host_microkernel()).prepared()
    weight, (x, _, bias, y) = given["pack"][0], given["run"]
    expected = by_torch(sizes, *(torch.from_numpy(array.numpy()).double() for array in (x, weight, bias)))
    for _ in range(2):
        y.copyfrom(np.full(y.shape, np.nan, np.float32))
        run()
        np.testing.assert_allclose(y.numpy(), expected, atol=1e-4, rtol=0)


def by_torch(sizes: ConvWorkload, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> np.ndarray:
    if sizes.upsampling > 1:
        made = functional.conv_transpose1d(x, weight, bias, stride=sizes.upsampling, padding=sizes.trim)
    else:
        made = functional.conv1d(x, weight, bias, sizes.stride, sizes.padding, sizes.dilation)
    return made.numpy()


def test_each_preparation_has_arrays_of_its_own() -> None:
    class Library(dict[str, object]):
        """In the place of kernels: notes the arrays that it gets."""

        def __init__(self) -> None:
            super().__init__(pack=lambda weight, packed: None, run=lambda *arrays: seen.append(arrays))

    seen: list[tuple[object, ...]] = []
    built = Convolution(Library(), packed=(2, 4), weight=(2, 2, 2), source=(1, 2, 9), target=(1, 2, 8))
    built.prepared()
    built.prepared()
    (x, weight, bias, y), (other_x, same_weight, _, other_y) = seen
    assert weight is same_weight
    assert x is not other_x
    assert y is not other_y
    assert [np.shape(array.numpy()) for array in (x, bias, y)] == [(1, 2, 9), (2,), (1, 2, 8)]
