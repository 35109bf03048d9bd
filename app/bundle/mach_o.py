"""Reads of programs and libraries for Macs what can be checked anywhere: processor, oldest system, signature."""

from __future__ import annotations

import hashlib
import struct

from engine.artifacts.mach_o import BUILD_VERSION, CODE_SIGNATURE, MACH_O_MAGIC, load_commands

_ARM64 = 0x0100000C
_FAT_MAGIC = b"\xca\xfe\xba\xbe"
_FAT_HEADER, _FAT_ENTRY = struct.Struct(">4x I"), struct.Struct(">2I2I4x")
"""The number of parts, each for a kind of processor; of each part the processor, its kind, where it is, its size."""
_LEAST_SYSTEM_BEFORE_2018 = 0x24
_SUPER_BLOB, _BLOB_INDEX, _DIRECTORY = 0xFADE0CC0, struct.Struct(">2I"), 0xFADE0C02
_DIRECTORY_FIELDS = struct.Struct(">9I4B")
_SHA256 = 2


def is_mach_o(content: bytes) -> bool:
    """Whether a file is a program or library for Macs, of one processor or several."""
    return content.startswith((MACH_O_MAGIC, _FAT_MAGIC))


def for_apple_processor(content: bytes) -> bytes | None:
    """The part for Apple's processors; None if there is none."""
    if not content.startswith(_FAT_MAGIC):
        return content if struct.unpack_from("<I", content, 4)[0] == _ARM64 else None
    (count,) = _FAT_HEADER.unpack_from(content)
    for index in range(count):
        processor, _, start, size = _FAT_ENTRY.unpack_from(content, _FAT_HEADER.size + index * _FAT_ENTRY.size)
        if processor == _ARM64:
            return content[start : start + size]
    return None


def least_system(content: bytes) -> tuple[int, int] | None:
    """The oldest macOS that a part runs on; None if it does not say."""
    for command in load_commands(content):
        if command.kind in (BUILD_VERSION, _LEAST_SYSTEM_BEFORE_2018):
            start = command.start + (12 if command.kind == BUILD_VERSION else 8)
            (version,) = struct.unpack_from("<I", content, start)
            return version >> 16, version >> 8 & 0xFF
    return None


def is_signed(content: bytes) -> bool:
    """Whether a part has a signature that fits its content: the hash of each of its pages, up to the signature."""
    signature = next((one for one in load_commands(content) if one.kind == CODE_SIGNATURE), None)
    if signature is None:
        return False
    start, size = struct.unpack_from("<2I", content, signature.start + 8)
    blob = content[start : start + size]
    magic, _, count = struct.unpack_from(">3I", blob)
    places = [_BLOB_INDEX.unpack_from(blob, 12 + index * _BLOB_INDEX.size)[1] for index in range(count)]
    directories = [place for place in places if struct.unpack_from(">I", blob, place)[0] == _DIRECTORY]
    return magic == _SUPER_BLOB and any(_fits(content, blob, place) for place in directories)


def _fits(content: bytes, blob: bytes, place: int) -> bool:
    """Whether a list of SHA-256 hashes, one for each page, fits the content."""
    fields = _DIRECTORY_FIELDS.unpack_from(blob, place)
    hashes_start, count, limit = fields[4], fields[7], fields[8]
    hash_bytes, kind, _, page_power = fields[9:]
    if kind != _SHA256:
        return False
    page = 1 << page_power
    pages = [content[start : min(start + page, limit)] for start in range(0, limit, page)]
    first = place + hashes_start
    stored = [blob[first + index * hash_bytes :][:hash_bytes] for index in range(count)]
    return stored == [hashlib.sha256(one).digest() for one in pages]
