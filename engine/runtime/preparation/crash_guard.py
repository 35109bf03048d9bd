"""Marks things as in use, so that other processes can tell, and a later one can detect a crash during their use.

A mark is a file in the cache folder, named after the process that created it. If its process has ended without clearing
it, the process crashed while the thing was in use.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from engine.system.atomic_write import is_running
from engine.system.paths import cache_folder

log = logging.getLogger(__name__)

_numbers = count()


@contextmanager
def crash_guarded(thing: str) -> Iterator[None]:
    """Mark something as in use while the block runs; without write permission, nothing is marked."""
    path = cache_folder() / f"{_prefix(thing)}{os.getpid()}-{next(_numbers)}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError as error:
        log.debug("Couldn’t record that %s is in use (%s).", thing, error.strerror)
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def crashed_last_time(thing: str) -> bool:
    """Return whether a process crashed while using the thing; its marks are cleared, so this is reported only once."""
    left = [path for path in _marks(thing) if not is_running(_process_of(path, thing))]
    for path in left:
        with suppress(OSError):
            path.unlink()
    return bool(left)


def is_in_use(thing: str) -> bool:
    """Return whether this process or any other running one uses the thing."""
    return any(is_running(_process_of(path, thing)) for path in _marks(thing))


def _marks(thing: str) -> Iterator[Path]:
    return cache_folder().glob(f"{_prefix(thing)}*")


def _prefix(thing: str) -> str:
    return f"{thing}-in-use-"


def _process_of(path: Path, thing: str) -> int:
    number = path.name.removeprefix(_prefix(thing)).partition("-")[0]
    return int(number) if number.isdecimal() else 0
