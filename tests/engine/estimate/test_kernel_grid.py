import numpy as np
from tvm.script import tirx as T

from engine.estimate.kernel_grid import axis_of, dispatches, grid_of


@T.prim_func(s_tir=True)
def twice(x: T.Buffer((1024,), "float32"), y: T.Buffer((1024,), "float32")):
    for block in T.thread_binding(8, thread="blockIdx.x"):
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                y[block * 128 + ty * 32 + tx] = x[block * 128 + ty * 32 + tx]
    for block in T.thread_binding(16, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            y[block * 64 + tx] = x[block * 64 + tx]


def test_every_nest_of_thread_loops_is_a_dispatch():
    first, second = (grid_of(nest, {}) for nest in dispatches(twice))
    assert (first.groups, first.threads) == (8, 128)
    assert (second.groups, second.threads) == (16, 64)


def test_threads_count_along_x_first():
    nest = next(dispatches(twice))
    grid = grid_of(nest, {})
    assert axis_of(nest) == "blockIdx.x"
    assert grid.positions("blockIdx.x") == 4
    np.testing.assert_array_equal(grid.positions("threadIdx.x"), np.arange(128) % 32)
    np.testing.assert_array_equal(grid.positions("threadIdx.y"), np.arange(128) // 32)


def test_a_grid_of_unknown_extent_is_none():
    @T.prim_func(s_tir=True)
    def symbolic(a: T.handle):
        count = T.int32()
        x = T.match_buffer(a, (count,), "float32")
        for block in T.thread_binding(count, thread="blockIdx.x"):
            x[block] = T.float32(0)

    (nest,) = dispatches(symbolic)
    assert grid_of(nest, {}) is None
    assert grid_of(nest, {symbolic.params[0].ty.shape[0]: 7}).groups == 7
