import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.artifacts import Variant
from engine.compiler.build import build
from engine.model.random_weights import random_weights
from engine.runners import tvm_runtime
from engine.runners.tvm_runner import CompiledRunner
from engine.runners.tvm_runtime import Runtime
from engine.stages import stage_named
from tests.software_metal.loader import SoftwareMetal

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

ARRAYS = [
    np.arange(6, dtype=np.int32).reshape(2, 3),
    np.float32([[1.5, np.nan, np.inf]]),
    np.ones((4, 3), np.float32).T,
    np.float16([0.5, 2]),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
@pytest.mark.parametrize("device", ["cpu", "metal"])
def test_tensors_hold_a_copy_of_what_they_were_given(
    software_metal: SoftwareMetal, device: str, array: np.ndarray
) -> None:
    runtime = Runtime(device)
    given = array.copy(order="K")
    tensor = runtime.tensor(given)
    given[...] = 0
    runtime.settle()
    np.testing.assert_array_equal(runtime.array(tensor), array)


def test_a_computer_without_metal_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_METAL], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("This computer has no Metal device.")


def test_metal_without_a_device_of_it_is_none(software_metal: SoftwareMetal, monkeypatch: pytest.MonkeyPatch) -> None:
    tvm_runtime.require_metal()
    monkeypatch.setattr(tvm_runtime, "_METAL", (8, 7))
    with pytest.raises(tvm_runtime.EngineError, match="no Metal device"):
        tvm_runtime.require_metal()


def test_stages_run_on_metal_and_leave_no_memory_behind(
    software_metal: SoftwareMetal, tiny_config, tmp_path: Path
) -> None:
    stages = [stage_named("source"), stage_named("istft")]
    build(tiny_config, stages, Variant("metal-host"), tmp_path, lambda _: None)
    before = software_metal.live_buffers()
    with software_metal.fast():
        runner = CompiledRunner(tmp_path, tiny_config, random_weights(tiny_config, 0))
        held = set()
        for frames in (2, 3):
            f0 = np.full((1, frames, 2), 200, np.float32)
            noise = np.zeros((1, frames, tiny_config.samples_per_frame, tiny_config.harmonic_count), np.float32)
            given = {"f0": f0, "source_noise": noise, "frame_count": np.array([frames], np.int32)}
            outputs = runner.run(stages[0], given)
            assert all(np.isfinite(array).all() for array in outputs.values())
            held.add(software_metal.live_buffers())
        runner.close()
    assert len(held) == 1
    assert software_metal.live_buffers() <= before  # closing may free what earlier tests left in TVM's pools
