"""Waiting for other processes, until cancelled: for the lines that one writes, for the lock that one holds.

It does not know what they do.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

from filelock import FileLock, Timeout

from engine.errors import Cancelled

_POLL_SECONDS = 0.05


def lines_of(stream: IO[str] | None, cancel: threading.Event | None = None) -> Iterator[str]:
    """What a child process writes into a pipe, if it has one, line by line, until it closes it; closes this end then.

    Raises `Cancelled` soon after `cancel` is set; who started the process ends it.
    """
    lines: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=_pump, args=(stream, lines), daemon=True).start()
    while True:
        _raise_if_set(cancel)
        try:
            line = lines.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        if line is None:
            return
        yield line


@contextmanager
def hold(lock: FileLock, waiting: Callable[[], None], cancel: threading.Event | None = None) -> Iterator[None]:
    """Hold a lock; `waiting` is called where another process does, before this one waits.

    Raises `Cancelled` soon after `cancel` is set, and `OSError` where the lock cannot be written.
    """
    if not _acquired(lock):
        waiting()
        while not _acquired(lock):
            _raise_if_set(cancel)
    try:
        yield
    finally:
        lock.release()


def _pump(stream: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    if stream is not None:
        with stream:  # closed by whoever reads it
            for line in stream:
                lines.put(line)
    lines.put(None)


def _acquired(lock: FileLock) -> bool:
    try:
        lock.acquire(timeout=_POLL_SECONDS)
    except Timeout:
        return False
    return True


def _raise_if_set(cancel: threading.Event | None) -> None:
    if cancel is not None and cancel.is_set():
        raise Cancelled("It was stopped.")
