"""Features specific to macOS: calls of the Objective-C runtime, and the quarantine of downloaded files.

An Objective-C object is represented by its address; 0 is nil. macOS refuses to load libraries from quarantined files
unless a known developer has signed them; compiled modules are not signed.
"""

from __future__ import annotations

import ctypes
import shlex
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from engine.system.bundle import is_bundle

_RUNTIME = "/usr/lib/libobjc.A.dylib"
_FRAMEWORK = "/System/Library/Frameworks/AppKit.framework/AppKit"
_Address = ctypes.c_void_p

Method = Callable[[int, int, int], None]
"""A callback that receives three objects; its result is ignored, its exceptions are printed."""
_ATTRIBUTE = "com.apple.quarantine"
_TOOL = "/usr/bin/xattr"


class ObjectiveC:
    """Sends messages to objects, in a window on its thread; tests replace the runtime with `library`."""

    def __init__(self, library: Any = None) -> None:
        if library is None:
            ctypes.CDLL(_FRAMEWORK)
            library = ctypes.CDLL(_RUNTIME)
        self._library = library
        self._kept: list[Any] = []
        for name in ("objc_getClass", "sel_registerName", "objc_allocateClassPair"):
            getattr(library, name).restype = _Address

    def class_named(self, name: str) -> int:
        """Return the class of this name."""
        return int(self._library.objc_getClass(name.encode()) or 0)

    def send(self, receiver: int, message: str, *arguments: Any, result: Any = _Address) -> Any:
        """Send a message and return the answer; an argument is an object, or a ctypes value of the type to pass."""
        types = [type(one) if isinstance(one, ctypes._SimpleCData) else _Address for one in arguments]
        prototype = ctypes.CFUNCTYPE(result, _Address, _Address, *types)
        answer = ctypes.cast(self._library.objc_msgSend, prototype)(receiver, self._selector(message), *arguments)
        return answer or 0 if result is _Address else answer

    def text(self, words: str) -> int:
        """Return a string object, which the runtime frees after the current event."""
        address = self.send(self.class_named("NSString"), "stringWithUTF8String:", ctypes.c_char_p(words.encode()))
        return int(address)

    def words(self, text: int) -> str:
        """Return the content of a string object, or an empty string for nil."""
        content = self.send(text, "UTF8String", result=ctypes.c_char_p) if text else None
        return (content or b"").decode()

    def object_with(self, name: str, message: str, method: Method) -> int:
        """Return an object of a new class of this name; `method` handles its only message, which has three objects."""
        prototype = ctypes.CFUNCTYPE(None, *[_Address] * 5)
        implementation = prototype(lambda receiver, selector, *objects: method(*(each or 0 for each in objects)))
        self._kept.append(implementation)  # the runtime stores only its address
        parent, no_more = _Address(self.class_named("NSObject")), ctypes.c_size_t(0)
        # Classes are permanent: the runtime refuses a name that exists, so the new class gets a number.
        names = (f"{name}{number or ''}".encode() for number in count())
        pairs = (self._library.objc_allocateClassPair(parent, each, no_more) for each in names)
        made = _Address(next(filter(None, pairs)))
        self._library.class_addMethod(made, self._selector(message), implementation, b"v@:@@^@")
        self._library.objc_registerClassPair(made)
        return int(self.send(self.send(made.value or 0, "alloc"), "init"))

    def _selector(self, message: str) -> Any:
        return _Address(self._library.sel_registerName(message.encode()))


def is_quarantined(path: Path) -> bool:
    """Return whether a Mac's file is quarantined; always false in a bundle, whose signature covers all its files."""
    return (
        Path(_TOOL).is_file()
        and not is_bundle()
        and subprocess.run([_TOOL, "-p", _ATTRIBUTE, str(path)], capture_output=True, check=False).returncode == 0
    )


def release_command(folder: Path) -> str:
    """Return the command that removes the quarantine from everything in a folder."""
    return shlex.join(["xattr", "-dr", _ATTRIBUTE, str(folder)])
