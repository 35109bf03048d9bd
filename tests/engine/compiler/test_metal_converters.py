"""Whole stages on the Metal device, against PyTorch; changes to programs for it; the source of its kernels."""

import re
import shutil
import stat
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
import torch
import tvm
import tvm_ffi
from tvm import relax
from tvm.script import tirx as T

from engine.compiler.artifacts.manifest import Variant
from engine.compiler.artifacts.runtime_functions import WAIT_FUNCTION
from engine.compiler.build import build, weightless_modules
from engine.compiler.export import export_stage
from engine.compiler.metal_libraries import CALLBACK, kernels_compiled_ahead
from engine.compiler.metal_passes import MAX_LAUNCHES, check_threads, kernel_sources, running_kernels
from engine.compiler.passes import apply, build_executable
from engine.compiler.targets import metal_macos
from engine.errors import CompileError
from engine.network.random_weights import network_with, random_weights
from engine.runtime.runners.torch_runner import ExportableRunner
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.stages import DEVICE_STAGES, TOKENS, Axis, Size, Stage, StagePlace, Tensor, stage_named
from tests.engine.compiler.metal_machine import arrays_for
from tests.engine.kept_modules import kept_modules
from tests.engine.tiny_model import TINY
from tests.metal_device import metal_device

COUNTS = ({"tokens": (1,), "frames": (1,)}, {"tokens": (12, 2, 5), "frames": (3, 2, 1)})
MIN_CORRELATION = 0.9999999


@pytest.fixture(scope="module")
def weights(tiny_config):
    return random_weights(tiny_config, 0)


@pytest.fixture(scope="module")
def exportable(tiny_config, weights):
    return ExportableRunner(network_with(tiny_config, weights))


def with_spoilt_padding(config, stage, arrays, counts):
    """The same inputs with NaN, or a huge number, beyond the length of each sequence."""
    spoilt = {name: array.copy() for name, array in arrays.items()}
    for tensor in stage.inputs:
        for place, axis in enumerate(tensor.axes):
            for batch_index in range(len(counts["tokens"])) if isinstance(axis, Axis) else ():
                valid = {name: values[batch_index] for name, values in counts.items()}
                array = np.moveaxis(spoilt[tensor.name][batch_index], place, 0)
                array[axis.extent(config, valid) :] = np.nan if array.dtype == np.float32 else 2**30
    return spoilt


@pytest.fixture(scope="module")
def compiled(tiny_config, weights, tmp_path_factory):
    """Every access is looked at while weights are packed; nothing has loaded this copy, and so its kernels, before."""
    metal_device()
    kept = kept_modules(tiny_config, Variant("metal-host"))
    runner = CompiledRunner(shutil.copytree(kept, tmp_path_factory.mktemp("modules") / "copy"), tiny_config, weights)
    yield runner
    runner.close()


@pytest.mark.parametrize("name", [stage.name for stage in DEVICE_STAGES])
def test_stages_on_metal_equal_the_exportable_ones(tiny_config, compiled, exportable, name):
    stage, metal = stage_named(name), metal_device()
    for counts in COUNTS:
        arrays = arrays_for(stage, tiny_config, counts)
        expected = exportable.run_stage(stage, arrays)
        with metal.fast():
            result = compiled.run_stage(stage, arrays)
            spoilt = compiled.run_stage(stage, with_spoilt_padding(tiny_config, stage, arrays, counts))
        for output, array in result.items():
            np.testing.assert_array_equal(spoilt[output], array)
            assert np.isfinite(array).all()
            if name == "source":  # phases of bins that hardly sound differ, as they do between any two computations
                assert np.corrcoef(array.ravel(), expected[output].ravel())[0, 1] > MIN_CORRELATION
            else:
                np.testing.assert_allclose(array, expected[output], atol=5e-5, rtol=1e-3)


def test_sines_and_exponentials_are_ours_and_join_their_neighbors(tiny_config):
    class Both(torch.nn.Module):
        def forward(self, x):
            return torch.exp(torch.sin(x) + 1)

    stage = Stage("probe", "Probe", StagePlace.DEVICE, (Tensor("rows", (TOKENS, Size("hidden_dim"))),), ())
    graph = export_stage(stage, Both(), tiny_config, metal_macos())
    (source,) = kernel_sources(build_executable(graph.module, metal_macos()).mod).values()
    assert not re.search(r"\b(fast::)?(sin|exp|exp2)\(", source)


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

    with pytest.raises(CompileError, match="no schedule"):
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
    assert max(between) <= MAX_LAUNCHES


MARK = b"MTLB of a stand-in"
STAND_IN = """#!/bin/sh
echo "$@" >> "{log}"
test "$1 $2 $3" = "-sdk macosx metal" || exit 2
for last; do :; done
grep -q "kernel void" "$7" || exit 3
printf "{mark}" > "$last"
"""
REFUSES = """#!/bin/sh
echo "kernel.metal:7: error: unknown type name 'flot'" >&2
exit 1
"""


@pytest.fixture
def xcrun(monkeypatch, tmp_path):
    """Makes this text the program `xcrun`; returns the file that it may write to."""

    def make(text):
        program = tmp_path / "bin" / "xcrun"
        program.parent.mkdir()
        program.write_text(text.format(log=tmp_path / "log", mark=MARK.decode()))
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
        return tmp_path / "log"

    return make


def built(folder: Path):
    (artifact,) = build(TINY, [stage_named("istft")], Variant("metal-macos"), folder, lambda _: None).artifacts
    return artifact, (folder / artifact.file).read_bytes()


def test_compiled_kernels_take_the_place_of_their_sources(xcrun, tmp_path):
    log = xcrun(STAND_IN)
    with kernels_compiled_ahead():
        artifact, library = built(tmp_path / "ahead")
    assert library.count(MARK) == len(artifact.kernels) == 2
    assert b"kernel void" not in library
    commands = log.read_text().splitlines()
    assert len(commands) == 2
    assert all("-std=macos-metal2.3 -ffast-math -mmacosx-version-min=14.0" in command for command in commands)
    usual, library = built(tmp_path / "usual")
    assert library.count(b"kernel void") == 2
    assert artifact.fingerprint == usual.fingerprint  # they are made of the same sources
    assert artifact.kernels == usual.kernels


def test_nothing_stays_behind(xcrun):
    xcrun(STAND_IN)
    with kernels_compiled_ahead():
        assert tvm_ffi.get_global_func(CALLBACK, allow_missing=True) is not None
    assert tvm_ffi.get_global_func(CALLBACK, allow_missing=True) is None


def test_an_apple_compiler_error_is_reported(xcrun, tmp_path):
    xcrun(REFUSES)
    with kernels_compiled_ahead(), pytest.raises(CompileError, match=r"kernel: .*unknown type name 'flot'"):
        built(tmp_path)


def test_without_apples_compiler_nothing_is_built(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CompileError, match="Install Xcode"), kernels_compiled_ahead():
        pytest.fail("it went on")
