"""Tests that a GPU failure is noticed and the computation retried; the software device fails on request."""

import gc
import logging
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from engine.compiler.artifacts.runtime_functions import WAIT_FUNCTION
from engine.errors import GpuFailed
from engine.runtime.runners.tvm_runtime import Runtime
from tests.metal_device import metal_device
from tests.software_metal.kernels import kernel
from tests.software_metal.metal_module import MetalKernel

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="a Mac's GPU does not fail when it is told to")


@pytest.fixture
def metal() -> Iterator:
    device = metal_device()
    gc.collect()
    device.device().sync()
    device.count_anew()
    with device.fast():
        yield device
    assert device.counts().aborts == 0


@pytest.fixture
def runtime(metal) -> Runtime:
    return Runtime("metal")


@pytest.fixture
def doubled(runtime: Runtime, metal) -> Callable[[], float]:
    """A computation that uploads 1, launches two kernels and reads 4; its `calls` counts its starts."""
    add = kernel("b0[0] += b0[0];")

    def compute() -> float:
        compute.calls += 1
        held = runtime.tensor(np.ones(1, np.float32))
        for _ in range(2):
            add(held)
        result = float(runtime.array(held)[0])
        runtime.synchronize()
        return result

    compute.calls = 0
    return compute


def test_a_successful_gpu_computation_runs_once(runtime, doubled):
    assert runtime.computed(doubled) == 4
    assert doubled.calls == 1


@pytest.mark.parametrize("launch", [1, 2])
def test_a_failed_gpu_computation_runs_again(metal, runtime, doubled, caplog, launch):
    with metal.behaving(fail_launch=launch), caplog.at_level(logging.WARNING):
        assert runtime.computed(doubled) == 4
    assert doubled.calls == 2
    assert "The GPU failed (GPUError after kernel k: the GPU was told to fail). Trying again." in caplog.text


def test_a_second_failure_is_reported_and_the_next_computation_starts_fresh(metal, runtime, doubled):
    with metal.behaving(fail_launch=2, failures=2):
        with pytest.raises(GpuFailed, match=r"The GPU failed \(GPUError after kernel k: .*\)\. Use --device cpu"):
            runtime.computed(doubled)
        assert doubled.calls == 2
        assert runtime.computed(doubled) == 4


def test_a_kernel_without_a_pipeline_is_a_failure(metal, runtime):
    with (
        metal.behaving(refuse=["k"]),
        pytest.raises(GpuFailed, match=r"\(.*cannot get state: for function k: it is refused\)"),
    ):
        runtime.computed(lambda: kernel("b0[0] = 1;"))


def test_a_command_buffer_that_is_killed_is_a_failure(metal, runtime, doubled):
    with metal.behaving(max_buffer_launches=1), pytest.raises(GpuFailed, match="Timeout"):
        runtime.computed(doubled)


def test_stages_can_wait_between_kernels(metal, runtime, doubled):
    import tvm_ffi

    wait = tvm_ffi.get_global_func(WAIT_FUNCTION)
    add = kernel("b0[0] += b0[0];")

    def compute() -> float:
        held = runtime.tensor(np.ones(1, np.float32))
        for _ in range(3):
            wait()
            add(held)
        wait()
        return float(runtime.array(held)[0])

    with metal.behaving(max_buffer_launches=1):
        assert runtime.computed(compute) == 8
    with metal.behaving(fail_launch=2, failures=2), pytest.raises(GpuFailed, match="told to fail"):
        runtime.computed(compute)  # the wait raises, inside the computation


def wrong_argument() -> None:
    raise ValueError("a wrong argument")


def fault_of_a_kernel() -> None:
    kernel("b0[4096] = 1;")(Runtime("metal").tensor(np.ones(1, np.float32)))


def too_few_arguments() -> None:
    MetalKernel("k", "#include <metal_stdlib>\nkernel void k(  device float* a [[ buffer(0) ]]) {}", ["handle"])()


@pytest.mark.parametrize(
    ("compute", "error", "words"),
    [
        (wrong_argument, ValueError, "a wrong argument"),
        (fault_of_a_kernel, RuntimeError, "out of bounds"),
        (too_few_arguments, TypeError, "is called with"),
    ],
)
def test_a_mistake_is_no_failure_of_the_gpu(metal, runtime, compute, error, words):
    resets = metal.counts().resets
    with pytest.raises(error, match=words):
        runtime.computed(compute)
    assert metal.counts().resets == resets


def test_a_cpu_computation_runs_only_once():
    def compute() -> None:
        raise RuntimeError("it fails")

    with pytest.raises(RuntimeError, match="it fails"):
        Runtime("cpu").computed(compute)
