"""The device records, commits and counts commands as TVM's Metal runtime does, and fails on request."""

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from tests.software_metal.kernels import kernel, tensor
from tests.software_metal.loader import SoftwareMetal

ADD_ONE = "b0[threadIdx] += 1;"
GPU_ERROR = "GPUError: GPUError after kernel k: the GPU was told to fail"


@pytest.fixture
def metal(software_metal: SoftwareMetal) -> Iterator[SoftwareMetal]:
    """The device with nothing pending and nothing counted, and kernels compiled fast."""
    gc.collect()
    software_metal.device().sync()
    software_metal.count_anew()
    with software_metal.fast():
        yield software_metal


def uploaded(device: Any, size: int) -> Any:
    """Return a tensor of `size` bytes, copied to the device without a wait."""
    import tvm

    target = tvm.runtime.empty((size,), "uint8", device=device)
    tvm.runtime.tensor(np.zeros(size, "uint8")).copyto(target)
    return target


def read(held: Any) -> np.ndarray:
    """Return the content of a tensor, copied to the host without a wait after it."""
    import tvm

    return held.copyto(tvm.cpu()).numpy()


def kind_of(error: BaseException) -> str:
    return error.__tvm_ffi_error__.kind


def test_a_failed_launch_raises_at_every_wait_until_a_reset(metal):
    held, run = tensor(metal.device(), [0.0]), kernel(ADD_ONE)
    metal.device().sync()
    with metal.behaving(fail_launch=2):
        for _ in range(3):
            run(held)  # no results yet
        for _ in range(2):
            with pytest.raises(RuntimeError, match=GPU_ERROR) as raised:
                metal.device().sync()
            assert kind_of(raised.value) == "InternalError"
        before = metal.launches()
        run(held)
        assert metal.launches() == before  # it was skipped
        with pytest.raises(RuntimeError, match=GPU_ERROR):
            read(held)
        metal.reset()
        run(held)
        metal.device().sync()
        assert held.numpy() == [2.0]  # the first launch, and that after the reset
    assert metal.counts().aborts == 0


def test_data_of_a_failed_launch_is_copied_before_the_failure_is_known(metal):
    held, run = tensor(metal.device(), [0.0]), kernel(ADD_ONE)
    with metal.behaving(fail_launch=1):
        run(held)
        assert read(held) == [0.0]
        with pytest.raises(RuntimeError, match=GPU_ERROR):
            metal.device().sync()


def test_launches_fail_as_often_as_configured(metal):
    held, run = tensor(metal.device(), [0.0]), kernel(ADD_ONE)
    with metal.behaving(fail_launch=2, failures=2):
        for _ in range(2):
            run(held)
            metal.device().sync()
            run(held)
            with pytest.raises(RuntimeError, match=GPU_ERROR):
                metal.device().sync()
            metal.reset()
        for _ in range(4):
            run(held)
        metal.device().sync()
        assert held.numpy() == [6.0]


def test_a_failure_ends_with_its_context(metal):
    held, run = tensor(metal.device(), [0.0]), kernel(ADD_ONE)
    with metal.behaving(fail_launch=1, failures=9):
        run(held)
    run(held)
    metal.device().sync()
    assert held.numpy() == [1.0]


def test_there_is_no_pipeline_for_a_refused_kernel(metal):
    with metal.behaving(refuse=["k"]):
        with pytest.raises(RuntimeError, match="cannot get state: for function k") as raised:
            kernel(ADD_ONE)
        assert kind_of(raised.value) == "InternalError"
        assert metal.counts().kernels == 0
        metal.device().sync()  # nothing else is wrong
    kernel(ADD_ONE)(tensor(metal.device(), [0.0]))


def test_long_buffers_are_killed(metal):
    held, run = tensor(metal.device(), [0.0]), kernel(ADD_ONE)
    with metal.behaving(max_buffer_launches=3):
        for _ in range(2):
            for _ in range(3):
                run(held)
            metal.device().sync()
        for _ in range(4):
            run(held)
        with pytest.raises(RuntimeError, match="GPUError: GPUError after kernel k: Caused GPU Timeout Error"):
            metal.device().sync()


