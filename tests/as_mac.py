"""A pytest plugin for Linux, `-p tests.as_mac`: the program believes it is on a Mac, and is refused what a Mac refuses.

There, a thread has no priority or number, sockets have no abstract names and no long paths, file names are UTF-8,
Linux-only packages are missing, no child process has software Metal, and an Objective-C class cannot be created twice.
It cannot show: Apple's frameworks and GPU, Qt's looks and behavior there, signatures, findings of child processes, and
the behavior of a Mac's hardware and linker: modules about these still know that this is Linux.
"""

from __future__ import annotations

import ctypes
import errno
import importlib
import os
import socket
import sys
from types import SimpleNamespace
from typing import Any

from tests.metal_device import ONLY_PROCESS

_IMPORTED_ON_LINUX = """
    PySide6.QtCore PySide6.QtDBus PySide6.QtGui PySide6.QtNetwork PySide6.QtSvg PySide6.QtTest PySide6.QtWidgets asyncio
    cattrs concurrent.futures distributed filelock hypothesis jinja2 logging.handlers lxml.html markdown_it
    matplotlib.pyplot mmap multiprocessing numpy platformdirs psutil pypdfium2 pyqtgraph python_stretch resource
    safetensors shutil sounddevice soundfile sqlite3 subprocess tempfile tvm_ffi uuid webbrowser
"""
"""Modules that detect the system when they are imported."""
_FOR_LINUX = ("dbus_fast",)
_ABOUT_HARDWARE = (
    "engine.compiler.linking",
    "engine.runtime.preparation.devices",
    "engine.runtime.runners.tvm_runtime",
    "engine.runtime.runners.workspace",
    "engine.system.cores",
    "engine.system.memory",
    "engine.system.processor",
    "tests.engine.compiler.mps_bridge.stand_in",
    "tests.metal_device",
    "tvm.support.cc",
)
_MAX_SOCKET_NAME = 103
_CREATING = os.O_CREAT


class _Runtime:
    """Apple's Objective-C runtime: it answers nothing, and ends the process that creates a class twice."""

    def __init__(self) -> None:
        self.objc_getClass = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(lambda name: 1)
        self.sel_registerName = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(lambda name: 1)
        self.objc_msgSend = ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * 2)(lambda receiver, selector: None)
        self.class_addMethod = lambda *arguments: True
        self._classes: set[bytes] = set()
        self.objc_allocateClassPair = ctypes.CFUNCTYPE(
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
        )(self._allocate)

    def _allocate(self, parent: int, name: bytes, extra: int) -> int | None:
        if name in self._classes:
            return None
        self._classes.add(name)
        return len(self._classes)

    def objc_registerClassPair(self, made: ctypes.c_void_p) -> None:
        assert made.value, "a Mac ends the process that registers no class"


def _believe() -> None:
    for name in _IMPORTED_ON_LINUX.split():
        importlib.import_module(name)
    for name in _FOR_LINUX:
        sys.modules[name] = None  # type: ignore[assignment]
    on_linux = SimpleNamespace(**{name: getattr(sys, name) for name in dir(sys)})
    for name in _ABOUT_HARDWARE:
        importlib.import_module(name).sys = on_linux  # type: ignore[attr-defined]
    sys.platform = "darwin"


def _refuse_priorities_of_threads() -> None:
    def refusing(real: Any) -> Any:
        def call(which: int, who: int, *more: int) -> Any:
            if which == os.PRIO_PROCESS and who not in (0, os.getpid()) and not _is_process(who):
                raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))
            return real(which, who, *more)

        return call

    os.getpriority, os.setpriority = refusing(os.getpriority), refusing(os.setpriority)


def _is_process(number: int) -> bool:
    try:
        with open(f"/proc/{number}/status", encoding="utf-8") as status:
            return any(line.split() == ["Tgid:", str(number)] for line in status)
    except OSError:
        return False


def _refuse_names_of_sockets() -> None:
    class MacSocket(socket.socket):
        def bind(self, address: Any) -> None:
            super().bind(_canonical_name(self, address))

        def connect(self, address: Any) -> None:
            super().connect(_canonical_name(self, address))

    socket.socket = MacSocket  # type: ignore[misc]


def _canonical_name(of: socket.socket, address: Any) -> Any:
    if of.family == socket.AF_UNIX:
        name = os.fsencode(address)
        if name.startswith(b"\0"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if len(name) > _MAX_SOCKET_NAME:
            raise OSError("AF_UNIX path too long")
    return address


def _refuse_names_of_files(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _, flags = arguments
        new = [path] if flags is not None and flags & _CREATING else []
    else:
        new = {"os.mkdir": arguments[:1], "os.rename": arguments[1:2], "os.symlink": arguments[1:2]}.get(event, ())
    for path in new:
        if isinstance(path, str | bytes | os.PathLike):
            try:
                os.fsencode(path).decode()
            except UnicodeDecodeError:
                raise OSError(errno.EILSEQ, os.strerror(errno.EILSEQ), path) from None


def _stand_in_for_frameworks() -> None:
    real, runtime = ctypes.CDLL, _Runtime()

    def load(name: Any, *arguments: Any, **options: Any) -> Any:
        is_apples = str(name).startswith(("/System/Library/", "/usr/lib/libobjc"))
        return runtime if is_apples else real(name, *arguments, **options)

    ctypes.CDLL = load  # type: ignore[assignment, misc]


_believe()
_refuse_priorities_of_threads()
_refuse_names_of_sockets()
_stand_in_for_frameworks()
sys.addaudithook(_refuse_names_of_files)
os.environ[ONLY_PROCESS] = str(os.getpid())
