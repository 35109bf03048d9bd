"""Batches of random inputs for a stage, whose sequences have different lengths, with any values in the padding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.config import ModelConfig
from engine.runtime.runners.base import COUNTS, Runner, cropped
from engine.speech import Array
from engine.stages import Stage, Tensor

FILLINGS: Mapping[str, Callable[[np.random.Generator, tuple[int, ...]], Array]] = {
    "zeros": lambda random, shape: np.zeros(shape),
    "noise": lambda random, shape: 1e3 * random.standard_normal(shape),
    "nan": lambda random, shape: np.full(shape, np.nan),
}
MAX_TOKENS = 9
"""The number of tokens that frames point at."""


@dataclass(frozen=True)
class Batch:
    """The inputs of each sequence, as a batch of one without padding; `lengths` are along the stage's counted axis."""

    stage: Stage
    config: ModelConfig
    counted: str
    lengths: tuple[int, ...]
    members: tuple[dict[str, Array], ...]

    def member(self, index: int) -> dict[str, Array]:
        """Return the inputs of one sequence."""
        return self.members[index]

    def padded(self, more: int, filling: str = "zeros", seed: int = 0) -> dict[str, Array]:
        """Return all sequences in arrays that are longer than the longest of them by `more`."""
        random = np.random.default_rng(seed)
        return {tensor.name: self._padded(tensor, more, filling, random) for tensor in self.stage.inputs}

    def valid(self, tensor: Tensor, array: Array, index: int) -> Array:
        """Return one sequence's part of an array of the batch."""
        return cropped(self.config, tensor, array[index], {self.counted: self.lengths[index]})

    def _padded(self, tensor: Tensor, more: int, filling: str, random: np.random.Generator) -> Array:
        if not tensor.axes:
            return np.concatenate([member[tensor.name] for member in self.members])
        most = {"tokens": MAX_TOKENS, self.counted: max(self.lengths) + more}
        shape = tensor.shape(self.config, len(self.lengths), most)
        if tensor.dtype == "int32":
            array: Array = random.integers(0, MAX_TOKENS, shape, np.int32) * np.int32(filling != "zeros")
        else:
            array = FILLINGS[filling](random, shape).astype(tensor.dtype)
        for index, member in enumerate(self.members):
            self.valid(tensor, array, index)[...] = member[tensor.name][0]
        return array


def random_batch(stage: Stage, config: ModelConfig, lengths: Sequence[int], seed: int = 0) -> Batch:
    """Return random inputs for a stage."""
    random = np.random.default_rng(seed)
    counted = next(axis for axis, count in COUNTS.items() if any(tensor.name == count for tensor in stage.inputs))

    def made_up(tensor: Tensor, length: int) -> Array:
        shape = tensor.shape(config, 1, {"tokens": MAX_TOKENS, counted: length})
        if tensor.name == COUNTS[counted]:
            return np.full(shape, length, np.int32)
        if tensor.dtype == "int32":
            return random.integers(0, MAX_TOKENS, shape, np.int32)
        return random.standard_normal(shape).astype(np.float32)

    members = tuple({tensor.name: made_up(tensor, length) for tensor in stage.inputs} for length in lengths)
    return Batch(stage, config, counted, tuple(lengths), members)


def assert_padding_changes_nothing(
    runner: Runner, stage: Stage, config: ModelConfig, lengths: Sequence[int], more: int, seed: int = 0
) -> None:
    """Check that values in the padding do not affect valid values, and that outputs in the padding are 0."""
    batch = random_batch(stage, config, lengths, seed)
    usual = runner.run_stage(stage, batch.padded(more))
    for filling in FILLINGS:
        outputs = runner.run_stage(stage, batch.padded(more, filling, seed))
        for tensor in stage.outputs:
            assert np.isfinite(outputs[tensor.name]).all(), (filling, tensor.name)
            assert np.array_equal(outputs[tensor.name], usual[tensor.name]), (filling, tensor.name)
            for index in range(len(lengths)):
                rest = outputs[tensor.name][index].copy()
                cropped(config, tensor, rest, {batch.counted: lengths[index]})[...] = 0
                assert not rest.any(), (filling, tensor.name)
