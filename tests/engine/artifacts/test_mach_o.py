"""The load commands of a Mach-O file made by hand."""

import struct

import pytest

from engine.artifacts.mach_o import (
    BUILD_VERSION,
    DYNAMIC_LINKER,
    MACH_O_MAGIC,
    LoadCommand,
    content_at,
    forget,
    load_commands,
)


def header(*commands: tuple[int, int]) -> bytearray:
    """A header with load commands of these kinds and sizes, each filled with its kind."""
    bodies = b"".join(struct.pack("<2I", kind, size) + bytes([kind]) * (size - 8) for kind, size in commands)
    counts = struct.pack("<2I", len(commands), len(bodies))
    return bytearray(MACH_O_MAGIC.ljust(16, b"\0") + counts + bytes(8) + bodies + b"content")


def test_commands_are_found_one_after_the_other() -> None:
    content = header((DYNAMIC_LINKER, 16), (BUILD_VERSION, 24))
    assert list(load_commands(content)) == [LoadCommand(DYNAMIC_LINKER, 32, 16), LoadCommand(BUILD_VERSION, 48, 24)]


def test_a_forgotten_command_leaves_zeros_behind_the_others() -> None:
    content = header((DYNAMIC_LINKER, 16), (BUILD_VERSION, 24))
    length = len(content)
    forget(content, next(load_commands(content)))
    assert list(load_commands(content)) == [LoadCommand(BUILD_VERSION, 32, 24)]
    assert len(content) == length
    assert content[56:72] == bytes(16)
    assert content.endswith(b"content")


def test_a_command_without_a_size_is_refused() -> None:
    with pytest.raises(ValueError, match="without a size"):
        list(load_commands(header((BUILD_VERSION, 8))[:36] + bytes(12)))


def test_an_address_in_no_segment_is_refused() -> None:
    with pytest.raises(ValueError, match="in no segment"):
        content_at(header((BUILD_VERSION, 24)), 7)
