"""Runs stages like a static pipeline: every length padded with zeros, the results cropped to the valid lengths.

Between the stages of this project all values beyond a length are zero, so padding each stage's inputs separately is
equivalent to one padded pipeline.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from engine.config import ModelConfig
from engine.runtime.runners.base import COUNTS, Runner, check_inputs, cropped
from engine.speech import Array
from engine.stages import TOKENS, Stage, Tensor

_NEGLIGIBLE_DIGITS = 6
"""The decimals to which length times ratio is rounded first, so that rounding errors add no step."""


class PaddedRunner:
    """A runner that increases every length by the ratio `padding`: 0 leaves it, 1 doubles it.

    Token counts increase at most to the model's limit. Raises `ValueError` for a padding that is negative or infinite.
    """

    def __init__(self, config: ModelConfig, runner: Runner, padding: float) -> None:
        if not 0 <= padding < math.inf:
            raise ValueError(f"The padding must be 0 or a positive number, not {padding:g}.")
        self._config = config
        self._runner = runner
        self._padding = padding
        self._tails: dict[str, Array] = {}

    @property
    def tails(self) -> Mapping[str, Array]:
        """The last stage's values beyond each sequence's length, by output, flat; empty without padding."""
        return dict(self._tails)

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run_stage`."""
        given = check_inputs(self._config, stage, inputs)
        padded = {axis: self._grown(axis, length) for axis, length in given.items() if axis != "batch"}
        outputs = self._runner.run_stage(
            stage, {tensor.name: self._filled(tensor, inputs[tensor.name], padded) for tensor in stage.inputs}
        )
        self._tails = {tensor.name: self._tail(tensor, outputs[tensor.name], inputs, given) for tensor in stage.outputs}
        return {
            tensor.name: np.ascontiguousarray(
                [cropped(self._config, tensor, row, given) for row in outputs[tensor.name]]
            )
            for tensor in stage.outputs
        }

    def close(self) -> None:
        """Close the inner runner."""
        self._runner.close()

    def _grown(self, axis: str, length: int) -> int:
        grown = padded_length(length, self._padding)
        return max(length, min(grown, self._config.token_limit)) if axis == TOKENS.name else grown

    def _filled(self, tensor: Tensor, array: Array, padded: Mapping[str, int]) -> Array:
        """Return the array with zeros up to the padded extents."""
        filled = np.zeros(tensor.shape(self._config, len(array), padded), array.dtype)
        filled[tuple(slice(extent) for extent in array.shape)] = array
        return filled

    def _tail(self, tensor: Tensor, array: Array, inputs: Mapping[str, Array], given: Mapping[str, int]) -> Array:
        """Return all values beyond the sequences' lengths; without a count, the length before padding applies."""
        beyond = np.ones(array.shape, np.bool_)
        for batch_index in range(len(beyond)):
            counted = {axis: int(inputs[count][batch_index]) for axis, count in COUNTS.items() if count in inputs}
            cropped(self._config, tensor, beyond[batch_index, ...], {**given, **counted})[...] = False
        return array[beyond]


def padded_length(length: int, padding: float) -> int:
    """Return the length increased by this ratio, rounded up to a whole step."""
    return length + math.ceil(round(length * padding, _NEGLIGIBLE_DIGITS))
