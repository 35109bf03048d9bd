import numpy as np
import pytest
from tvm.script import tirx as T

from engine.kernels.metal.threadgroup import Threadgroup, largest_of_threads, sum_of_threads
from tests.engine.kernels.metal.running import built


@pytest.mark.parametrize(("reduce", "expected"), [(sum_of_threads, np.sum), (largest_of_threads, np.max)])
@pytest.mark.parametrize("threads", [64, 256])
def test_threads_reduce_their_values_together(reduce, expected, threads):
    group = Threadgroup(threads)

    @T.prim_func(s_tir=True)
    def reduced(x: T.handle, y: T.handle):
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        rows = T.int32()
        source = T.match_buffer(x, (rows, threads), "float32")
        target = T.match_buffer(y, (rows, threads), "float32")
        for row in T.thread_binding(rows, thread="blockIdx.x"):
            for thread in T.thread_binding(threads, thread="threadIdx.x"):
                partial = T.alloc_buffer((threads,), "float32", scope="shared")
                partial[thread] = source[row, thread]
                reduce(group, partial, thread)
                target[row, thread] = partial[0]

    x = np.random.default_rng(0).standard_normal((3, threads), np.float32)
    result = built(reduced)(x.shape, x)
    np.testing.assert_allclose(result, np.broadcast_to(expected(x, axis=1)[:, None], x.shape), rtol=1e-5, atol=1e-5)
