"""Smaller inputs of a stage: fewer tokens or frames, arrays of zeros, single channels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from engine.config import ModelConfig
from engine.runners.base import COUNTS
from engine.speech import Array
from engine.stages import FRAMES, TOKENS, Axis, Stage, Tensor
from engine.validator.cases.delta_debugging import Budget, Tries, minimised

Inputs = Mapping[str, Array]
FRAME_TOKEN = "frame_token"
SMALLEST_LENGTHS = 16
"""Lengths up to this are tried one by one, longer ones in steps of half as much again."""


def smallest_inputs(
    config: ModelConfig, stage: Stage, inputs: Inputs, fails: Callable[[Inputs], bool], budget: Budget
) -> Inputs:
    """The smallest inputs found that still fail: the shortest, then with as much of them zero as possible."""
    for axis in _axes(stage):
        inputs = _shortest(config, stage, inputs, axis, fails, budget)
    return _sparsest(stage, inputs, fails, budget)


def what_was_left_out(stage: Stage, before: Inputs, after: Inputs) -> tuple[str, ...]:
    """Phrases about what a reduction has taken from the inputs."""
    phrases = [
        f"{axis.name}: {_length(stage, before, axis)} to {_length(stage, after, axis)}"
        for axis in _axes(stage)
        if _length(stage, before, axis) != _length(stage, after, axis)
    ]
    for tensor in _values(stage):
        kept, whole = np.count_nonzero(after[tensor.name]), after[tensor.name].size
        if kept < whole:
            phrases.append(f"{tensor.name}: {kept:,} of {whole:,} values are not zero")
    return tuple(phrases)


def window(config: ModelConfig, stage: Stage, inputs: Inputs, axis: Axis, start: int, end: int) -> Inputs | None:
    """The inputs with only the steps `start` to `end` of an axis; None where frames would speak tokens left out."""
    cut = dict(inputs)
    for tensor in stage.inputs:
        for place, each in enumerate(tensor.axes, start=1):
            if isinstance(each, Axis) and each.name == axis.name:
                times = each.factor(config)
                steps = slice(times * start, times * end + each.plus)
                cut[tensor.name] = np.ascontiguousarray(inputs[tensor.name][(slice(None),) * place + (steps,)])
    count = COUNTS[axis.name]
    if count in cut:
        cut[count] = np.full_like(inputs[count], end - start)
    if axis == TOKENS and FRAME_TOKEN in cut:
        cut[FRAME_TOKEN] = inputs[FRAME_TOKEN].astype(np.int32) - np.int32(start)
        if cut[FRAME_TOKEN].min() < 0 or cut[FRAME_TOKEN].max() >= end - start:
            return None
    return cut


def _axes(stage: Stage) -> tuple[Axis, ...]:
    """Frames before tokens: without frames that speak them, tokens can be left out."""
    names = {axis.name for tensor in stage.inputs for axis in tensor.axes if isinstance(axis, Axis)}
    return tuple(axis for axis in (FRAMES, TOKENS) if axis.name in names)


def _length(stage: Stage, inputs: Inputs, axis: Axis) -> int:
    """How many steps of an axis the inputs have, by a tensor of which each step is one element."""
    for tensor in stage.inputs:
        if axis in tensor.axes:
            return int(inputs[tensor.name].shape[tensor.axes.index(axis) + 1])
    return int(inputs[COUNTS[axis.name]][0])


def _shortest(
    config: ModelConfig, stage: Stage, inputs: Inputs, axis: Axis, fails: Callable[[Inputs], bool], budget: Budget
) -> Inputs:
    """The inputs with the shortest beginning that fails, then without as many of its first steps as possible."""
    length = _length(stage, inputs, axis)

    def cut(steps: tuple[int, ...]) -> Inputs | None:
        return window(config, stage, inputs, axis, *steps)

    def fails_within(steps: tuple[int, ...]) -> bool:
        smaller = cut(steps)
        return smaller is not None and fails(smaller)

    tries = Tries(fails_within, budget)
    end = _first_failing(length, lambda end: tries((0, end)))
    start = end - _first_failing(end, lambda kept: tries((end - kept, end)))
    return cut((start, end)) or inputs


def _first_failing(length: int, fails: Callable[[int], bool]) -> int:
    """The smallest of the lengths tried that fails: `length` itself is known to."""
    tried = 0
    for candidate in _lengths(length):
        if fails(candidate):
            return _between(tried, candidate, fails)
        tried = candidate
    return _between(tried, length, fails)


def _between(passing: int, failing: int, fails: Callable[[int], bool]) -> int:
    """Halve the distance between a length that passes and one that fails."""
    while failing - passing > 1:
        middle = (passing + failing) // 2
        passing, failing = (passing, middle) if fails(middle) else (middle, failing)
    return failing


def _lengths(length: int) -> Iterator[int]:
    candidate = 1
    while candidate < length:
        yield candidate
        candidate += 1 if candidate < SMALLEST_LENGTHS else candidate // 2


def _values(stage: Stage) -> tuple[Tensor, ...]:
    """The inputs that may be zero: numbers, not places or counts."""
    return tuple(tensor for tensor in stage.inputs if tensor.axes and tensor.dtype == "float32")


def _sparsest(stage: Stage, inputs: Inputs, fails: Callable[[Inputs], bool], budget: Budget) -> Inputs:
    """Whole arrays become zero where it still fails, then all rows but the few that it takes."""
    parts = [(tensor.name, row) for tensor in _values(stage) for row in range(inputs[tensor.name].shape[1])]
    tries = Tries[tuple[str, int]](lambda kept: fails(_with_only(stage, inputs, kept)), budget)
    kept = tuple(parts)
    for tensor in _values(stage):
        without = tuple(part for part in kept if part[0] != tensor.name)
        kept = without if tries(without) else kept
    return _with_only(stage, inputs, minimised(kept, tries)) if len(kept) else inputs


def _with_only(stage: Stage, inputs: Inputs, kept: tuple[tuple[str, int], ...]) -> Inputs:
    """The inputs with zeros in all but these rows, along the first axis after the batch."""
    sparse = dict(inputs)
    for tensor in _values(stage):
        rows = [row for name, row in kept if name == tensor.name]
        sparse[tensor.name] = np.zeros_like(inputs[tensor.name])
        sparse[tensor.name][:, rows] = inputs[tensor.name][:, rows]
    return sparse
