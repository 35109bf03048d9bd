from itertools import groupby

import numpy as np
import pytest
import tvm
from tvm import relax
from tvm.script import tirx as T

from engine.compiler.build import weightless_modules
from engine.compiler.export import export_stage
from engine.compiler.metal_passes import MOST_LAUNCHES, check_threads, kernel_sources, running_kernels
from engine.compiler.passes import apply, build_executable
from engine.compiler.targets import metal_macos
from engine.errors import CompileError
from engine.runners.metal_stream import WAIT_FUNCTION
from engine.stages import stage_named
from tests.engine.tiny_model import TINY


def busy(threads=8, values=8, factor=1.0, calls=1):
    """A Relax module that calls one kernel with this many threads, values in threadgroup memory, so many times."""
    stride = values // 8

    @T.prim_func(s_tir=True)
    def kernel(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        T.func_attr({"tirx.is_scheduled": True})
        for thread in T.thread_binding(threads, thread="threadIdx.x"):
            shared = T.alloc_buffer((values,), "float32", scope="shared")
            shared[thread * stride % values] = x[thread % 8] * T.float32(factor)
            T.tvm_storage_sync("shared")
            y[thread % 8] = shared[(thread + 1) * stride % values]

    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType([8], "float32"))
    name = builder.add_func(kernel.with_attr("op_pattern", 8), "kernel")
    with builder.function("main", [x]):
        with builder.dataflow():
            for _ in range(calls):
                x = builder.emit(relax.call_tir(name, [x], relax.TensorType([8], "float32")))
            output = builder.emit_output(x)
        builder.emit_func_output(output)
    return builder.get()


def test_a_kernel_within_the_limits_is_built():
    executable = build_executable(busy(threads=256, values=256), metal_macos())
    assert list(kernel_sources(executable.mod)) == ["kernel_kernel"]


def test_kernels_that_pack_weights_are_not_among_those_that_run():
    stage = stage_named("text_encoder")
    graph = export_stage(stage, weightless_modules(TINY)[stage.name], TINY, metal_macos())
    executable = build_executable(graph.module, metal_macos())
    running = set(running_kernels(executable))
    others = set(kernel_sources(executable.mod)) - running
    assert running >= {"conv1d_kernel", "linear_kernel", "recurrence_kernel"}
    assert others >= {"pack_hidden_weight_kernel", "pack_weight_kernel", "pack_weight1_kernel"}
    assert len(others) == 6  # the rest join the weights of two directions


def test_too_many_threads_are_an_error():
    with pytest.raises(CompileError, match="2048 threads of 1024"):
        build_executable(busy(threads=2048), metal_macos())


def test_too_much_threadgroup_memory_is_an_error():
    with pytest.raises(CompileError, match="threadgroup memory"):
        build_executable(busy(values=16000), metal_macos())


def test_a_function_without_threads_is_an_error():
    @T.prim_func(s_tir=True)
    def plain(x: T.Buffer((8,), "float32"), y: T.Buffer((8,), "float32")):
        for place in T.serial(8):
            y[place] = x[place]

    with pytest.raises(CompileError, match="has no schedule for a GPU"):
        apply(tvm.IRModule({"plain": plain}), [check_threads], metal_macos())


def test_constants_keep_every_bit():
    factor = float(np.float32(0.693115234375))  # seven digits are not enough
    source = kernel_sources(build_executable(busy(factor=factor), metal_macos()).mod)["kernel_kernel"]
    assert f"as_type<float>({np.float32(factor).view(np.int32)})" in source
    source = kernel_sources(build_executable(busy(factor=0.5), metal_macos()).mod)["kernel_kernel"]
    assert "5.000000e-01f" in source


@pytest.mark.parametrize("name", ["bert", "source"])
def test_kernels_count_in_int32_and_single_precision(tiny_config, name):
    stage = stage_named(name)
    graph = export_stage(stage, weightless_modules(tiny_config)[name], tiny_config, metal_macos())
    sources = kernel_sources(build_executable(graph.module, metal_macos()).mod)
    assert sources
    wide = {kernel for kernel, source in sources.items() if "long" in source}
    assert wide <= {"phases_kernel"}  # it multiplies in int64, with int32 indices


@pytest.mark.parametrize(("calls", "waits"), [(1, 0), (40, 0), (41, 1), (80, 1), (81, 2), (200, 4)])
def test_a_function_waits_before_it_launches_more_than_it_may(calls, waits):
    instructions = build_executable(busy(calls=calls), metal_macos()).as_text().splitlines()
    names = [
        WAIT_FUNCTION if WAIT_FUNCTION in line else "kernel"
        for line in instructions
        if "call" in line and ("kernel" in line or WAIT_FUNCTION in line)
    ]
    assert names.count("kernel") == calls
    assert names.count(WAIT_FUNCTION) == waits
    between = [len(list(group)) for name, group in groupby(names) if name == "kernel"]
    assert max(between) <= MOST_LAUNCHES
