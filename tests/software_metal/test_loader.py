"""TVM gets the device once, and kernels are as strict as was asked for when they were loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.software_metal.kernels import kernel, tensor
from tests.software_metal.loader import install
from tests.software_metal.metal_module import serialized

WITH_ANOTHER_DEVICE = """
import tvm, tvm_ffi
from tests.software_metal.loader import install
tvm_ffi.register_global_func("device_api.metal", lambda: None)
install()
"""


def test_the_device_is_installed_once(software_metal) -> None:
    assert install() is software_metal


def test_a_real_device_is_left_alone() -> None:
    done = subprocess.run([sys.executable, "-c", WITH_ANOTHER_DEVICE], capture_output=True, text=True, check=False)
    assert "RuntimeError: this TVM has a real Metal device" in done.stderr


def test_a_program_runs_with_the_device(tmp_path: Path) -> None:
    (tmp_path / "asks.py").write_text("import sys, tvm; print(sys.argv[1:], tvm.metal(0).exist)", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tests.software_metal", "asks", "--device", "metal"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.stdout.strip() == "['--device', 'metal'] True", done.stderr


def test_launches_are_counted(software_metal) -> None:
    before = software_metal.launches()
    run = kernel("b0[0] = 1;")
    for _ in range(3):
        run(tensor(software_metal.device(), [0.0]))
    assert software_metal.launches() == before + 3


def test_kernels_are_checked_again_after_fast_ones(software_metal) -> None:
    two_writers = "b0[0] = 1;"
    held = tensor(software_metal.device(), [0.0])
    with software_metal.fast():
        kernel(two_writers)(held, group=(2,))
    np.testing.assert_array_equal(held.numpy(), [1])
    with pytest.raises(RuntimeError, match="a race in device memory"):
        kernel(two_writers)(held, group=(2,))


def test_a_module_is_what_it_was_loaded_from(software_metal) -> None:
    import tvm_ffi

    written = serialized("k", "the text of k", ["handle", "int64"])
    load = tvm_ffi.get_global_func("ffi.Module.load_from_bytes.metal")
    module = load(written)
    assert module.kind == "metal"
    assert module.inspect_source() == "// Function: k\nthe text of k\n"
    for damaged, words in [(written[:-1], "ends too early"), (written + b"x", "more bytes than it should")]:
        with pytest.raises(ValueError, match=words):
            load(damaged)
    with pytest.raises(ValueError, match="not metallib"):
        load(written.replace(b"\x05\0\0\0\0\0\0\0metal", b"\x08\0\0\0\0\0\0\0metallib", 1))
