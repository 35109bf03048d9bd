import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from engine.errors import EngineError
from engine.runtime.runners import tvm_runtime
from engine.runtime.runners import tvm_runtime as module
from engine.runtime.runners.tvm_runtime import ReadbackCache, Runtime
from engine.system.aligned_arrays import aligned_copy, aligned_empty
from tests.metal_device import metal_device

PROJECT = Path(__file__).resolve().parents[3]
WITHOUT_METAL = """
import sys
from engine.errors import EngineError
from engine.runtime.runners.tvm_runtime import Runtime, require_metal
Runtime("cpu")
try:
    require_metal()
except EngineError as error:
    print(error)
assert not {"torch", "tvm"} & set(sys.modules)
"""
ONE_THREAD = """
import os
os.sched_setaffinity(0, range(os.cpu_count()))
from engine.system.cores import usable_cores
from engine.runtime.runners.tvm_runtime import Runtime
cores = set(usable_cores())
Runtime("cpu", threads=1).prepare_thread()
import tvm_ffi
assert tvm_ffi.get_global_func("runtime.NumThreads")() == 1
assert os.sched_getaffinity(0) == cores, os.sched_getaffinity(0)
"""
IDLE_THREADS = """
import time
from engine.runtime.runners.tvm_runtime import Runtime
Runtime("cpu", threads=4).prepare_thread()
time.sleep(0.01)
before = time.process_time()
time.sleep(1)
print(time.process_time() - before)
"""
MAX_IDLE_SECONDS = 0.03

ARRAYS = [
    np.arange(6, dtype=np.int32).reshape(2, 3),
    np.float32([[1.5, np.nan, np.inf]]),
    np.ones((4, 3), np.float32).T,
    np.float16([0.5, 2]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
@pytest.mark.parametrize("device", ["cpu", "metal"])
def test_tensors_copy_arrays_that_compiled_code_cannot_read_in_place(device, array):
    metal_device()
    runtime = Runtime(device)
    order: Literal["C", "F"] = "C" if array.flags.c_contiguous else "F"
    given = aligned_empty((array.size + 1,), array.dtype)[1:].reshape(array.shape, order=order)
    given[...] = array
    tensor = runtime.tensor(given)
    given[...] = 0
    runtime.synchronize()
    np.testing.assert_array_equal(runtime.array(tensor), array)


def test_the_cpu_reads_aligned_writable_arrays_in_place():
    runtime = Runtime("cpu")
    given = aligned_copy(ARRAYS[0])
    assert np.shares_memory(runtime.array(runtime.tensor(given)), given)
    given.flags.writeable = False
    assert not np.shares_memory(runtime.array(runtime.tensor(given)), given)


@pytest.mark.parametrize(("quarantined", "advice"), [(True, "xattr -dr com.apple.quarantine"), (False, "doctor")])
def test_a_library_that_the_system_refuses_to_load_is_one_sentence(quarantined, advice, tmp_path, monkeypatch):
    monkeypatch.setattr(tvm_runtime, "is_quarantined", lambda path: quarantined)
    path = tmp_path / "decoder.so"
    path.write_bytes(b"no library")
    with pytest.raises(EngineError) as raised:
        Runtime("cpu").load(path)
    assert advice in raised.value.hint
    assert len(str(raised.value).splitlines()) == 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not bind threads to processors")
def test_a_single_thread_may_run_on_any_core():
    environment = {name: value for name, value in os.environ.items() if name != "TVM_BIND_THREADS"}
    subprocess.run([sys.executable, "-c", ONE_THREAD], cwd=PROJECT, env=environment, check=True)


def test_idle_threads_soon_sleep():
    """Otherwise they use CPU time between utterances, and a program ends late beside others."""
    command = [sys.executable, "-c", IDLE_THREADS]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    assert float(done.stdout) < MAX_IDLE_SECONDS


@pytest.mark.skipif(sys.platform == "darwin", reason="this computer has Metal")
def test_a_computer_without_metal_says_so():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_METAL], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert "no Metal device" in done.stdout


def test_metal_without_a_device_of_it_is_none(monkeypatch):
    metal_device()
    tvm_runtime.require_metal()
    monkeypatch.setattr(tvm_runtime, "_METAL", (8, 7))
    with pytest.raises(tvm_runtime.EngineError, match="no Metal device"):
        tvm_runtime.require_metal()


class Tensor:
    """Stands in for a tensor of the device."""


def remembered(readings: ReadbackCache, size: int = 4) -> tuple[np.ndarray, Tensor]:
    array, tensor = np.zeros(size, np.uint8), Tensor()
    readings.remember(array, tensor)
    return array, tensor


def test_an_array_is_known_by_its_identity():
    readings = ReadbackCache()
    (array, tensor), (other, _) = remembered(readings), remembered(readings)
    assert readings.tensor(array) is tensor
    assert readings.tensor(other) is not tensor
    assert readings.tensor(array.copy()) is None
    assert readings.tensor(array[:]) is None


def test_an_array_that_can_be_written_to_is_not_known():
    readings = ReadbackCache()
    array, _ = remembered(readings)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    array.flags.writeable = True
    assert readings.tensor(array) is None


def test_a_new_array_is_not_mistaken_for_a_freed_one():
    readings = ReadbackCache()
    for _ in range(100):
        array, _ = remembered(readings)
        del array
        fresh = np.zeros(4, np.uint8)
        fresh.flags.writeable = False
        assert readings.tensor(fresh) is None


def test_a_tensor_goes_after_its_array(monkeypatch):
    readings, gone = ReadbackCache(), []
    monkeypatch.setattr(Tensor, "__del__", lambda self: gone.append(self), raising=False)
    array, _ = remembered(readings)
    readings.forget_old()
    gc.collect()
    assert gone == []
    del array, _
    readings.forget_old()
    gc.collect()
    assert len(gone) == 1


def test_the_oldest_go_first_where_there_are_too_many_bytes(monkeypatch):
    monkeypatch.setattr(module, "KEPT_BYTES", 10)
    readings = ReadbackCache()
    arrays = [remembered(readings, size)[0] for size in (4, 4, 4)]
    readings.forget_old()
    assert [readings.tensor(array) is not None for array in arrays] == [False, True, True]