def test_launches_waits_and_the_longest_buffer_are_counted(metal):
    held, run = tensor(metal.device(), [0.0]), kernel(ADD_ONE)
    metal.count_anew()
    for count in (2, 5, 3):
        for _ in range(count):
            run(held)
        metal.device().sync()
    assert (metal.counts().launches, metal.counts().max_buffer_launches, metal.counts().syncs) == (10, 5, 3)
    for _ in range(4):
        run(held)
        read(held)  # also ends a buffer
    assert (metal.counts().max_buffer_launches, metal.counts().syncs) == (5, 3)
    metal.count_anew()
    assert (metal.counts().launches, metal.counts().max_buffer_launches, metal.counts().syncs) == (0, 0, 0)


def test_copies_are_counted(metal):
    metal.count_anew()
    held = [tensor(metal.device(), np.zeros(size, "uint8")) for size in (100, 20)]
    held[0].numpy()
    counts = metal.counts()
    assert (counts.uploads, counts.uploaded_bytes, counts.readings) == (2, 120, 1)


def test_a_kernel_is_requested_once_for_each_module(metal):
    held = tensor(metal.device(), [0.0])
    for _ in range(2):
        run = kernel(ADD_ONE)
        for _ in range(3):
            run(held)
    assert metal.counts().kernels == 2


def test_memory_that_pending_commands_may_use_is_freed_after_a_wait(metal):
    held, run = tensor(metal.device(), [0.0]), kernel(ADD_ONE)
    metal.count_anew()
    run(held)
    del held
    gc.collect()
    assert (metal.counts().syncs, metal.counts().aborts) == (1, 0)
    held = tensor(metal.device(), [0.0])
    metal.count_anew()
    del held
    gc.collect()
    assert metal.counts().syncs == 0  # nothing was pending


def test_to_free_memory_before_a_failure_is_known_is_the_end(metal):
    held, run = tensor(metal.device(), [0.0]), kernel(ADD_ONE)
    with metal.behaving(fail_launch=1):
        run(held)
        del held
        gc.collect()
        assert metal.counts().aborts == 1


def test_to_reset_before_a_failure_is_known_is_the_end(metal):
    held, run = tensor(metal.device(), [0.0]), kernel(ADD_ONE)
    with metal.behaving(fail_launch=1):
        run(held)
        metal.reset()
        assert metal.counts().aborts == 1
        run(held)
        metal.device().sync()


def staged(metal: SoftwareMetal, *steps: tuple[int, ...], end: Callable[[Any], object]) -> list[tuple[int, int]]:
    """Return the staging buffers and their bytes after each step, in a thread that had none.

    A step uploads arrays of these sizes, and passes the last of them to `end`.
    """

    def after(sizes: tuple[int, ...]) -> tuple[int, int]:
        held = [uploaded(metal.device(), size) for size in sizes]
        end(held[-1])
        counts = metal.counts()
        return counts.staging_buffers, counts.staging_bytes

    with ThreadPoolExecutor(1) as thread:
        return list(thread.map(after, steps))


def test_staging_buffers_are_reused_after_a_wait_and_only_grow(metal):
    steps = [(100, 100, 100), (1, 2), (101,), (1,), (1,) * 200, (1,) * 200]
    expected = [(3, 300), (3, 300), (3, 301), (3, 301), (64, 362), (64, 362)]
    assert staged(metal, *steps, end=lambda _: metal.device().sync()) == expected


def test_staging_buffers_are_not_reused_after_a_copy_to_the_host(metal):
    assert staged(metal, (10,), (10,), (10,), end=read) == [(1, 10), (2, 20), (3, 30)]


def test_copies_of_bytes_wait_for_the_device(metal):
    """TVM waits after each, so that those from and to NumPy need a single staging buffer."""
    metal.count_anew()
    held = tensor(metal.device(), [0.0])
    assert metal.counts().syncs == 1
    kernel(ADD_ONE)(held)
    held.numpy()
    assert metal.counts().syncs == 2
