"""Arrays at addresses that compiled code may load vectors from."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.speech import Array

Scalar = TypeVar("Scalar", bound=np.generic)

ALIGNMENT_BYTES = 64
"""Compiled code assumes that it loads vectors from multiples of this."""


def aligned_empty(shape: tuple[int, ...], dtype: type[Scalar] | np.dtype[Scalar]) -> NDArray[Scalar]:
    """An uninitialised array of this shape and type, in C order, that compiled code can read without a copy."""
    size_bytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    space = np.empty(size_bytes + ALIGNMENT_BYTES, np.uint8)
    start = -space.ctypes.data % ALIGNMENT_BYTES
    values: NDArray[Scalar] = space[start : start + size_bytes].view(dtype).reshape(shape)
    return values


def aligned_copy(array: Array) -> Array:
    """A copy that compiled code can read as it is."""
    copy = aligned_empty(array.shape, array.dtype)
    copy[...] = array
    return copy


def is_aligned(array: Array) -> bool:
    """Whether compiled code can read an array without a copy; DLPack cannot hand over a read-only one."""
    return array.ctypes.data % ALIGNMENT_BYTES == 0 and array.flags.c_contiguous and array.flags.writeable
