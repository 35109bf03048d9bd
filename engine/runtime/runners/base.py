"""The interface of all runners, and the check of a stage's inputs against its declaration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from engine.config import ModelConfig
from engine.speech import Array
from engine.stages import Axis, ProbeObserver, Stage, Tensor

COUNTS = {"tokens": "token_count", "frames": "frame_count"}
"""The tensor with the valid lengths of each symbolic axis."""


class Runner(Protocol):
    """The interface of all runners."""

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Compute the stage's declared outputs from its declared inputs, by name.

        Raises `ValueError` unless the inputs are the declared ones.
        """

    def close(self) -> None:
        """Release the runner's resources; it cannot run afterwards."""


class JoinedRunner:
    """Runs the stages named in `runners` with their own runners, and all others with `rest`.

    It closes those that are `owned`.
    """

    def __init__(self, runners: Mapping[str, Runner], rest: Runner, owned: Sequence[Runner] = ()) -> None:
        self._runners = runners
        self._rest = rest
        self._owned = owned

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Run the stage with its runner; see `Runner.run_stage`."""
        return self._runners.get(stage.name, self._rest).run_stage(stage, inputs)

    def close(self) -> None:
        """Close the owned runners."""
        for runner in self._owned:
            runner.close()


def check_inputs(config: ModelConfig, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, int]:
    """Check names, types, shapes and counts; return the extent of `batch` and of each symbolic axis.

    Raises `ValueError`, which names the tensor and its declaration.
    """
    expected, given = [tensor.name for tensor in stage.inputs], sorted(inputs)
    if sorted(expected) != given:
        raise ValueError(f"Stage {stage.name} takes {', '.join(expected)}; it was given {', '.join(given)}.")
    lengths = _lengths(config, stage, inputs)
    for tensor in stage.inputs:
        array, shape = inputs[tensor.name], tensor.shape(config, lengths["batch"], lengths)
        if str(array.dtype) != tensor.dtype or array.shape != shape:
            raise ValueError(
                f"Stage {stage.name}: {tensor.name} must be {tensor.dtype} {shape}, not {array.dtype} {array.shape}."
            )
    for axis, count in COUNTS.items():
        if count in inputs and axis in lengths:
            _check_count(stage, count, inputs[count], lengths[axis])
    return lengths


def _lengths(config: ModelConfig, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, int]:
    """Return the extent of each axis in the first tensor that has it; `check_inputs` compares the others."""
    lengths = {"batch": len(inputs[stage.inputs[0].name])}
    for tensor in stage.inputs:
        array = inputs[tensor.name]
        if array.ndim != len(tensor.axes) + 1:
            raise ValueError(
                f"Stage {stage.name}: {tensor.name} must have {len(tensor.axes) + 1} axes, not {array.ndim}."
            )
        for axis, extent in zip(tensor.axes, array.shape[1:], strict=True):
            if isinstance(axis, Axis):
                lengths.setdefault(axis.name, (extent - axis.plus) // axis.factor(config))
    return lengths


def _check_count(stage: Stage, name: str, counts: Array, limit: int) -> None:
    if not all(1 <= count <= limit for count in counts.tolist()):
        raise ValueError(f"Stage {stage.name}: {name} must lie in 1 to {limit}, not {counts.tolist()}.")


def named_outputs(
    stage: Stage, values: Sequence[Array], paths: Sequence[str] = (), observe: ProbeObserver | None = None
) -> dict[str, Array]:
    """Return a stage's outputs by name; `observe` receives the remaining values, the activations at `paths`.

    Raises `ValueError` if the number of values differs from that of outputs and paths.
    """
    count = len(stage.outputs)
    for path, value in zip(paths, values[count:], strict=True):
        if observe is not None:
            observe(path, value)
    return {tensor.name: value for tensor, value in zip(stage.outputs, values[:count], strict=True)}


def cropped(config: ModelConfig, tensor: Tensor, array: Array, lengths: Mapping[str, int]) -> Array:
    """Crop the padding of one sequence's array [...] along the axes whose valid lengths are given."""
    valid = (
        slice(axis.extent(config, lengths)) if isinstance(axis, Axis) and axis.name in lengths else slice(None)
        for axis in tensor.axes
    )
    return array[tuple(valid)]
