"""Functions for a child process to run."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engine.errors import DamagedFile
from engine.system.remote import call


class Kind(StrEnum):
    """The kind of a thing."""

    BOOK = "book"


@dataclass(frozen=True)
class Thing:
    """A value that contains values of many types."""

    kind: Kind
    path: Path
    sizes: tuple[int, ...]
    more: Mapping[str, Thing]
    content: bytes | None = None


@dataclass(frozen=True)
class Began:
    """It has begun."""

    name: str


@dataclass(frozen=True)
class Done:
    """It is done."""

    name: str


def given_back(thing: Thing, tell: Callable[[Kind, int], None], times: int) -> list[Thing]:
    """Return the thing `times` times, reporting each."""
    for number in range(times):
        tell(thing.kind, number)
    return [thing] * times


def environment(name: str) -> tuple[str | None, str, int]:
    """Return a variable, the folder, and the niceness."""
    return os.environ.get(name), str(Path.cwd()), os.nice(0)


def noisy() -> int:
    """Let Python and other libraries print."""
    print('{"result": 1}')  # noqa: T201
    ctypes.CDLL(None).puts(b'{"result": 2}')
    ctypes.CDLL(None).fflush(None)
    return 3


class OwnError(DamagedFile):
    """An error that no other module knows."""


def fails() -> None:
    """Raise an error of a separate class."""
    raise OwnError(Path("a"), "It is damaged.", "Replace it.")


def ends(way: str) -> None:
    """End in one of many ways."""
    if way == "crash":
        raise SystemError("out of order")
    if way == "abort":
        os.abort()
    if way == "leave":
        os._exit(3)
    if way == "hang":
        time.sleep(600)


def hangs_with_a_child(tell: Callable[[int], None]) -> None:
    """Hang, after reporting the process ID of a child that also hangs."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as child:
        tell(child.pid)


def ends_badly_afterwards() -> str:
    """Return a result, and crash when the process ends."""
    threading.Thread(target=lambda: (threading.main_thread().join(), os.kill(os.getpid(), signal.SIGSEGV))).start()
    return "a result"


def wrong() -> int:
    """Return a string instead of a number."""
    return "a word"  # type: ignore[return-value]


def answers(requests: Iterator[Thing], tell: Callable[[Began | Done], None], name: str) -> str:
    """Report every request, until they end."""
    tell(Began(name))
    for request in requests:
        tell(Done(str(request.path)))
    return "the end"


def calls_another(file: str) -> None:
    """Let a new process hang with a child, whose process ID it writes to a file."""
    call(hangs_with_a_child, lambda number: Path(file).write_text(f"{number}"))
