"""Cancelable waiting, such as for a lock that a different process holds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from engine.errors import Canceled

POLL_SECONDS = 0.05


@contextmanager
def hold(lock: FileLock, waiting: Callable[[], None], cancel: threading.Event | None = None) -> Iterator[None]:
    """Hold a lock; if another process holds it, call `waiting` once and wait.

    Raises `Canceled` soon after `cancel` is set, and `OSError` if the lock cannot be written.
    """
    if not _acquired(lock):
        waiting()
        while not _acquired(lock):
            raise_if_set(cancel)
    try:
        yield
    finally:
        lock.release()


def _acquired(lock: FileLock) -> bool:
    try:
        lock.acquire(timeout=POLL_SECONDS)
    except Timeout:
        return False
    return True


def raise_if_set(cancel: threading.Event | None, message: str = "Stopped") -> None:
    """Raise `Canceled` with this message once `cancel` is set."""
    if cancel is not None and cancel.is_set():
        raise Canceled(message)
