"""Memory of the software device: handles that are no addresses, copies that fit, nothing used after it was freed."""

from __future__ import annotations

import ctypes
import gc
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.software_metal.kernels import kernel, tensor
from tests.software_metal.metal_module import handle


class Described(ctypes.Structure):
    """DLPack's managed tensor, to claim more than there is behind a handle."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("dimensions", ctypes.c_int32),
        ("type", ctypes.c_uint8 * 4),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]

    def __dlpack__(self, **_):
        new_capsule = ctypes.pythonapi.PyCapsule_New
        new_capsule.restype, new_capsule.argtypes = (
            ctypes.py_object,
            (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
        )
        return new_capsule(ctypes.addressof(self), b"dltensor", None)

    def __dlpack_device__(self):
        return tuple(self.device)


METAL = 8  # as DLPack numbers devices
BYTES = (1, 8, 1, 0)  # as DLPack writes uint8
READS_A_HANDLE = """
import ctypes, numpy, tvm
from tests.software_metal.loader import install
device = install().device()
tensor = tvm.runtime.tensor(numpy.ones(4, "float32"), device)
print("a tensor is there", flush=True)
ctypes.string_at(tensor.data_ptr(), 1)
"""


def test_the_device_is_there(software_metal) -> None:
    device = software_metal.device()
    assert device.exist
    assert device.max_threads_per_block == 1024
    assert device.warp_size == 32
    assert device.max_shared_memory_per_block == 32768


@settings(max_examples=20)
@given(st.integers(0, 5000))
def test_copies_keep_every_byte(software_metal, count: int) -> None:
    values = np.random.default_rng(count).integers(0, 256, count).astype("uint8")
    held = tensor(software_metal.device(), values)
    again = tensor(software_metal.device(), np.zeros_like(values))
    again.copyfrom(held)
    np.testing.assert_array_equal(again.numpy(), values)


@pytest.mark.parametrize(("offset", "count"), [(0, 129), (64, 65), (192, 1)])
def test_copies_that_leave_a_buffer_are_caught(software_metal, offset: int, count: int) -> None:
    import tvm

    held = tensor(software_metal.device(), np.zeros(128, "uint8"))
    shape = (ctypes.c_int64 * 1)(count)
    claim = Described(held.data_ptr(), (METAL, 0), 1, BYTES, shape, None, offset, None, None)
    claimed = tvm.runtime.from_dlpack(claim)
    with pytest.raises(RuntimeError, match=f"a copy of {count} bytes at {offset} leaves a Metal buffer of 128 bytes"):
        claimed.numpy()


def test_new_memory_holds_no_numbers(software_metal) -> None:
    import tvm

    fresh = tvm.runtime.empty((100,), "float32", device=software_metal.device())
    assert np.isnan(fresh.numpy()).all()


def test_reading_a_handle_on_the_host_ends_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", READS_A_HANDLE], capture_output=True, text=True, check=False)
    assert "a tensor is there" in done.stdout, done.stderr
    assert done.returncode == -signal.SIGSEGV


def test_use_after_free_is_caught(software_metal) -> None:
    held = tensor(software_metal.device(), [1.0])
    stale = handle(held)
    del held
    gc.collect()
    tensor(software_metal.device(), [2.0])  # a new buffer takes no old handle
    with pytest.raises(RuntimeError, match="used after it was freed"):
        kernel("b0[0] = 1;")(stale)


def test_what_is_no_handle_is_refused(software_metal) -> None:
    held = tensor(software_metal.device(), [1.0])
    for wrong in (ctypes.c_void_p(held.data_ptr() + 4), ctypes.c_void_p(12345)):
        with pytest.raises(RuntimeError, match="no handle of a Metal buffer"):
            kernel("b0[0] = 1;")(wrong)


def test_freed_memory_is_counted(software_metal) -> None:
    gc.collect()
    before = software_metal.live_buffers()
    held = [tensor(software_metal.device(), [1.0]) for _ in range(3)]
    assert software_metal.live_buffers() == before + 3
    del held
    gc.collect()
    assert software_metal.live_buffers() == before
