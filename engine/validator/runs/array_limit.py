"""Keeps the arrays of a long validation within a size, by deleting those of whole utterances."""

from __future__ import annotations

from collections import deque

from engine.validator.data.results import Row, ValidationRequest, Verdict
from engine.validator.runs.arrays import ArrayFolder


class ArrayLimit:
    """Hears of every row, and of every utterance that is done.

    Those in which all is well go first, each time the one compared longest ago; the latest one always stays.
    """

    def __init__(self, arrays: ArrayFolder | None, most_bytes: int | None) -> None:
        self._arrays = arrays
        self._most_bytes = most_bytes
        self._failing: set[int] = set()
        self._kept: deque[int] = deque()
        self._bytes: dict[int, int] = {}

    def note(self, row: Row) -> None:
        """Note whether a comparison that decides has failed."""
        if row.decides and row.verdict is Verdict.FAIL:
            self._failing.add(row.utterance)

    def finish(self, utterance: int) -> None:
        """The arrays of this utterance are all there; delete others if they are too many."""
        if self._arrays is None or self._most_bytes is None:
            return
        self._bytes[utterance] = self._arrays.bytes_of(utterance)
        while sum(self._bytes.values()) > self._most_bytes and self._kept:
            self._drop(next((each for each in self._kept if each not in self._failing), self._kept[0]), self._arrays)
        self._kept.append(utterance)

    def _drop(self, utterance: int, arrays: ArrayFolder) -> None:
        arrays.drop(utterance)
        self._kept.remove(utterance)
        del self._bytes[utterance]


def array_limit_of(request: ValidationRequest) -> ArrayLimit:
    """The limit that a request sets."""
    arrays = ArrayFolder(request.arrays_folder) if request.arrays_folder else None
    return ArrayLimit(arrays, request.most_array_bytes)
