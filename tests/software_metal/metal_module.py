"""A module of kind "metal" from one kernel's text, as TVM would load it. It is independent of the device."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence

TYPE_CODES = {"int": 0, "float": 2, "handle": 3}
TAGS = ("blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z")


class MetalKernel:
    """A kernel called with tensors of the Metal device and scalars.

    ``types`` are "handle" for buffers, otherwise names such as "int64" or "float32", in the kernel's order.
    """

    def __init__(self, name: str, text: str, types: Sequence[str]) -> None:
        import tvm_ffi

        load = tvm_ffi.get_global_func("ffi.Module.load_from_bytes.metal")
        self._function = load(serialized(name, text, types))[name]

    def __call__(self, *arguments, grid: Sequence[int] = (1,), group: Sequence[int] = (1,)) -> None:
        sizes = [*grid, *[1] * (3 - len(grid)), *group, *[1] * (3 - len(group))]
        self._function(*(handle(argument) for argument in arguments), *sizes)


def handle(argument):
    """Return a tensor's handle as a kernel takes it; any other argument unchanged."""
    return ctypes.c_void_p(argument.data_ptr()) if hasattr(argument, "data_ptr") else argument


def serialized(name: str, text: str, types: Sequence[str]) -> bytes:
    """Return the bytes TVM writes for a module of this one kernel."""
    information = [_text(name), _count(len(types)), *(_type(kind) for kind in types)]
    information += [_count(len(TAGS)), *(_text(tag) for tag in TAGS), _count(0)]
    return b"".join([_text("metal"), _count(1), _text(name), *information, _count(1), _text(name), _text(text)])


def _count(number: int) -> bytes:
    return struct.pack("<Q", number)


def _text(text: str) -> bytes:
    encoded = text.encode()
    return _count(len(encoded)) + encoded


def _type(kind: str) -> bytes:
    plain = kind.rstrip("0123456789")
    return struct.pack("<BBH", TYPE_CODES[plain], int(kind[len(plain) :] or 64), 1)
