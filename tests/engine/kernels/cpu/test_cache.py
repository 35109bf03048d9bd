import numpy as np
import pytest
from tvm.script import tirx as T

from engine.kernels.cpu.cache import LINE, prefetch
from tests.engine.kernels.cpu.assembly import OTHER_PROCESSORS, assembly
from tests.engine.kernels.cpu.running import built

FAR = 1 << 40
"""Values from the beginning of an array: nothing of the process is there."""


def copying(to_write, later):
    @T.prim_func(s_tir=True)
    def copying(x: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        source = T.match_buffer(x, (3 * LINE,), "float32")
        target = T.match_buffer(y, (3 * LINE,), "float32")
        for place in T.serial(3 * LINE):
            prefetch(source, [T.int64(FAR) + place], to_write, later)
            target[place] = source[place]

    return copying


@pytest.mark.parametrize(("to_write", "later"), [(False, False), (False, True), (True, False)])
def test_any_address_will_do(to_write, later):
    x = np.arange(3 * LINE, dtype=np.float32)
    np.testing.assert_array_equal(built(copying(to_write, later))(x.shape, x), x)


@pytest.mark.parametrize(("later", "instruction"), [(False, "prefetcht0"), (True, "prefetcht1")])
def test_what_is_used_later_comes_less_near(later, instruction):
    lines = assembly(copying(to_write=False, later=later), OTHER_PROCESSORS["haswell"])
    assert any(instruction in line for line in lines)
