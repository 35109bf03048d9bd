"""The arrays of a safetensors file, mapped into memory: pages are read on first use and can be released again."""

from __future__ import annotations

import math
import mmap
from pathlib import Path

import numpy as np

from engine.errors import DamagedFile
from engine.network.weights import Weights
from engine.system.json_text import json_value

_LENGTH_BYTES = 8


def map_weights(path: Path) -> Weights:
    """Every array of a file of float32 arrays, by name; changes to an array stay in this process.

    Raises `DamagedFile` when the file is missing or is not such a file.
    """
    try:
        with path.open("rb") as stream:
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_COPY)
        start = _LENGTH_BYTES + int.from_bytes(content[:_LENGTH_BYTES], "little")
        header = json_value(content[_LENGTH_BYTES:start])
        entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
        return {name: _array(content, start, **entry) for name, entry in entries.items()}
    except (OSError, ValueError, LookupError, OverflowError, TypeError, AttributeError) as error:
        raise DamagedFile(path, f"The weights {path} can’t be read.", "Download or import the model again.") from error


def _array(
    content: mmap.mmap, start: int, dtype: str, shape: list[int], data_offsets: list[int]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    if dtype != "F32":
        raise ValueError(dtype)
    return np.frombuffer(content, np.float32, math.prod(shape), start + data_offsets[0]).reshape(shape)
