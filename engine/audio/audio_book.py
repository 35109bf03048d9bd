"""Writes MP4 audio, such as audiobooks (`.m4b`): AAC or Apple Lossless, with chapters, title, author and cover."""

from __future__ import annotations

import errno
import struct
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import IO, Protocol

from engine.audio import mp4_boxes as boxes
from engine.audio.recording import Pcm, Tags

CHAPTER_LIST_LIMIT = 255
"""The maximum length of the short chapter list that some players read; the chapter track has all chapters."""
_PACKETS_PER_CHUNK = 8
_TITLE_BYTES = 255
_HUNDRED_NANOSECONDS = 10_000_000
_AUDIO_TRACK, _CHAPTER_TRACK = 1, 2
_AUDIO_BOOK, _MUSIC = 2, 1
_TEXT_IS_UTF8 = boxes.box(b"encd", struct.pack(">I", 0x100))


@dataclass(frozen=True)
class _Chapter:
    title: str
    start: int


class Coder(Protocol):
    """An encoder of mono samples into packets of `packet_samples`; failures raise `OSError`.

    A decoder outputs `priming` samples before the first one written; the number is known once all packets are complete.
    If the packets are `padded`, the last one is as long as the others; otherwise it ends with the samples.
    """

    packet_samples: int
    priming: int
    padded: bool

    def entry(self) -> bytes:
        """Return the sample entry box, which describes the coding."""

    def packets(self, pcm: Pcm) -> Sequence[bytes]:
        """Take samples [n] and return the packets that are complete."""

    def rest(self) -> Iterator[Sequence[bytes]]:
        """Yield the remaining packets in batches; a batch is empty while waiting for the encoder."""

    def close(self) -> None:
        """Release all resources, whether or not all packets are complete."""


