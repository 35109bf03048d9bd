"""Remembers what arrays were read from a device, so that a stage which takes one of them finds it there already."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

from engine.speech import Array

KEPT_BYTES = 64 << 20
"""The most that is remembered: what stages make of 40 seconds of speech."""


@dataclass(frozen=True)
class _Reading:
    array: weakref.ref[Array]
    tensor: Any
    size_bytes: int


class Readings:
    """The latest arrays that were read from a device, with the tensors that still hold the same values.

    An array is known by its identity, for as long as it exists and cannot be written to.
    """

    def __init__(self) -> None:
        self._by_identity: dict[int, _Reading] = {}

    def remember(self, array: Array, tensor: Any) -> None:
        """Make `array` read-only, and keep the tensor that it was read from."""
        array.flags.writeable = False
        self._by_identity.pop(id(array), None)  # of an earlier array at the same address
        self._by_identity[id(array)] = _Reading(weakref.ref(array), tensor, array.nbytes)

    def tensor(self, array: Array) -> Any | None:
        """The tensor with the values of `array`; None for one that was not read, can be written to, or is forgotten."""
        reading = self._by_identity.get(id(array))
        known = reading is not None and reading.array() is array and not array.flags.writeable
        return reading.tensor if known and reading is not None else None

    def forget_old(self) -> None:
        """Let go of tensors whose arrays are gone, then of the oldest as long as there are too many bytes."""
        self._by_identity = {key: one for key, one in self._by_identity.items() if one.array() is not None}
        while sum(reading.size_bytes for reading in self._by_identity.values()) > KEPT_BYTES:
            del self._by_identity[next(iter(self._by_identity))]
