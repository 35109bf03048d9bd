"""Tests of the device's memory: handles that are no addresses, copies that fit, no use after free."""

import ctypes
import gc
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compiler.metal_passes import MAX_LAUNCHES
from engine.network.random_weights import random_weights
from engine.runtime.runners import buffers
from engine.stages import DEVICE_STAGES, Stage
from tests.engine.compiler.metal_machine import arrays_for
from tests.engine.tiny_model import TINY
from tests.software_metal.kernels import kernel, tensor
from tests.software_metal.loader import Counts, SoftwareMetal
from tests.software_metal.metal_module import handle
from tests.software_metal.speaking import TinySpeaker


class Described(ctypes.Structure):
    """DLPack's managed tensor, to claim more memory than a handle has."""

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


def test_the_device_is_there(software_metal):
    device = software_metal.device()
    assert device.exist
    assert device.max_threads_per_block == 1024
    assert device.warp_size == 32
    assert device.max_shared_memory_per_block == 32768


@settings(max_examples=20)
@given(st.integers(0, 5000))
def test_copies_keep_every_byte(software_metal, count):
    values = np.random.default_rng(count).integers(0, 256, count).astype("uint8")
    held = tensor(software_metal.device(), values)
    again = tensor(software_metal.device(), np.zeros_like(values))
    again.copyfrom(held)
    np.testing.assert_array_equal(again.numpy(), values)


@pytest.mark.parametrize(("offset", "count"), [(0, 129), (64, 65), (192, 1)])
def test_copies_that_leave_a_buffer_are_caught(software_metal, offset, count):
    import tvm

    held = tensor(software_metal.device(), np.zeros(128, "uint8"))
    shape = (ctypes.c_int64 * 1)(count)
    claim = Described(held.data_ptr(), (METAL, 0), 1, BYTES, shape, None, offset, None, None)
    claimed = tvm.runtime.from_dlpack(claim)
    with pytest.raises(RuntimeError, match=f"a copy of {count} bytes at {offset} leaves a Metal buffer of 128 bytes"):
        claimed.numpy()


def test_new_memory_holds_no_numbers(software_metal):
    import tvm

    fresh = tvm.runtime.empty((100,), "float32", device=software_metal.device())
    assert np.isnan(fresh.numpy()).all()


def test_reading_a_handle_on_the_host_ends_the_process():
    done = subprocess.run([sys.executable, "-c", READS_A_HANDLE], capture_output=True, text=True, check=False)
    assert "a tensor is there" in done.stdout, done.stderr
    assert done.returncode == -signal.SIGSEGV


def test_use_after_free_is_caught(software_metal):
    held = tensor(software_metal.device(), [1.0])
    stale = handle(held)
    del held
    gc.collect()
    tensor(software_metal.device(), [2.0])  # a new buffer takes no old handle
    with pytest.raises(RuntimeError, match="used after it was freed"):
        kernel("b0[0] = 1;")(stale)


def test_an_invalid_handle_is_refused(software_metal):
    held = tensor(software_metal.device(), [1.0])
    for wrong in (ctypes.c_void_p(held.data_ptr() + 4), ctypes.c_void_p(12345)):
        with pytest.raises(RuntimeError, match="no handle of a Metal buffer"):
            kernel("b0[0] = 1;")(wrong)


def test_freed_memory_is_counted(software_metal):
    gc.collect()
    before = software_metal.live_buffers()
    held = [tensor(software_metal.device(), [1.0]) for _ in range(3)]
    assert software_metal.live_buffers() == before + 3
    del held
    gc.collect()
    assert software_metal.live_buffers() == before


LENGTHS = [(symbols, speed) for symbols in (1, 4, 2) for speed in (1.0, 2.0)]
QUICK_STAGES = [stage for stage in DEVICE_STAGES if stage.name not in ("f0n", "decoder")]
MAX_INPUTS = max(len(stage.inputs) for stage in DEVICE_STAGES)
READ_LATER = {tensor.name for stage in DEVICE_STAGES for tensor in stage.outputs}