class AudioBook:
    """Writes an MP4 file to a seekable stream; memory holds four bytes for each packet. Raises `OSError`.

    Unless it is a `book`, players list it with music.
    """

    def __init__(self, file: IO[bytes], sample_rate_hz: int, tags: Tags, coder: Coder, *, book: bool = True) -> None:
        self._file = file
        self._sample_rate_hz = sample_rate_hz
        self._tags = tags
        self._coder = coder
        self._registry = book
        self._chapters: list[_Chapter] = []
        self._sizes = array("I")
        self._length = 0
        self._finished = False
        file.write(boxes.box(b"ftyp", b"M4B " if book else b"M4A ", bytes(4), b"M4B M4A mp42isom"))
        self._media_start = file.tell()
        self._write_media_header(0)

    def begin_chapter(self, title: str) -> None:
        """Start a chapter at the next sample."""
        self._chapters.append(_Chapter(title, self._length))

    def write(self, pcm: Pcm) -> None:
        """Append mono samples [n]."""
        self._length += len(pcm)
        self._place(self._coder.packets(pcm))

    def finish(self) -> Iterator[None]:
        """Write the last packets, the chapters and the closing tables, step by step; repeated calls do nothing."""
        if self._finished:
            return
        self._finished = True
        for packets in self._coder.rest():
            self._place(packets)
            yield
        if self._media_length < self._coder.priming + self._length:
            raise OSError(errno.EIO, "the encoder left something out")
        titles_start = self._file.tell()
        chapters = list(_lasting(self._chapters, self._length))
        titles = [_title_sample(chapter.title) for chapter, _ in chapters]
        self._file.write(b"".join(titles))
        end = self._file.tell()
        self._file.seek(self._media_start)
        self._write_media_header(end - self._media_start)
        self._file.seek(end)
        tracks = [self._audio_track(with_chapters=bool(chapters))]
        if chapters:
            lengths = [length for _, length in chapters]
            tracks.append(self._chapter_track(lengths, [len(title) for title in titles], titles_start))
        header = boxes.movie_header(self._sample_rate_hz, self._length, len(tracks) + 1)
        self._file.write(boxes.box(b"moov", header, *tracks, self._about(chapters)))

    def close(self) -> None:
        """Release the encoder."""
        self._coder.close()

    @property
    def _media_length(self) -> int:
        """The number of samples that a decoder outputs."""
        return len(self._sizes) * self._coder.packet_samples if self._coder.padded else self._length

    def _write_media_header(self, size: int) -> None:
        self._file.write(struct.pack(">I4sQ", 1, b"mdat", size))

    def _place(self, packets: Sequence[bytes]) -> None:
        self._sizes.extend(map(len, packets))
        self._file.write(b"".join(packets))

    def _audio_track(self, *, with_chapters: bool) -> bytes:
        length, step = self._media_length, self._coder.packet_samples
        lengths = (min(step, length - start) for start in range(0, length, step))
        table = boxes.box(
            b"stbl",
            boxes.full_box(b"stsd", struct.pack(">I", 1), self._coder.entry()),
            boxes.durations(lengths),
            boxes.sizes(self._sizes),
            boxes.chunk_lengths(len(self._sizes), _PACKETS_PER_CHUNK),
            boxes.chunk_offsets(self._chunk_offsets()),
        )
        media = boxes.box(b"minf", boxes.full_box(b"smhd", bytes(4)), boxes.own_file(), table)
        reference = boxes.box(b"tref", boxes.box(b"chap", struct.pack(">I", _CHAPTER_TRACK)))
        about = boxes.heard_from(self._coder.priming, self._length) + (reference if with_chapters else b"")
        return self._track(_AUDIO_TRACK, b"soun", media, about, length, enabled=True)

    def _chapter_track(self, lengths: Sequence[int], counts: Sequence[int], start: int) -> bytes:
        table = boxes.box(
            b"stbl",
            boxes.full_box(b"stsd", struct.pack(">I", 1), boxes.box(b"text", struct.pack(">6xH", 1), bytes(44))),
            boxes.durations(lengths),
            boxes.sizes(counts),
            boxes.chunk_lengths(len(counts), len(counts)),
            boxes.chunk_offsets([start]),
        )
        about_text = boxes.box(
            b"gmhd",
            boxes.full_box(b"gmin", struct.pack(">4H4x", 0x40, 0x8000, 0x8000, 0x8000)),
            boxes.box(b"text", boxes.UNITY_MATRIX),
        )
        media = boxes.box(b"minf", about_text, boxes.own_file(), table)
        return self._track(_CHAPTER_TRACK, b"text", media, b"", self._length, enabled=False)

    def _track(self, number: int, kind: bytes, media: bytes, about: bytes, length: int, *, enabled: bool) -> bytes:
        """Return the track box; `length` is that of the media, of which the movie plays only its own length."""
        header = boxes.track_header(number, self._length, enabled=enabled)
        clock = boxes.media_header(self._sample_rate_hz, length)
        return boxes.box(b"trak", header, about, boxes.box(b"mdia", clock, boxes.handler(kind), media))

    def _chunk_offsets(self) -> list[int]:
        offsets, position = [], self._media_start + 16
        for start in range(0, len(self._sizes), _PACKETS_PER_CHUNK):
            offsets.append(position)
            position += sum(self._sizes[start : start + _PACKETS_PER_CHUNK])
        return offsets

    def _about(self, chapters: Sequence[tuple[_Chapter, int]]) -> bytes:
        tags = self._tags
        items = boxes.box(
            b"ilst",
            boxes.text_item(b"\xa9nam", tags.title),
            boxes.text_item(b"\xa9ART", tags.author),
            boxes.text_item(b"aART", tags.author),
            boxes.text_item(b"\xa9alb", tags.album or tags.title),
            boxes.track_item(tags.track),
            boxes.number_item(b"stik", _AUDIO_BOOK if self._registry else _MUSIC),
            boxes.cover_item(tags.cover),
        )
        listed = boxes.full_box(b"meta", boxes.handler(b"mdir", b"appl"), items)
        return boxes.box(b"udta", self._chapter_list([chapter for chapter, _ in chapters]), listed)

    def _chapter_list(self, chapters: Sequence[_Chapter]) -> bytes:
        listed = chapters[:CHAPTER_LIST_LIMIT]
        entries = (
            struct.pack(">Q", chapter.start * _HUNDRED_NANOSECONDS // self._sample_rate_hz) + _pascal(chapter.title)
            for chapter in listed
        )
        return boxes.full_box(b"chpl", struct.pack(">4xB", len(listed)), *entries, version=1) if listed else b""


def _lasting(chapters: Sequence[_Chapter], length: int) -> Iterator[tuple[_Chapter, int]]:
    """Yield each chapter and its length in samples, except empty chapters."""
    starts = [*(chapter.start for chapter in chapters), length]
    for chapter, (start, end) in zip(chapters, pairwise(starts), strict=True):
        if end > start:
            yield chapter, end - start


def _title_sample(title: str) -> bytes:
    coded = _cut(title)
    return struct.pack(">H", len(coded)) + coded + _TEXT_IS_UTF8


def _pascal(title: str) -> bytes:
    coded = _cut(title)
    return bytes([len(coded)]) + coded


def _cut(title: str) -> bytes:
    """Encode a title, truncated at a character boundary to the maximum length."""
    return title.encode()[:_TITLE_BYTES].decode(errors="ignore").encode()
