"""Puts right in a library for Macs what Zig's linker writes otherwise than Apple's, and keeps its signature valid.

Formats: Apple's `mach-o/loader.h` and, for the signature, `kern/cs_blobs.h`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from hashlib import sha256

from engine.compiler.artifacts.mach_o import (
    BUILD_VERSION,
    CODE_SIGNATURE,
    DYNAMIC_LINKER,
    SEGMENT,
    LoadCommand,
    forget,
    load_commands,
)
from engine.errors import CompileError

_SDK_PLACE = 16
_SEGMENT_BYTES, _SECTION_BYTES, _SECTION_NAME_BYTES, _SECTION_SIZE_PLACE = 72, 80, 16, 40
_IMAGE_INFOS = b"__objc_imageinfo"
_IMAGE_INFO_BYTES = 8
_DIRECTORY_PLACE = 16
"""The byte of a signature that holds the offset of the code directory, its first part."""
_HASHES_PLACE, _PAGE_COUNT_PLACE, _PAGE_BITS_PLACE = 16, 28, 39


def put_right(library: bytes, sdk: tuple[int, int]) -> bytes:
    """The library of the same length that says it was linked with this SDK, major and minor.

    It names no dynamic linker, which only a program does. The Objective-C flags of all its sources, which are equal,
    stand there once. Pages are hashed again. Raises `CompileError` for anything that Zig does not write.
    """
    content = bytearray(library)
    try:
        forget(content, _only(content, DYNAMIC_LINKER))
        struct.pack_into("<HH", content, _only(content, BUILD_VERSION).start + _SDK_PLACE, sdk[1] << 8, sdk[0])
        _merge_image_infos(content)
        _hash_pages(content)
    except (struct.error, ValueError) as error:
        raise CompileError("The linker wrote a library that ends too early.", "Build it again.") from error
    return bytes(content)


def _only(content: bytearray, kind: int) -> LoadCommand:
    found = [command for command in load_commands(content) if command.kind == kind]
    if len(found) != 1:
        raise CompileError(f"The linker wrote {len(found)} load commands 0x{kind:x} where there must be one.")
    return found[0]


def _merge_image_infos(content: bytearray) -> None:
    """Keep one of the flags that each Objective-C source brought, as the system reads only one."""
    for section in _sections(content):
        if content[section : section + _SECTION_NAME_BYTES] == _IMAGE_INFOS:
            size, start = struct.unpack_from("<QI", content, section + _SECTION_SIZE_PLACE)
            places = range(start, start + size, _IMAGE_INFO_BYTES)
            if len({bytes(content[place : place + _IMAGE_INFO_BYTES]) for place in places}) != 1:
                raise CompileError("The Objective-C sources were compiled with different flags.")
            struct.pack_into("<Q", content, section + _SECTION_SIZE_PLACE, _IMAGE_INFO_BYTES)


def _sections(content: bytearray) -> Iterator[int]:
    """The offset of each section's description."""
    for command in load_commands(content):
        if command.kind == SEGMENT:
            yield from range(command.start + _SEGMENT_BYTES, command.start + command.bytes, _SECTION_BYTES)


def _hash_pages(content: bytearray) -> None:
    """Write the hash of every page into the code directory, which is all there is to sign without a certificate."""
    (signature,) = struct.unpack_from("<I", content, _only(content, CODE_SIGNATURE).start + 8)
    (offset,) = struct.unpack_from(">I", content, signature + _DIRECTORY_PLACE)
    directory = signature + offset
    (hashes,) = struct.unpack_from(">I", content, directory + _HASHES_PLACE)
    count, end = struct.unpack_from(">2I", content, directory + _PAGE_COUNT_PLACE)
    page_bytes = 1 << content[directory + _PAGE_BITS_PLACE]
    for page in range(count):
        digest = sha256(content[page * page_bytes : min((page + 1) * page_bytes, end)]).digest()
        place = directory + hashes + page * len(digest)
        content[place : place + len(digest)] = digest
