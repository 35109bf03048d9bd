"""Addresses that compiled code may load vectors from, and arrays at such addresses.

It does not know what the arrays hold.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.speech import Array

Scalar = TypeVar("Scalar", bound=np.generic)

ALIGNMENT_BYTES = 64
"""Compiled code loads vectors from addresses it takes to be multiples of this."""


def aligned_empty(shape: tuple[int, ...], dtype: type[Scalar] | np.dtype[Scalar]) -> NDArray[Scalar]:
    """An array of this shape and type, in C order, with nothing in it yet; compiled code can read it where it is."""
    size_bytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    space = np.empty(size_bytes + ALIGNMENT_BYTES, np.uint8)
    start = -space.ctypes.data % ALIGNMENT_BYTES
    values: NDArray[Scalar] = space[start : start + size_bytes].view(dtype).reshape(shape)
    return values


def aligned_copy(array: Array) -> Array:
    """A copy that compiled code can read where it is."""
    copy = aligned_empty(array.shape, array.dtype)
    copy[...] = array
    return copy


def is_aligned(array: Array) -> bool:
    """Whether compiled code can read an array where it is; one that may not be written to cannot be handed on."""
    return array.ctypes.data % ALIGNMENT_BYTES == 0 and array.flags.c_contiguous and array.flags.writeable