@pytest.fixture
def speaker(software_metal: SoftwareMetal, tiny_modules: Path) -> Iterator[TinySpeaker]:
    with software_metal.fast():
        speaker = TinySpeaker(tiny_modules, random_weights(TINY, 0))
        software_metal.count_anew()
        yield speaker
        speaker.close()


def counted(metal: SoftwareMetal, speaker: TinySpeaker, symbols: int = 4) -> Counts:
    metal.count_anew()
    speaker.speak(symbols)
    return metal.counts()


def test_staging_buffers_stay_few_and_flat_over_a_hundred_utterances(software_metal, speaker):
    def speak(tokens: int, frames: int, stages: Sequence[Stage] = DEVICE_STAGES) -> Counts:
        for stage in stages:  # each copies all its inputs, even those from other stages
            speaker.compiled.run_stage(stage, arrays_for(stage, TINY, {"tokens": (tokens,), "frames": (frames,)}))
        return software_metal.counts()

    with ThreadPoolExecutor(1) as thread:  # a new one has no staging buffers yet
        longest = thread.submit(speak, 6, 6).result()
        assert longest.staging_buffers == MAX_INPUTS
        for number, (tokens, frames) in enumerate(np.random.default_rng(0).integers(1, 6, (100, 2)), 1):
            stages = QUICK_STAGES if number % 10 else DEVICE_STAGES
            counts = thread.submit(speak, int(tokens), int(frames), stages).result()
            assert counts.staging_buffers == longest.staging_buffers
            assert counts.staging_bytes == longest.staging_bytes


def test_stage_outputs_are_not_copied_to_the_device_again(software_metal, speaker):
    software_metal.count_anew()
    given = [array for step in speaker.steps(4) if step.stage in DEVICE_STAGES for array in _from_the_host(step)]
    counts = software_metal.counts()
    assert (counts.uploads, counts.uploaded_bytes) == (len(given), sum(array.nbytes for array in given))


def _from_the_host(step) -> list[np.ndarray]:
    return [array for name, array in step.inputs.items() if name not in READ_LATER]


def test_each_result_is_read_once_and_its_stage_waits_once_more(software_metal, speaker):
    speaker.speak(4)
    counts = counted(software_metal, speaker)
    assert counts.readings == sum(len(stage.outputs) for stage in DEVICE_STAGES)
    between_kernels = counts.launches // MAX_LAUNCHES
    # Memory freed at the end of a stage is freed without an additional wait.
    assert len(DEVICE_STAGES) <= counts.syncs <= len(DEVICE_STAGES) + between_kernels


def test_a_changed_copy_of_a_result_is_copied_to_the_device(speaker):
    *_, last = speaker.steps(4)
    louder = {**last.inputs, "magnitude": last.inputs["magnitude"] * 2}
    audio = speaker.compiled.run_stage(last.stage, louder)["audio"]
    np.testing.assert_allclose(audio, 2 * last.outputs["audio"], rtol=1e-5, atol=1e-6)


def test_compute_memory_stays_within_its_budget(software_metal, speaker, monkeypatch):
    held = software_metal.live_bytes()
    results = sum(array.nbytes for step in speaker.steps(5) for array in step.outputs.values())
    unlimited = software_metal.live_bytes() - held
    budget = (unlimited - results) // 2
    assert budget > results / 10
    monkeypatch.setattr(buffers, "KEPT_BYTES", budget)
    for length in [*LENGTHS, (5, 1.0)]:
        speaker.speak(*length)
        assert software_metal.live_bytes() - held <= budget + results


def test_an_utterance_of_a_length_like_before_allocates_results_only(software_metal, speaker):
    speaker.speak(6)
    before = software_metal.live_buffers()
    for symbols in (5, 2, 6):
        speaker.speak(symbols)
        assert software_metal.live_buffers() == before
