"""Apple Lossless: libsndfile writes it into a CAF file, from which it is taken, packet by packet."""

from __future__ import annotations

import errno
import io
import os
import struct
from collections.abc import Iterator

import soundfile

from engine.audio.recording import Pcm

PACKET_SAMPLES = 4096
"""A packet, which can be decoded by itself, has this many samples; the last of a stream may have fewer."""
_FILE_HEADER_BYTES = 8
_CHUNK_HEADER = struct.Struct(">4sq")
_TABLE_HEADER_BYTES = 24
_EDIT_COUNT_BYTES = 4


def packet_of(pcm: Pcm, sample_rate_hz: int) -> bytes:
    """The packet of mono samples [n], 0 < n <= `PACKET_SAMPLES`; raises `OSError` if the temporary folder is full.

    Each is a file of its own: libsndfile encodes into a temporary one, and after a failure in that overruns its buffer
    with the next packet.
    """
    caf = io.BytesIO()
    soundfile.write(caf, pcm, sample_rate_hz, format="CAF", subtype="ALAC_16")
    chunks = dict(_chunks(caf.getvalue()))
    packet = chunks[b"data"][_EDIT_COUNT_BYTES:]
    if len(packet) != _number(chunks[b"pakt"][_TABLE_HEADER_BYTES:]):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return packet


def decoder_settings(sample_rate_hz: int) -> bytes:
    """What a decoder of mono 16-bit packets must know (`ALACSpecificConfig`); 0 stands for sizes not known before."""
    rice_history, rice_start, rice_limit, longest_run = 40, 10, 14, 255
    return struct.pack(
        ">IBBBBBBHIII",
        PACKET_SAMPLES, 0, 16, rice_history, rice_start, rice_limit, 1, longest_run, 0, 0, sample_rate_hz,
    )  # fmt: skip


def _chunks(caf: bytes) -> Iterator[tuple[bytes, bytes]]:
    start = _FILE_HEADER_BYTES
    while start + _CHUNK_HEADER.size <= len(caf):  # a stray byte may follow the last chunk
        kind, size = _CHUNK_HEADER.unpack_from(caf, start)
        start += _CHUNK_HEADER.size
        yield kind, caf[start : start + size]
        start += size


def _number(coded: bytes) -> int:
    """A number of seven bits in a byte, the highest first; the eighth bit says that more bytes follow."""
    number = 0
    for byte in coded:
        number = number << 7 | byte & 0x7F
        if not byte & 0x80:
            break
    return number
