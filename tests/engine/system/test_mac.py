import ctypes
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.system import mac
from engine.system.mac import ObjectiveC, is_quarantined, release_command

BIG = 0x7FFF_1234_5678
"""An address that does not fit into 32 bits, in which ctypes passes what it is not told about."""
_Address = ctypes.c_void_p


class Library:
    """Stands in for Apple's runtime: C functions, called through the same prototypes."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, bytes, int, int]] = []
        self.names: list[bytes] = []
        self.classes: list[bytes] = []
        self.answer = BIG
        self.implementation: Any = None
        self.encoding = b""
        self.objc_getClass = ctypes.CFUNCTYPE(_Address, ctypes.c_char_p)(self.get_class)
        self.sel_registerName = ctypes.CFUNCTYPE(_Address, ctypes.c_char_p)(self.register)
        send = ctypes.CFUNCTYPE(_Address, _Address, _Address, _Address, _Address)
        self.objc_msgSend = send(self.send)
        self.objc_allocateClassPair = ctypes.CFUNCTYPE(_Address, _Address, ctypes.c_char_p, ctypes.c_size_t)(
            self.allocate
        )
        self.class_addMethod = self.add_method
        self.objc_registerClassPair = lambda made: None

    def get_class(self, name: bytes) -> int:
        self.names.append(name)
        return BIG + len(self.names)

    def allocate(self, parent: int, name: bytes, extra: int) -> int | None:
        if name in self.classes:
            return None
        self.classes.append(name)
        return self.get_class(name)

    def register(self, name: bytes) -> int:
        self.names.append(name)
        return BIG + len(self.names)

    def send(self, receiver: int, selector: int, first: int, second: int) -> int:
        self.sent.append((receiver, self.names[selector - BIG - 1], first, second))
        return self.answer

    def add_method(self, made: Any, selector: Any, implementation: Any, encoding: bytes) -> bool:
        self.implementation, self.encoding = implementation, encoding
        return True


@pytest.fixture
def library() -> Library:
    return Library()


def test_whole_addresses_are_sent_and_answered(library: Library) -> None:
    runtime = ObjectiveC(library)
    assert runtime.send(BIG, "doThis:withThat:", BIG + 7, ctypes.c_uint64(0x00FF_FFFF_FFFF)) == BIG
    assert library.sent == [(BIG, b"doThis:withThat:", BIG + 7, 0x00FF_FFFF_FFFF)]


def test_nothing_is_zero(library: Library) -> None:
    library.answer = 0
    assert ObjectiveC(library).send(BIG, "answer", 0, 0) == 0
    assert ObjectiveC(library).words(0) == ""


def test_text_is_sent_as_utf_8(library: Library) -> None:
    held = ctypes.create_string_buffer("Grüße".encode())
    library.answer = ctypes.addressof(held)
    runtime = ObjectiveC(library)
    assert runtime.words(BIG) == "Grüße"
    runtime.text("Grüße")
    _, selector, content, _ = library.sent[-1]
    assert selector == b"stringWithUTF8String:"
    assert content


def test_an_object_calls_a_function_with_its_arguments(library: Library) -> None:
    received = []
    runtime = ObjectiveC(library)
    assert runtime.object_with("Desk", "do:with:and:", lambda *objects: received.append(objects)) == BIG
    assert library.encoding == b"v@:@@^@"
    library.implementation(1, 2, BIG, BIG + 1, None)
    assert received == [(BIG, BIG + 1, 0)]


def test_a_second_object_has_a_class_of_its_own(library: Library) -> None:
    first, second = [], []
    for received in (first, second):
        ObjectiveC(library).object_with(
            "Desk", "do:with:and:", lambda *objects, received=received: received.append(objects)
        )
        library.implementation(1, 2, BIG, BIG + 1, None)
    assert len(set(library.classes)) == 2
    assert first == second == [(BIG, BIG + 1, 0)]


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands in for xattr: a file is quarantined if its name says so."""
    path = tmp_path / "xattr"
    path.write_text(
        '#!/bin/sh\ntest "$1 $2" = "-p com.apple.quarantine" && case "$3" in *fetched*) ;; *) exit 1; esac\n'
    )
    path.chmod(0o755)
    monkeypatch.setattr(mac, "_TOOL", str(path))
    return path


@pytest.mark.parametrize("name", ["fetched.dylib", "cloned.dylib"])
def test_the_system_is_asked(tool: Path, name: str) -> None:
    assert is_quarantined(Path(name)) == (name == "fetched.dylib")


def test_a_bundle_is_trusted_as_a_whole(tool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert not is_quarantined(Path("fetched.dylib"))


def test_the_command_ends_it_for_everything_in_a_folder() -> None:
    assert release_command(Path("/my apps/desk")) == "xattr -dr com.apple.quarantine '/my apps/desk'"
