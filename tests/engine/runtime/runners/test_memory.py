import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import tvm_ffi

from engine.runtime.runners import buffers as buffer_module
from engine.runtime.runners.buffers import BUFFERS_FUNCTION, Buffers, provide_buffers
from engine.runtime.runners.workspace import KEPT_BYTES, WORKSPACE_FUNCTION, Workspace, provide_workspace

MEBIBYTE = 1 << 20


@pytest.fixture
def given():
    """An array of this many bytes, as a stage receives it."""
    provide_workspace(tvm_ffi)
    function = tvm_ffi.get_global_func(WORKSPACE_FUNCTION)
    return lambda size_bytes: np.from_dlpack(function(tvm_ffi.Shape((size_bytes,))))


def address(array):
    return array.ctypes.data


def test_the_next_stage_gets_the_same_memory(given):
    workspace = Workspace()
    with workspace.lent():
        first, second = given(1000), given(2000)
        first[:], second[:] = 1, 2
        assert (first == 1).all()
        assert (second == 2).all()
        places = [address(first), address(second)]
    with workspace.lent():
        assert [address(given(500)), address(given(2000))] == places


def test_a_longer_utterance_gets_more(given):
    workspace = Workspace()
    with workspace.lent():
        given(1000)
    with workspace.lent():
        array = given(MEBIBYTE)
        array[:] = 7
        assert array.shape == (MEBIBYTE,)


def test_threads_do_not_share_lent_memory(given):
    workspace, other = Workspace(), []
    with workspace.lent():
        mine = given(1000)
        thread = threading.Thread(target=lambda: other.append(given(1000)))
        thread.start()
        thread.join()
        assert address(other[0]) != address(mine)


def test_without_a_workspace_memory_goes_with_its_array(given):
    first, second = given(1000), given(1000)
    assert address(first) != address(second)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere pages go when others need them")
def test_pages_beyond_the_limit_are_returned_to_the_system(given):
    workspace = Workspace()
    before = resident_bytes()
    with workspace.lent():
        given(KEPT_BYTES + 64 * MEBIBYTE)[:] = 1
        assert resident_bytes() - before > KEPT_BYTES + 60 * MEBIBYTE
    assert resident_bytes() - before < KEPT_BYTES + 4 * MEBIBYTE
    del workspace
    assert resident_bytes() - before < 4 * MEBIBYTE


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def memory_of(size_bytes):
    """Return a buffer in the memory of this process."""
    return tvm_ffi.from_dlpack(np.zeros(size_bytes, np.uint8))


@pytest.fixture
def buffers_of():
    """Buffers of these sizes, as a stage receives them."""
    provide_buffers(tvm_ffi, memory_of)
    function = tvm_ffi.get_global_func(BUFFERS_FUNCTION)
    return lambda *sizes: [(buffer.shape[0], buffer.data_ptr()) for buffer in function(tvm_ffi.Shape(sizes))]


def addresses(buffers):
    return [address for _, address in buffers]


def test_each_array_gets_a_buffer_that_is_large_enough(buffers_of):
    with Buffers(memory_of).lent():
        buffers = buffers_of(100, 3000, 20, 3000)
    assert [size for size, _ in buffers] == [100, 3000, 20, 3000]
    assert len(set(addresses(buffers))) == 4


def test_the_next_stage_gets_the_same_buffers_in_any_order(buffers_of):
    buffers = Buffers(memory_of)
    with buffers.lent():
        large, small = addresses(buffers_of(2000, 100))
    with buffers.lent():
        assert addresses(buffers_of(50, 1999)) == [small, large]
    assert buffers.size_bytes == 2100


def test_a_longer_utterance_gets_larger_buffers_instead_of_the_smaller_ones(buffers_of):
    buffers = Buffers(memory_of)
    with buffers.lent():
        buffers_of(2000, 100)
    with buffers.lent():
        assert [size for size, _ in buffers_of(150, 2500)] == [150, 2500]
    assert buffers.size_bytes == 2650


def test_retained_buffers_stay_within_the_budget_and_the_largest_go_first(buffers_of, monkeypatch):
    monkeypatch.setattr(buffer_module, "KEPT_BYTES", 1000)
    buffers = Buffers(memory_of)
    with buffers.lent():
        _, middle, small = addresses(buffers_of(2000, 600, 400))
        assert buffers.size_bytes == 3000
    assert buffers.size_bytes == 1000
    with buffers.lent():
        assert addresses(buffers_of(400, 600)) == [small, middle]


def test_buffers_lent_to_a_stage_are_not_shared_with_other_threads(buffers_of):
    buffers, other = Buffers(memory_of), []
    with buffers.lent():
        mine = addresses(buffers_of(1000))
        thread = threading.Thread(target=lambda: other.extend(addresses(buffers_of(1000))))
        thread.start()
        thread.join()
    assert buffers.size_bytes == 1000
    assert other != mine


def test_buffers_without_a_lender_are_freed_with_their_arrays():
    made = []

    def counted(size_bytes):
        made.append(size_bytes)
        return memory_of(size_bytes)

    provide_buffers(tvm_ffi, counted)
    function = tvm_ffi.get_global_func(BUFFERS_FUNCTION)
    for _ in range(2):
        function(tvm_ffi.Shape((10, 20)))
    assert made == [20, 10, 20, 10]
