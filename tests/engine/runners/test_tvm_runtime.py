import os
import subprocess
import sys
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from engine.errors import EngineError
from engine.runners import tvm_runtime
from engine.runners.tvm_runtime import Runtime
from engine.system.aligned_arrays import aligned_copy, aligned_empty
from tests.metal_device import metal_device

PROJECT = Path(__file__).resolve().parents[3]
WITHOUT_METAL = """
import sys
from engine.errors import EngineError
from engine.runners.tvm_runtime import Runtime, require_metal
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
from engine.runners.tvm_runtime import Runtime
cores = set(usable_cores())
Runtime("cpu", threads=1).prepare_thread()
import tvm_ffi
assert tvm_ffi.get_global_func("runtime.NumThreads")() == 1
assert os.sched_getaffinity(0) == cores, os.sched_getaffinity(0)
"""

ARRAYS = [
    np.arange(6, dtype=np.int32).reshape(2, 3),
    np.float32([[1.5, np.nan, np.inf]]),
    np.ones((4, 3), np.float32).T,
    np.float16([0.5, 2]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
@pytest.mark.parametrize("device", ["cpu", "metal"])
def test_tensors_hold_a_copy_of_what_compiled_code_cannot_read_in_place(device: str, array: np.ndarray) -> None:
    metal_device()
    runtime = Runtime(device)
    order: Literal["C", "F"] = "C" if array.flags.c_contiguous else "F"
    given = aligned_empty((array.size + 1,), array.dtype)[1:].reshape(array.shape, order=order)
    given[...] = array
    tensor = runtime.tensor(given)
    given[...] = 0
    runtime.settle()
    np.testing.assert_array_equal(runtime.array(tensor), array)


def test_the_processor_reads_in_place_what_it_can() -> None:
    runtime = Runtime("cpu")
    given = aligned_copy(ARRAYS[0])
    assert np.shares_memory(runtime.array(runtime.tensor(given)), given)
    given.flags.writeable = False
    assert not np.shares_memory(runtime.array(runtime.tensor(given)), given)


@pytest.mark.parametrize(("quarantined", "advice"), [(True, "xattr -dr com.apple.quarantine"), (False, "doctor")])
def test_a_library_that_the_system_refuses_to_load_is_one_sentence(
    quarantined: bool, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tvm_runtime, "is_quarantined", lambda path: quarantined)
    path = tmp_path / "decoder.so"
    path.write_bytes(b"no library")
    with pytest.raises(EngineError) as raised:
        Runtime("cpu").load(path)
    assert advice in raised.value.hint
    assert len(str(raised.value).splitlines()) == 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not bind threads to processors")
def test_a_single_thread_may_run_on_any_core() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "TVM_BIND_THREADS"}
    subprocess.run([sys.executable, "-c", ONE_THREAD], cwd=PROJECT, env=environment, check=True)


@pytest.mark.skipif(sys.platform == "darwin", reason="this computer has Metal")
def test_a_computer_without_metal_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_METAL], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("This computer has no Metal device.")


def test_metal_without_a_device_of_it_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    metal_device()
    tvm_runtime.require_metal()
    monkeypatch.setattr(tvm_runtime, "_METAL", (8, 7))
    with pytest.raises(tvm_runtime.EngineError, match="no Metal device"):
        tvm_runtime.require_metal()
