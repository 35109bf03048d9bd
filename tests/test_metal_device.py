import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import metal_device as module
from tests.metal_device import RealMetal, metal_device
from tests.software_metal import loader

FAILED = pytest.fail.Exception
PROJECT = Path(__file__).resolve().parents[1]
FILE = "tests/engine/runtime/runners/test_tvm_runtime.py"


@pytest.fixture
def on_a_mac(monkeypatch):
    def choose(with_metal: bool) -> None:
        monkeypatch.setattr(module, "sys", SimpleNamespace(platform="darwin"))
        monkeypatch.setattr(RealMetal, "device", lambda _: SimpleNamespace(exist=with_metal))

    return choose


def test_a_mac_brings_its_own(on_a_mac):
    on_a_mac(with_metal=True)
    assert isinstance(metal_device(), RealMetal)


def test_a_mac_without_one_has_not_tested_the_kernels(on_a_mac):
    on_a_mac(with_metal=False)
    with pytest.raises(FAILED, match="gives no Metal device"):
        metal_device()


def test_it_can_be_left_out():
    """By the option of the workflow, in a test that needs it and one that does not."""
    asked = [
        f"{FILE}::test_metal_without_a_device_of_it_is_none",
        f"{FILE}::test_the_cpu_reads_aligned_writable_arrays_in_place",
    ]
    command = [sys.executable, "-m", "pytest", "--without-metal", "-p", "no:cacheprovider", *asked]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    assert "1 passed, 1 skipped" in done.stdout


def test_it_is_in_software_elsewhere(monkeypatch):
    monkeypatch.setattr(module, "sys", SimpleNamespace(platform="linux"))
    monkeypatch.setattr(loader, "install", lambda: "the software device")
    assert metal_device() == "the software device"
