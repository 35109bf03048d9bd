"""One output of a stage as two arrays with time last, compiled and reference, loaded from the arrays of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.speech import Array
from engine.stages import STAGES, Axis, Size, Tensor
from engine.validator.data.results import InputSource, Row
from engine.validator.measures.phoneme_alignment import by_phoneme, paired_frames
from engine.validator.runs.arrays import Arrays

Numbers = NDArray[np.floating]
AUDIO = STAGES[-1].outputs[0].name
ALIGNMENT_OUTPUT = "frame_token"
_PER_FRAME = "_per_frame"
"""Sizes with this suffix count values that follow each other in time."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two arrays [values] or [channels, values]; `axis` names their time axis, `tokens` or `frames`.

    If `by_phoneme`, the durations differ, and ours was moved to the reference's frames phoneme by phoneme.
    """

    ours: Numbers
    reference: Numbers
    axis: str
    unit: str
    by_phoneme: bool = False

    @property
    def comparable(self) -> bool:
        """True if both arrays have the same shape."""
        return self.ours.shape == self.reference.shape


def pair_of(arrays: Arrays, row: Row) -> Pair:
    """Return the arrays of a row; raises `EngineError` if one is missing or damaged, `KeyError` for a non-output."""
    return _pair(*_loaded(arrays, row), _tensor_of(row))


def pair_to_draw(arrays: Arrays, row: Row) -> Pair:
    """Return the arrays of a row, ours moved to the reference's frames if the durations differ, to overlay the two."""
    (ours, reference), tensor = _loaded(arrays, row), _tensor_of(row)
    if row.by_phoneme is None:
        return _pair(ours, reference, tensor)
    mine, theirs = (
        arrays.load(row.utterance, regime, InputSource.END_TO_END, ALIGNMENT_OUTPUT)[0]
        for regime in (row.regime, row.reference)
    )
    axis = 1 + _time_of(tensor)
    moved = by_phoneme(ours, paired_frames(mine, theirs), len(mine), axis, reference.shape[axis])
    pair = _pair(ours if moved is None else moved, reference, tensor)
    return replace(pair, by_phoneme=moved is not None)


def _loaded(arrays: Arrays, row: Row) -> tuple[Array, Array]:
    ours = arrays.load(row.utterance, row.regime, row.reading, row.output)
    return ours, arrays.load(row.utterance, row.reference, InputSource.END_TO_END, row.output)


def _tensor_of(row: Row) -> Tensor:
    return {each.name: each for stage in STAGES for each in stage.outputs}[row.output]


def _pair(ours: Array, reference: Array, tensor: Tensor) -> Pair:
    axis = next((axis.name for axis in tensor.axes if isinstance(axis, Axis)), "")
    return Pair(_time_last(ours, tensor), _time_last(reference, tensor), axis, tensor.unit)


def _time_last(array: NDArray[np.generic], tensor: Tensor) -> Numbers:
    one: Numbers = np.asarray(array[0] if array.ndim == len(tensor.axes) + 1 else array)  # type: ignore[assignment]
    time = _time_of(tensor)
    others = [axis for axis in tensor.axes if not isinstance(axis, Axis)]
    if all(isinstance(axis, Size) and axis.name.endswith(_PER_FRAME) for axis in others):
        return one.reshape(-1)
    return np.moveaxis(one, time, -1)


def _time_of(tensor: Tensor) -> int:
    return next(number for number, axis in enumerate(tensor.axes) if isinstance(axis, Axis))
