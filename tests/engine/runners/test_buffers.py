import threading

import numpy as np
import pytest
import tvm_ffi

from engine.runners import buffers as module
from engine.runners.buffers import BUFFERS_FUNCTION, Buffers, provide_buffers


def memory(size_bytes):
    """A buffer in the memory of this process."""
    return tvm_ffi.from_dlpack(np.zeros(size_bytes, np.uint8))


@pytest.fixture
def given():
    """Buffers of these sizes, as a stage gets them."""
    provide_buffers(tvm_ffi, memory)
    function = tvm_ffi.get_global_func(BUFFERS_FUNCTION)
    return lambda *sizes: [(buffer.shape[0], buffer.data_ptr()) for buffer in function(tvm_ffi.Shape(sizes))]


def addresses(buffers):
    return [address for _, address in buffers]


def test_each_array_gets_a_buffer_that_is_large_enough(given):
    with Buffers(memory).lent():
        buffers = given(100, 3000, 20, 3000)
    assert [size for size, _ in buffers] == [100, 3000, 20, 3000]
    assert len(set(addresses(buffers))) == 4


def test_the_next_stage_gets_the_same_buffers_whatever_their_order(given):
    buffers = Buffers(memory)
    with buffers.lent():
        large, small = addresses(given(2000, 100))
    with buffers.lent():
        assert addresses(given(50, 1999)) == [small, large]
    assert buffers.size_bytes == 2100


def test_a_longer_utterance_gets_larger_ones_in_place_of_the_smaller(given):
    buffers = Buffers(memory)
    with buffers.lent():
        given(2000, 100)
    with buffers.lent():
        assert [size for size, _ in given(150, 2500)] == [150, 2500]
    assert buffers.size_bytes == 2650


def test_no_more_is_kept_than_the_budget_and_the_largest_go_first(given, monkeypatch):
    monkeypatch.setattr(module, "KEPT_BYTES", 1000)
    buffers = Buffers(memory)
    with buffers.lent():
        _, middle, small = addresses(given(2000, 600, 400))
        assert buffers.size_bytes == 3000
    assert buffers.size_bytes == 1000
    with buffers.lent():
        assert addresses(given(400, 600)) == [small, middle]


def test_what_is_not_of_this_stage_is_lent_to_no_other_thread(given):
    buffers, other = Buffers(memory), []
    with buffers.lent():
        mine = addresses(given(1000))
        thread = threading.Thread(target=lambda: other.extend(addresses(given(1000))))
        thread.start()
        thread.join()
    assert buffers.size_bytes == 1000
    assert other != mine


def test_where_nothing_is_lent_buffers_go_with_their_arrays():
    made = []

    def counted(size_bytes):
        made.append(size_bytes)
        return memory(size_bytes)

    provide_buffers(tvm_ffi, counted)
    function = tvm_ffi.get_global_func(BUFFERS_FUNCTION)
    for _ in range(2):
        function(tvm_ffi.Shape((10, 20)))
    assert made == [20, 10, 20, 10]
