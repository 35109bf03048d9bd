import numpy as np
import pytest
from tvm.script import tirx as T

from engine.kernels.activations import Activation, LeakyReLU, Snake
from tests.engine.kernels.cpu.running import built

VALUES = np.linspace(-9, 9, 37, dtype=np.float32)
ALPHA = np.float32(1.5)
CASES = [
    (Activation(), VALUES),
    (LeakyReLU(0.2), np.where(VALUES > 0, VALUES, np.float32(0.2) * VALUES)),
    (Snake(), VALUES + np.sin(ALPHA * VALUES) ** 2 / ALPHA),
]


@pytest.mark.parametrize(("activation", "expected"), CASES, ids=lambda case: type(case).__name__)
def test_the_expression_gives_the_activation(activation, expected):
    @T.prim_func(s_tir=True)
    def each(x: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        source = T.match_buffer(x, (37,), "float32")
        target = T.match_buffer(y, (37,), "float32")
        for place in T.serial(37):
            target[place] = activation.apply(source[place], T.float32(ALPHA))

    np.testing.assert_allclose(built(each)((37,), VALUES), expected, rtol=1e-6, atol=1e-6)


def test_equal_activations_serve_as_one_key():
    assert len({Activation(), Activation(), LeakyReLU(0.1), LeakyReLU(0.1), LeakyReLU(0.2), Snake(), Snake()}) == 4
