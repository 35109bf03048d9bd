import threading

import numpy as np
import pytest
from filelock import FileLock

from engine.errors import Canceled
from engine.system.aligned_arrays import ALIGNMENT_BYTES, aligned_copy, aligned_empty, is_aligned
from engine.system.durations import format_approximate_duration
from engine.system.waiting import hold


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (2, "a few seconds"),
        (41, "about 40 seconds"),
        (55, "about 1 minute"),
        (200, "about 3 minutes"),
        (3300, "about 1 hour"),
        (9000, "about 2 hours"),
    ],
)
def test_durations_are_only_guessed(seconds, words):
    assert format_approximate_duration(seconds) == words


def test_a_free_lock_is_held_at_once_and_released(tmp_path):
    lock = FileLock(tmp_path / "lock")
    with hold(lock, lambda: pytest.fail("there is nobody to wait for")):
        assert lock.is_locked
    assert not lock.is_locked


def test_hold_waits_for_a_lock_held_elsewhere(tmp_path):
    other, waited = FileLock(tmp_path / "lock"), []
    other.acquire()

    def release() -> None:
        waited.append(True)
        other.release()

    lock = FileLock(tmp_path / "lock")
    with hold(lock, release):
        assert lock.is_locked
    assert waited == [True]


def test_waiting_for_a_lock_ends_when_canceled(tmp_path):
    other, cancel = FileLock(tmp_path / "lock"), threading.Event()
    with other, pytest.raises(Canceled), hold(FileLock(tmp_path / "lock"), cancel.set, cancel):
        pytest.fail("another holds it")


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


def test_offset_transposed_and_read_only_arrays_are_not_aligned():
    array = aligned_empty((16, 16), np.float32)
    assert is_aligned(array)
    assert is_aligned(array[1])
    assert not is_aligned(array[0, 1:])
    assert not is_aligned(array.T)
    array.flags.writeable = False
    assert not is_aligned(array)
