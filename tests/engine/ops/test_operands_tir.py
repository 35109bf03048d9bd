import numpy as np
from tvm.script import tirx as T

from engine.ops.operands_tir import with_operands
from tests.engine.kernels import built


def shifted(has_addend):
    @T.prim_func(s_tir=True)
    def shifted(x: T.handle, z: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        count = T.int64()
        source = T.match_buffer(x, (count,), "float32")
        addend = T.match_buffer(z, (count,), "float32")
        target = T.match_buffer(y, (count,), "float32")
        for place in T.serial(count):
            if has_addend:
                target[place] = source[place] + addend[place]
            else:
                target[place] = source[place] + T.float32(1)

    return with_operands(shifted, addend=has_addend)


def test_an_operand_that_is_missing_is_no_argument():
    x, z = np.arange(5, dtype=np.float32), np.full(5, 10, np.float32)
    np.testing.assert_array_equal(built(shifted(True))((5,), x, z), x + 10)
    np.testing.assert_array_equal(built(shifted(False))((5,), x), x + 1)
