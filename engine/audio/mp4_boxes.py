"""Boxes of an MP4 file: a size, a four-letter name and the content; ISO/IEC 14496-12 and QuickTime."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np

UNITY_MATRIX = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
UNDETERMINED_LANGUAGE = 0x55C4
_UTF8, _JPEG, _PNG, _INTEGER = 1, 13, 14, 21
_PNG_BEGINNING = b"\x89PNG"


def box(name: bytes, *content: bytes) -> bytes:
    """Return a box with this content."""
    size = 8 + sum(len(part) for part in content)
    return b"".join((struct.pack(">I4s", size, name), *content))


def full_box(name: bytes, *content: bytes, version: int = 0, flags: int = 0) -> bytes:
    """Return a box that begins with a version and flags."""
    return box(name, struct.pack(">I", version << 24 | flags), *content)


def movie_header(sample_rate_hz: int, length: int, next_track: int) -> bytes:
    """Return the `mvhd` box; `length` is in samples.

    There is no creation time, so that equal content gives equal bytes.
    """
    times = struct.pack(">QQIQ", 0, 0, sample_rate_hz, length)
    rest = struct.pack(">IH10x", 0x10000, 0x100) + UNITY_MATRIX + bytes(24) + struct.pack(">I", next_track)
    return full_box(b"mvhd", times, rest, version=1)


def track_header(number: int, length: int, *, enabled: bool) -> bytes:
    """Return the `tkhd` box of a track without video."""
    times = struct.pack(">QQIIQ", 0, 0, number, 0, length)
    layout = struct.pack(">8xhhHxx", 0, 0, 0x100 if enabled else 0)
    return full_box(b"tkhd", times, layout, UNITY_MATRIX, bytes(8), version=1, flags=7 if enabled else 2)


def media_header(sample_rate_hz: int, length: int) -> bytes:
    """Return the `mdhd` box, the clock of a track, which counts samples."""
    return full_box(b"mdhd", struct.pack(">QQIQHH", 0, 0, sample_rate_hz, length, UNDETERMINED_LANGUAGE, 0), version=1)


def handler(kind: bytes, maker: bytes = b"") -> bytes:
    """Return the `hdlr` box, which declares the kind of content: `soun`, `text` or `mdir`."""
    return full_box(b"hdlr", struct.pack(">4x4s4s8x", kind, maker), b"\0")


def sound_entry(kind: bytes, sample_rate_hz: int, settings: bytes) -> bytes:
    """Return the sample entry of a mono track; `settings` is a box for the decoder."""
    return box(kind, struct.pack(">6xH8xHHHHI", 1, 1, 16, 0, 0, sample_rate_hz << 16), settings)


def heard_from(first: int, length: int) -> bytes:
    """Return the edit list that plays `length` samples from `first` on, or nothing if `first` is 0."""
    edit = struct.pack(">IQqI", 1, length, first, 0x10000)
    return box(b"edts", full_box(b"elst", edit, version=1)) if first else b""


def own_file() -> bytes:
    """Return the `dinf` box, which says that the samples are in this file."""
    return box(b"dinf", full_box(b"dref", struct.pack(">I", 1), full_box(b"url ", flags=1)))


def durations(lengths: Iterable[int]) -> bytes:
    """Return the `stts` box: the length of each sample of a track."""
    runs = [(sum(1 for _ in run), length) for length, run in groupby(lengths)]
    return full_box(b"stts", struct.pack(">I", len(runs)), *(struct.pack(">II", *run) for run in runs))


def sizes(counts: Sequence[int]) -> bytes:
    """Return the `stsz` box: the size of each sample [bytes]."""
    return full_box(b"stsz", struct.pack(">II", 0, len(counts)), np.asarray(counts, ">u4").tobytes())


def chunk_lengths(count: int, per_chunk: int) -> bytes:
    """Return the `stsc` box: `count` samples in chunks of `per_chunk`, with the rest in a last chunk."""
    chunks, rest = divmod(count, per_chunk)
    entries = [(1, per_chunk, 1)] if chunks else []
    entries += [(chunks + 1, rest, 1)] if rest else []
    return full_box(b"stsc", struct.pack(">I", len(entries)), *(struct.pack(">III", *entry) for entry in entries))


def chunk_offsets(offsets: Sequence[int]) -> bytes:
    """Return the `co64` box: the position of each chunk in the file."""
    return full_box(b"co64", struct.pack(">I", len(offsets)), np.asarray(offsets, ">u8").tobytes())


def text_item(name: bytes, text: str) -> bytes:
    """Return a text entry of the iTunes metadata list, or nothing if the text is empty."""
    return _item(name, _UTF8, text.encode()) if text else b""


def number_item(name: bytes, number: int) -> bytes:
    """Return a one-byte entry of the iTunes metadata list."""
    return _item(name, _INTEGER, bytes([number]))


def track_item(number: int) -> bytes:
    """Return the track number entry, or nothing for 0."""
    return _item(b"trkn", 0, struct.pack(">4H", 0, number, 0, 0)) if number else b""


def cover_item(picture: bytes | None) -> bytes:
    """Return the cover entry for a JPEG or PNG picture, or nothing without one."""
    if not picture:
        return b""
    return _item(b"covr", _PNG if picture.startswith(_PNG_BEGINNING) else _JPEG, picture)


def _item(name: bytes, kind: int, content: bytes) -> bytes:
    return box(name, box(b"data", struct.pack(">II", kind, 0), content))
