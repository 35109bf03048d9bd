"""Counts of kernels against counts by hand."""

import pytest
from tvm.script import tirx as T

from engine.errors import CompileError
from engine.estimate.kernel_counter import bytes_of, count
from engine.kernels.convolution import ConvWorkload
from engine.kernels.epilogue import Epilogue
from engine.kernels.metal.conv1d import conv1d
from engine.kernels.metal.conv_transpose1d import depthwise
from engine.kernels.metal.lstm import recurrence
from engine.kernels.metal.threadgroup import Threadgroup


def counted(function, sizes=None):
    (found,) = count("kernel", function, sizes or {})
    return found


def sizes_of(function, *shapes):
    pairs = [
        pair
        for param, shape in zip(function.params, shapes, strict=True)
        for pair in zip(param.ty.shape, shape, strict=True)
    ]
    return {extent: number for extent, number in pairs if type(extent).__name__ == "Var"}


def test_a_bounds_check_masks_whole_simdgroups():
    @T.prim_func(s_tir=True)
    def scale(x: T.Buffer((100,), "float32"), y: T.Buffer((100,), "float32")):
        for block in T.thread_binding(1, thread="blockIdx.x"):
            for thread in T.thread_binding(128, thread="threadIdx.x"):
                if block * 128 + thread < 100:
                    y[block * 128 + thread] = x[block * 128 + thread] * T.float32(2) + T.float32(1)

    found = counted(scale)
    assert (found.groups, found.threads) == (1, 128)
    assert found.work.operations == 128  # four simdgroups, the last with four threads at work
    assert found.work.flop == 256
    assert found.work.device_bytes_loaded == found.work.device_bytes_stored == 400
    assert found.work.device_bytes_moved == 800


def test_registers_hold_what_an_unrolled_loop_reads_again():
    @T.prim_func(s_tir=True)
    def product(x: T.Buffer((32, 4), "float32"), w: T.Buffer((4,), "float32"), y: T.Buffer((32,), "float32")):
        for thread in T.thread_binding(32, thread="threadIdx.x"):
            sums = T.alloc_buffer((4, 4), "float32", scope="local")
            for i in T.unroll(4):
                for j in T.unroll(4):
                    sums[i, j] = sums[i, j] + x[thread, i] * w[j]
            y[thread] = sums[0, 0]

    work = counted(product).work
    assert work.operations == 16 * 32
    assert work.flop == 2 * 16 * 32
    assert work.memory_operations == (4 + 4 + 1) * 32
    assert work.device_bytes_moved == (4 * 32 + 4 + 32) * 4  # every thread reads the same w


def test_a_convolution_by_hand():
    channels, taps, stride, outputs = 64, 3, 2, 640
    function = conv1d(ConvWorkload(channels, channels, taps, stride=stride, padding=1), Epilogue(False), Threadgroup())
    shapes = ((1, channels, stride * outputs), (channels, taps, channels), (1, channels, outputs))
    found = counted(function, sizes_of(function, *shapes))
    products = channels * channels * taps * outputs
    assert (found.groups, found.threads) == (outputs // 64, 256)
    assert found.work.flop == 2 * products  # every tile is full
    assert found.work.device_bytes_stored == 4 * channels * outputs
    assert found.work.barriers == 2 * channels / 16
    weights, slab = 4 * channels * taps * 64, 4 * channels * (63 * stride + taps)
    assert found.work.device_bytes_loaded == pytest.approx(found.groups * (weights + slab), rel=0.1)


def test_a_tap_that_half_of_the_outputs_use_is_masked():
    function = depthwise(8, 3, 2, 1, False, Threadgroup())
    found = counted(function, sizes_of(function, (1, 8, 512), (8, 1, 3), (1, 8, 1024)))
    asked = found.work.device_bytes_loaded / 4 / 8
    assert asked == pytest.approx(2 * 1024 * 1.5, rel=0.4)  # 1.5 taps on average, a weight and a value each


def test_the_recurrence_reads_all_its_weights_at_every_step():
    hidden, steps = 64, 100
    function = recurrence(hidden, 2, Threadgroup())
    shapes = ((1, steps, 8 * hidden), (2, hidden, hidden, 4), (1,), (1, steps, 2 * hidden))
    found = counted(function, sizes_of(function, *shapes))
    assert (found.groups, found.threads) == (2, hidden)
    of_weights = 2 * steps * 4 * hidden * hidden * 4
    assert of_weights <= found.work.device_bytes_loaded <= 1.05 * of_weights
    assert 2 * 2 * steps * 4 * hidden * hidden <= found.work.flop <= 1.4 * 2 * 2 * steps * 4 * hidden * hidden
    assert found.work.barriers == steps
    assert found.work.slow_operations["divide"] > 0


def test_matrices_of_simdgroups_are_counted():
    @T.prim_func(s_tir=True)
    def product(x: T.Buffer((64, 64), "float32"), y: T.Buffer((64, 64), "float32")):
        for _block in T.thread_binding(8, thread="blockIdx.x"):
            for group in T.thread_binding(2, thread="threadIdx.y"):
                for _thread in T.thread_binding(32, thread="threadIdx.x"):
                    shared = T.alloc_buffer((512,), "float32", scope="shared")
                    tiles = T.alloc_buffer((192,), "float32", scope="metal.simdgroup")
                    T.metal.make_filled_simdgroup_matrix(tiles.data, 0, T.float32(0), 8, 8)
                    for step in T.serial(5):
                        T.metal.simdgroup_load(
                            tiles.data, 1, shared.access_ptr("r", offset=group * 8), 8, 8, 8, T.bool(False)
                        )
                        T.metal.simdgroup_load(tiles.data, 2, x.access_ptr("r", offset=step), 64, 8, 8, T.bool(False))
                        T.metal.simdgroup_multiply_accumulate(
                            tiles.data, 0, tiles.data, 1, tiles.data, 2, tiles.data, 0
                        )
                    T.metal.simdgroup_store(tiles.data, 0, y.access_ptr("w"), 64, 8, 8, T.bool(False))

    work = counted(product).work
    simdgroups = 8 * 2
    assert work.matrix_multiplications == simdgroups * 5
    assert work.flop == simdgroups * 5 * 1024
    assert work.threadgroup_bytes_moved == simdgroups * 5 * 256
    assert work.device_bytes_loaded == simdgroups * 5 * 256
    assert work.device_bytes_stored == simdgroups * 256


def test_a_loop_of_unknown_extent_is_an_error():
    @T.prim_func(s_tir=True)
    def endless(x: T.Buffer((4,), "float32"), y: T.Buffer((32,), "float32")):
        for thread in T.thread_binding(32, thread="threadIdx.x"):
            for _turn in T.serial(T.Cast("int32", x[0])):
                y[thread] = y[thread] + T.float32(1)

    with pytest.raises(CompileError, match="cannot be counted: the extent of _turn"):
        counted(endless)


def test_a_call_of_unknown_cost_is_an_error():
    @T.prim_func(s_tir=True)
    def strange(x: T.Buffer((32,), "float32"), y: T.Buffer((32,), "float32")):
        for thread in T.thread_binding(32, thread="threadIdx.x"):
            y[thread] = T.acosh(x[thread])

    with pytest.raises(CompileError, match="is not known"):
        counted(strange)


@pytest.mark.parametrize(("dtype", "size"), [("float32", 4), ("float16", 2), ("int64", 8), ("bool", 1)])
def test_elements_have_their_size(dtype, size):
    assert bytes_of(dtype) == size
