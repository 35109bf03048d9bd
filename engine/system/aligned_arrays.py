"""Arrays aligned for the vector loads of compiled code."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.speech import Array

Scalar = TypeVar("Scalar", bound=np.generic)

ALIGNMENT_BYTES = 64
"""The alignment that compiled code assumes for vector loads."""


def aligned_empty(shape: tuple[int, ...], dtype: type[Scalar] | np.dtype[Scalar]) -> NDArray[Scalar]:
    """Return an uninitialized array in C order, aligned so that compiled code can read it without a copy."""
    size_bytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    space = np.empty(size_bytes + ALIGNMENT_BYTES, np.uint8)
    start = -space.ctypes.data % ALIGNMENT_BYTES
    values: NDArray[Scalar] = space[start : start + size_bytes].view(dtype).reshape(shape)
    return values


def aligned_copy(array: Array) -> Array:
    """Return a copy that compiled code can read directly."""
    copy = aligned_empty(array.shape, array.dtype)
    copy[...] = array
    return copy


def is_aligned(array: Array) -> bool:
    """Return whether compiled code can read an array without a copy; DLPack can't hand over a read-only one."""
    return array.ctypes.data % ALIGNMENT_BYTES == 0 and array.flags.c_contiguous and array.flags.writeable
