"""Apple's Core Audio Format: a file's chunks, and the numbers in its table of packets."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO

_FILE_HEADER_BYTES = 8
_CHUNK_HEADER = struct.Struct(">4sq")
_PACKET_TABLE_HEADER = struct.Struct(">qqii")
_EDIT_COUNT_BYTES = 4


def packets_of(caf: IO[bytes]) -> tuple[int, int, Iterator[bytes]]:
    """Of a file with packets: how many samples are to be heard, how many come before them, and each packet.

    Raises `EOFError` for a file that breaks off, and `KeyError` for one without packets.
    """
    places = dict(_places_of_chunks(caf))
    caf.seek(places[b"pakt"][0])
    table = _read(caf, places[b"pakt"][1])
    _, valid, priming, _ = _PACKET_TABLE_HEADER.unpack_from(table)
    sizes = list(_numbers(table[_PACKET_TABLE_HEADER.size :]))
    start, size = places[b"data"]
    if 0 <= size < _EDIT_COUNT_BYTES + sum(sizes):
        raise EOFError
    caf.seek(start + _EDIT_COUNT_BYTES)
    return valid, priming, (_read(caf, size) for size in sizes)


def _places_of_chunks(caf: IO[bytes]) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """The name of each chunk, where it begins, and its size."""
    start = _FILE_HEADER_BYTES
    while True:
        caf.seek(start)
        header = caf.read(_CHUNK_HEADER.size)
        if len(header) < _CHUNK_HEADER.size:  # a stray byte may follow the last chunk
            return
        kind, size = _CHUNK_HEADER.unpack(header)
        start += _CHUNK_HEADER.size
        yield kind, (start, size)
        if size < 0:  # it goes on to the end of the file
            return
        start += size


def _numbers(coded: bytes) -> Iterator[int]:
    """Numbers of seven bits in a byte, the highest first; the eighth bit says that more bytes follow."""
    number = 0
    for byte in coded:
        number = number << 7 | byte & 0x7F
        if not byte & 0x80:
            if number:  # the table may be longer than what is in it
                yield number
            number = 0


def _read(caf: IO[bytes], size: int) -> bytes:
    content = caf.read(size)
    if len(content) < size:
        raise EOFError
    return content
