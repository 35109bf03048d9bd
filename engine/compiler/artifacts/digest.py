"""The digest of a library's content, which signing does not change.

macOS runs signed code only. Signing an application signs every library in it again, which changes the library's bytes.
The digest of a Mach-O file is therefore that of the file without a signature; that of any other file covers every byte.
"""

from __future__ import annotations

import hashlib
import struct

from engine.compiler.artifacts.mach_o import CODE_SIGNATURE, COMMAND, MACH_O_MAGIC, SEGMENT, forget, load_commands

_LINKEDIT = b"__LINKEDIT".ljust(16, b"\0")
_VIRTUAL_SIZE, _FILE_SIZE = 32, 48
"""Offsets of the sizes in a segment's command; the segment with the signature grows and shrinks with it."""


def content_digest(content: bytes) -> str:
    """The SHA-256 of a library's content, in hexadecimal, without the signature of a 64-bit Mach-O file.

    A damaged header is digested as it is, so that its digest differs.
    """
    try:
        return hashlib.sha256(_without_signature(content)).hexdigest()
    except (struct.error, ValueError):
        return hashlib.sha256(content).hexdigest()


def _without_signature(content: bytes) -> bytes:
    """The content as it was before it was signed: nothing in the header or after the symbols speaks of a signature."""
    if not content.startswith(MACH_O_MAGIC):
        return content
    commands = tuple(load_commands(content))
    plain = bytearray(content)
    for command in commands:
        if command.kind == SEGMENT and content[command.start + COMMAND.size :].startswith(_LINKEDIT):
            struct.pack_into("<Q", plain, command.start + _VIRTUAL_SIZE, 0)
            struct.pack_into("<Q", plain, command.start + _FILE_SIZE, 0)
    for command in commands:
        if command.kind == CODE_SIGNATURE:
            end, size = struct.unpack_from("<2I", content, command.start + COMMAND.size)
            if end + size != len(content):
                raise ValueError("a signature is the last part of a file")
            forget(plain, command)
            del plain[end:]
    return bytes(plain)
