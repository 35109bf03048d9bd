"""What macOS alone has: calls of Apple's Objective-C runtime, and the quarantine of what a browser has fetched.

An object of Objective-C is its address here, 0 is none. Of quarantined files macOS refuses to load libraries that no
known developer has signed, such as the compiled modules.
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
"""Takes three objects; what it returns is dropped, what it raises is printed."""
_ATTRIBUTE = "com.apple.quarantine"
_TOOL = "/usr/bin/xattr"


class ObjectiveC:
    """Sends messages to objects, in a window on its thread; `library` stands in for the runtime in tests."""

    def __init__(self, library: Any = None) -> None:
        if library is None:
            ctypes.CDLL(_FRAMEWORK)
            library = ctypes.CDLL(_RUNTIME)
        self._library = library
        self._kept: list[Any] = []
        for name in ("objc_getClass", "sel_registerName", "objc_allocateClassPair"):
            getattr(library, name).restype = _Address

    def class_named(self, name: str) -> int:
        """The class of this name."""
        return int(self._library.objc_getClass(name.encode()) or 0)

    def send(self, receiver: int, message: str, *arguments: Any, result: Any = _Address) -> Any:
        """What the receiver answers; an argument is an object, or a ctypes value of the type that it is sent as."""
        types = [type(one) if isinstance(one, ctypes._SimpleCData) else _Address for one in arguments]
        prototype = ctypes.CFUNCTYPE(result, _Address, _Address, *types)
        answer = ctypes.cast(self._library.objc_msgSend, prototype)(receiver, self._selector(message), *arguments)
        return answer or 0 if result is _Address else answer

    def text(self, words: str) -> int:
        """A string object; the runtime frees it after the current event."""
        address = self.send(self.class_named("NSString"), "stringWithUTF8String:", ctypes.c_char_p(words.encode()))
        return int(address)

    def words(self, text: int) -> str:
        """What a string object says; nothing, if there is none."""
        content = self.send(text, "UTF8String", result=ctypes.c_char_p) if text else None
        return (content or b"").decode()

    def object_with(self, name: str, message: str, method: Method) -> int:
        """An object of a new class of this name, which answers one message with three objects by calling a function."""
        prototype = ctypes.CFUNCTYPE(None, *[_Address] * 5)
        implementation = prototype(lambda receiver, selector, *objects: method(*(each or 0 for each in objects)))
        self._kept.append(implementation)  # the runtime has its address only
        parent, no_more = _Address(self.class_named("NSObject")), ctypes.c_size_t(0)
        # Classes are for good: if there is one of this name, the runtime makes none, and the new one gets a number.
        names = (f"{name}{number or ''}".encode() for number in count())
        pairs = (self._library.objc_allocateClassPair(parent, each, no_more) for each in names)
        made = _Address(next(filter(None, pairs)))
        self._library.class_addMethod(made, self._selector(message), implementation, b"v@:@@^@")
        self._library.objc_registerClassPair(made)
        return int(self.send(self.send(made.value or 0, "alloc"), "init"))

    def _selector(self, message: str) -> Any:
        return _Address(self._library.sel_registerName(message.encode()))


def is_quarantined(path: Path) -> bool:
    """Whether a Mac's file is quarantined; none is in a bundle, whose signature macOS checks as a whole."""
    return (
        Path(_TOOL).is_file()
        and not is_bundle()
        and subprocess.run([_TOOL, "-p", _ATTRIBUTE, str(path)], capture_output=True, check=False).returncode == 0
    )


def release_command(folder: Path) -> str:
    """The command that ends the quarantine of everything in a folder."""
    return shlex.join(["xattr", "-dr", _ATTRIBUTE, str(folder)])
