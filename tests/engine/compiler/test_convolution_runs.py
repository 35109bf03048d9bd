"""Convolutions of random numbers; their results are tested with the operators."""

import numpy as np
import pytest

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
def test_a_convolution_runs_as_often_as_wanted(sizes: ConvWorkload) -> None:
    run = convolution(host(), sizes, 50, host_microkernel()).prepared()
    run()
    run()


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
