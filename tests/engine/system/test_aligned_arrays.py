import numpy as np
import pytest

from engine.system.aligned_arrays import ALIGNMENT_BYTES, aligned_copy, aligned_empty, is_aligned


@pytest.mark.parametrize("shape", [(), (3,), (7, 1000)])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8])
def test_arrays_are_at_addresses_of_whole_vectors(shape, dtype):
    for array in [aligned_empty(shape, dtype) for _ in range(5)]:
        assert (array.shape, array.dtype) == (shape, dtype)
        assert array.ctypes.data % ALIGNMENT_BYTES == 0
        assert is_aligned(array)


def test_a_copy_holds_the_same_in_c_order_and_shares_nothing():
    array = np.arange(6, dtype=np.int32).reshape(2, 3).T
    copy = aligned_copy(array)
    np.testing.assert_array_equal(copy, array)
    assert is_aligned(copy)
    assert not np.shares_memory(copy, array)


def test_other_addresses_orders_and_arrays_that_may_not_be_written_to_are_not_aligned():
    array = aligned_empty((16, 16), np.float32)
    assert is_aligned(array)
    assert is_aligned(array[1])
    assert not is_aligned(array[0, 1:])
    assert not is_aligned(array.T)
    array.flags.writeable = False
    assert not is_aligned(array)
