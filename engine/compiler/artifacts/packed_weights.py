"""The packed weights of all stages in one file, mapped into memory: processes share its pages, torch is not needed.

The file has the arrays, each at a multiple of 64 bytes; then a JSON table with the key, the arrays' shapes and offsets,
and the checksum of all before it; then the table's length and a closing mark, which is missing from a file that was not
written to its end. Loading does not look at the checksum: that would read the whole file.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engine.compiler.artifacts.manifest import CPU_DEVICE, Manifest
from engine.speech import Array, Prosody
from engine.system.aligned_arrays import ALIGNMENT_BYTES
from engine.system.json_text import json_value
from engine.system.memory import give_back_freed_memory
from engine.system.paths import PACKED_WEIGHTS_SUFFIX

_FORMAT = "packed weights 1"
_CLOSING_MARK = b"weights."
_CLOSING = struct.Struct("<Q8s")
_BLOCK_BYTES = 1 << 24


@dataclass(frozen=True)
class PackedWeights:
    """The arrays that each library takes after its inputs, by stage, in order; they must not be written to."""

    stages: Mapping[str, Sequence[Array]] = field(repr=False)
    _content: mmap.mmap = field(repr=False)
    _spans: Mapping[str, tuple[int, int]] = field(repr=False)
    """First byte and length of each stage's arrays."""

    def make_room_for(self, stage: str) -> None:
        """Release freed memory and the pages of all other stages, if this stage has the largest weights.

        The system maps the pages again when they are next used, which takes it some milliseconds.
        """
        if stage == max(self._spans, key=lambda name: self._spans[name][1], default=None):
            give_back_freed_memory()
            for other, span in self._spans.items():
                if other != stage:
                    self._content.madvise(mmap.MADV_DONTNEED, *span)


def packed_weights_name(model: str, device: str, prosody: Prosody = Prosody.LSTM) -> str:
    """The name of the file with a model's packed weights for a device; those of stages with students have their own."""
    of_students = "" if prosody is Prosody.LSTM else f"-{prosody}"
    return f"{model}{of_students}{'' if device == CPU_DEVICE else f'-{device}'}{PACKED_WEIGHTS_SUFFIX}"


def weights_key(manifest: Manifest, identity: str) -> str:
    """A hash that identifies the packed weights of one checkpoint, by its `identity`, for these libraries."""
    libraries = sorted((artifact.stage, artifact.sha256) for artifact in manifest.artifacts)
    return hashlib.sha256(json.dumps([_FORMAT, identity, libraries]).encode()).hexdigest()


def save_packed(path: Path, key: str, stages: Iterable[tuple[str, Sequence[Array]]]) -> None:
    """Write a file of packed weights, one stage after the other, atomically for its readers.

    Until it is whole it has the name that `part_of` gives. Only one writer at a time. Raises `OSError`.
    """
    part = part_of(path)
    with part.open("wb") as stream:
        blocks = _Blocks(stream)
        table = {stage: [_appended(blocks, array) for array in arrays] for stage, arrays in stages}
        content = json.dumps({"key": key, "stages": table, "crc32": blocks.checksum}).encode()
        blocks.write(content + _CLOSING.pack(len(content), _CLOSING_MARK))
        blocks.flush()
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(part, path)


class _Blocks:
    """Writes a file in large blocks: Linux then holds it in large pages, which cost a tenth of the time to map."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._block = bytearray()
        self.length = self.checksum = 0

    def write(self, content: bytes | memoryview) -> None:
        """Append to the file."""
        self.length += len(content)
        self.checksum = zlib.crc32(content, self.checksum)
        while len(content):
            room = _BLOCK_BYTES - len(self._block)
            self._block += content[:room]
            content = content[room:]
            if len(self._block) == _BLOCK_BYTES:
                self.flush()

    def flush(self) -> None:
        """Write the block that is not full yet."""
        self._stream.write(self._block)
        self._block.clear()


def part_of(path: Path) -> Path:
    """The path to which packed weights are written until they are whole."""
    return path.with_name(f"{path.name}.part")


def load_packed(path: Path, key: str) -> PackedWeights | None:
    """The packed weights with this key, mapped; None when the file is missing, damaged, or has a different key."""
    try:
        with path.open("rb") as stream:
            # numpy exports only writable arrays; pages of this mapping that are never written to stay the file's own
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_COPY)
        return _mapped(content, key)
    except (OSError, ValueError, TypeError, KeyError, OverflowError, AttributeError, struct.error):
        return None


def is_intact(path: Path) -> bool | None:
    """True if a file of packed weights is intact; None for one of an older version, without a checksum."""
    try:
        with path.open("rb") as stream:
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)  # 400 MB should not be copied
        table, end = _table(content)
        return None if "crc32" not in table else zlib.crc32(memoryview(content)[:end]) == table["crc32"]
    except (OSError, ValueError, TypeError, struct.error):
        return False


def _appended(blocks: _Blocks, array: Array) -> dict[str, Any]:
    """Write an array at the next aligned offset; returns its entry in the table."""
    blocks.write(bytes(-blocks.length % ALIGNMENT_BYTES))
    entry = {"start": blocks.length, "shape": array.shape, "dtype": str(array.dtype)}
    blocks.write(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return entry


def _mapped(content: mmap.mmap, key: str) -> PackedWeights | None:
    table, end = _table(content)
    if table["key"] != key:
        return None
    stages = {
        stage: tuple(_array(content, entry, end) for entry in entries) for stage, entries in table["stages"].items()
    }
    spans = {stage: _span(entries, stages[stage]) for stage, entries in table["stages"].items() if entries}
    content.madvise(mmap.MADV_WILLNEED)
    return PackedWeights(stages, content, spans)


def _table(content: mmap.mmap) -> tuple[Mapping[str, Any], int]:
    """The table, and where it begins; raises `ValueError` or `struct.error` where there is none."""
    end = len(content) - _CLOSING.size
    length, mark = _CLOSING.unpack_from(content, end)
    if mark != _CLOSING_MARK or length > end:
        raise ValueError("The file doesn’t end with a table.")
    return json_value(content[end - length : end]), end - length


def _span(entries: Sequence[Mapping[str, Any]], arrays: Sequence[Array]) -> tuple[int, int]:
    """The pages that hold a stage's arrays: the offset of the first, and their length in bytes."""
    start = entries[0]["start"] // mmap.PAGESIZE * mmap.PAGESIZE
    return start, entries[-1]["start"] + arrays[-1].nbytes - start


def _array(content: mmap.mmap, entry: Mapping[str, Any], limit: int) -> Array:
    shape, dtype, start = tuple(entry["shape"]), np.dtype(entry["dtype"]), int(entry["start"])
    count = int(np.prod(shape, dtype=np.int64))
    if start % ALIGNMENT_BYTES or start + count * dtype.itemsize > limit:
        raise ValueError("An array lies outside of the file.")
    return np.frombuffer(content, dtype, count, start).reshape(shape)
