import numpy as np
from tvm.script import tirx as T

from engine.kernels.convolution import transposed
from engine.kernels.epilogue import Epilogue
from engine.kernels.metal.conv_choice import tile_for
from engine.kernels.metal.tile_store import store_sum
from engine.kernels.signatures import convolution_function
from tests.engine.kernels.metal.running import GROUP, built

ROWS, COLUMNS = 8, 16


@T.inline
def every_sum(plan, operands):
    for row in T.thread_binding(ROWS, thread="blockIdx.x"):
        for column in T.thread_binding(COLUMNS, thread="threadIdx.x"):
            store_sum(plan, operands, 0, row, column, operands.source[0, 0, row * COLUMNS + column])


def test_phases_interleave_and_what_is_beyond_the_output_is_dropped():
    plan = tile_for(transposed(1, 3, 4, 2, 1), GROUP)
    kernel = built(convolution_function(plan, Epilogue(True, has_residual=True, factor=0.5), every_sum, T.int32))
    sums = np.arange(ROWS * COLUMNS, dtype=np.float32)
    bias, residual = np.array([100, 200, 300], np.float32), np.ones((1, 3, 27), np.float32)
    found = kernel(residual.shape, sums.reshape(1, 1, -1), np.zeros(plan.packed_shape, np.float32), bias, residual)
    by_phase = sums.reshape(4, 2, COLUMNS)[:3].transpose(0, 2, 1).reshape(3, -1)
    np.testing.assert_array_equal(found[0], (by_phase[:, 1:28] + bias[:, None] + 1) / 2)
