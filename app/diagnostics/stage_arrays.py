"""One output of a stage as two arrays with time last, ours and the reference's, loaded from the arrays of a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.stages import STAGES, Axis, Size, Tensor
from engine.validator.arrays import Arrays
from engine.validator.results import Reading, Row

Numbers = NDArray[np.floating]
AUDIO = STAGES[-1].outputs[0].name
_PER_FRAME = "_per_frame"
"""Sizes with this suffix count values that follow each other in time."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two arrays [values] or [channels, values]; `axis` names their time axis, `tokens` or `frames`."""

    ours: Numbers
    reference: Numbers
    axis: str
    unit: str

    @property
    def comparable(self) -> bool:
        """Whether both arrays have the same shape."""
        return self.ours.shape == self.reference.shape


def pair_of(arrays: Arrays, row: Row) -> Pair:
    """The arrays of a row; raises `EngineError` if one is missing or damaged, `KeyError` for a non-output."""
    tensor = {each.name: each for stage in STAGES for each in stage.outputs}[row.output]
    ours = arrays.load(row.utterance, row.regime, row.reading, row.output)
    reference = arrays.load(row.utterance, row.reference, Reading.OWN_FED, row.output)
    axis = next((axis.name for axis in tensor.axes if isinstance(axis, Axis)), "")
    return Pair(_time_last(ours, tensor), _time_last(reference, tensor), axis, tensor.unit)


def _time_last(array: NDArray[np.generic], tensor: Tensor) -> Numbers:
    one: Numbers = np.asarray(array[0] if array.ndim == len(tensor.axes) + 1 else array)  # type: ignore[assignment]
    time = next(number for number, axis in enumerate(tensor.axes) if isinstance(axis, Axis))
    others = [axis for axis in tensor.axes if not isinstance(axis, Axis)]
    if all(isinstance(axis, Size) and axis.name.endswith(_PER_FRAME) for axis in others):
        return one.reshape(-1)
    return np.moveaxis(one, time, -1)
