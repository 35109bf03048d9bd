import threading
from pathlib import Path

import pytest
from filelock import FileLock

from engine.errors import Cancelled
from engine.system.waiting import hold


def test_a_free_lock_is_held_at_once_and_released(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    with hold(lock, lambda: pytest.fail("there is nobody to wait for")):
        assert lock.is_locked
    assert not lock.is_locked


def test_a_lock_of_another_is_waited_for(tmp_path: Path) -> None:
    other, waited = FileLock(tmp_path / "lock"), []
    other.acquire()

    def release() -> None:
        waited.append(True)
        other.release()

    lock = FileLock(tmp_path / "lock")
    with hold(lock, release):
        assert lock.is_locked
    assert waited == [True]


def test_waiting_for_a_lock_ends_when_cancelled(tmp_path: Path) -> None:
    other, cancel = FileLock(tmp_path / "lock"), threading.Event()
    with other, pytest.raises(Cancelled), hold(FileLock(tmp_path / "lock"), cancel.set, cancel):
        pytest.fail("another holds it")
