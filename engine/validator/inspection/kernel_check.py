"""Compares a kernel's result with that of PyTorch on the same arguments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, fx

from engine.compiler.traced_graph import Numbers, number_of, numbers_of, operator_name, shape_of
from engine.speech import Array
from engine.validator.inspection.kernel_calls import CompiledGraph, KernelCall, inputs_of
from engine.validator.inspection.reference_stage import (
    RECURRENCE,
    LstmCall,
    ReferenceStage,
    directions_of,
    has_time,
    is_lstm,
    lstm_reference,
    role,
)
from engine.validator.inspection.results import KernelVerdict, WrongValue

WRONG_FROM, IMPRECISE_FROM = 100.0, 10.0
"""Multiples of the floor from which a kernel is wrong, or rounds too much."""
MIN_FLOOR = 2.0**-23
"""The smallest relative difference that float32 resolves."""
_SOURCE = "harmonic_source.default"
"""The operator whose later channels are phases, which are equal if they differ by whole turns."""


@dataclass(frozen=True)
class CheckedCall:
    """A call's own error; see `KernelMeasurement`."""

    verdict: KernelVerdict
    relative_l2: float | None = None
    max_abs: float | None = None
    floor: float | None = None
    times_floor: float | None = None
    finite_percent: float = 100.0
    first_wrong: WrongValue | None = None


class KernelCheck:
    """Checks the calls of one run of a stage, for inputs of these shapes, of which `valid_shapes` is not padding.

    `weights` are arrays by state-dict key, as the checkpoint has them; `inputs` the stage's inputs in order.
    `amplified` is, for each call, the ratio of its algorithm's rounding error to that of PyTorch.
    """

    def __init__(
        self,
        graph: CompiledGraph,
        weights: Mapping[str, Array],
        inputs: Sequence[Array],
        valid_shapes: Sequence[Sequence[int]],
        amplified: Sequence[float],
    ) -> None:
        program = graph.translated.program
        self._graph = graph
        self._amplified = amplified
        self._numbers = numbers_of(program, [array.shape for array in inputs])
        self._valid = numbers_of(program, valid_shapes)
        precisions = (torch.float64, torch.float32)
        self._exact, self._plain = (ReferenceStage(program, weights, self._numbers, one) for one in precisions)
        self._inputs = dict(zip(inputs_of(graph), map(_tensor, inputs), strict=True))

    def check(self, index: int, arguments: Sequence[Array | int | float]) -> CheckedCall:
        """Return the error of call number `index`, given its arguments, with its result last."""
        call = self._graph.calls[index]
        tensors = [_tensor(one) if isinstance(one, np.ndarray) else None for one in arguments]
        result = tensors[-1]
        expected = [self._expected(reference, index, tensors) for reference in (self._exact, self._plain)]
        if expected[0] is None or expected[1] is None or result is None:
            return CheckedCall(KernelVerdict.UNKNOWN)
        node = self._graph.node_of(call.output)
        whole = (result, expected[0], expected[1])
        ours, exact, plain = (self._cropped(one, expected[0].shape, index) for one in whole)
        return compared(ours, exact, plain, self._amplified[index], phases=operator_name(node) == _SOURCE)

    def expected(self, index: int, arguments: Sequence[Array | int | float]) -> Array | None:
        """Return PyTorch's result for these arguments in float64; None if it has no such value."""
        tensors = [_tensor(one) if isinstance(one, np.ndarray) else None for one in arguments]
        expected = self._expected(self._exact, index, tensors)
        return None if expected is None else np.asarray(expected.numpy())

    def _expected(self, reference: ReferenceStage, index: int, tensors: Sequence[Tensor | None]) -> Tensor | None:
        call = self._graph.calls[index]
        node = self._graph.node_of(call.output)
        given = self._given(call, tensors)
        if node is not None and role(call.kernel) != RECURRENCE:
            with torch.no_grad():
                return reference.value(node, given)
        lstm = self._graph.translated.makers.get(call.output)
        inside = lstm_reference(call.kernel)
        if lstm is None or inside is None or not is_lstm(lstm):
            return None
        with torch.no_grad():
            return inside(self._lstm_call(reference, lstm, index, tensors, given))

    def _given(self, call: KernelCall, tensors: Sequence[Tensor | None]) -> dict[fx.Node, Tensor]:
        """Return the values of known torch nodes: the stage's inputs and the results of earlier kernels."""
        given = dict(self._inputs)
        for variable, tensor in zip(call.inputs, tensors, strict=False):
            node = None if variable is None else self._graph.node_of(variable)
            if node is not None and tensor is not None and node in self._graph.fed_by_inputs:
                given[node] = tensor.reshape(self._shape(node, self._numbers))
        return given

    def _lstm_call(
        self,
        reference: ReferenceStage,
        lstm: fx.Node,
        index: int,
        tensors: Sequence[Tensor | None],
        given: Mapping[fx.Node, Tensor],
    ) -> LstmCall:
        steps, lengths, *weights = lstm.all_input_nodes
        return LstmCall(
            arguments=tensors,
            steps=lambda: reference.value(steps, given),
            lengths=reference.value(lengths, given),
            directions=directions_of([reference.value(one, {}) for one in weights]),
            direction=self._direction(index),
            shape=tuple(tensors[-1].shape),  # type: ignore[union-attr]
        )

    def _direction(self, index: int) -> int:
        """Count the earlier calls with the same role for the same LSTM."""
        calls, makers = self._graph.calls, self._graph.translated.makers
        this = calls[index]
        return sum(
            role(one.kernel) == role(this.kernel) and makers.get(one.output) is makers.get(this.output)
            for one in calls[:index]
        )

    def _cropped(self, tensor: Tensor, shape: Sequence[int], index: int) -> Array:
        """Return a result without its padding."""
        call = self._graph.calls[index]
        node = self._graph.node_of(call.output)
        if node is not None:
            whole = tensor.reshape(tuple(shape))
            return whole[tuple(slice(extent) for extent in self._shape(node, self._valid))].numpy()
        if not has_time(call.kernel):
            return tensor.reshape(tuple(shape)).numpy()
        lstm = self._graph.translated.makers[call.output]
        (batch, time, _), (_, valid, _) = self._shape(lstm, self._numbers), self._shape(lstm, self._valid)
        return tensor.reshape(batch, time, -1)[:, :valid].numpy()

    @staticmethod
    def _shape(node: fx.Node, numbers: Numbers) -> list[int]:
        return [number_of(extent, numbers) for extent in shape_of(node)]


def compared(ours: Array, exact: Array, plain: Array, amplified: float = 1.0, phases: bool = False) -> CheckedCall:
    """Return the error of ours against the exact array, beside `amplified` times that of PyTorch's float32, `plain`.

    With `phases`, the second half of the channels is compared on the circle.
    """
    finite = np.isfinite(ours)
    if not finite.all() or not np.isfinite(exact).all():
        return _not_finite(ours, exact, finite)
    error, floor = _difference(ours, exact, phases), _difference(plain, exact, phases)
    scale = _Scale.of(exact)
    least = amplified * max(scale.relative_l2(floor), MIN_FLOOR)
    most = amplified * max(scale.largest(floor), MIN_FLOOR * (scale.peak or 1.0))
    times = max(scale.relative_l2(error) / least, scale.largest(error) / most)
    verdict = _verdict(times)
    return CheckedCall(
        verdict=verdict,
        relative_l2=scale.relative_l2(error),
        max_abs=scale.largest(error),
        floor=least,
        times_floor=times,
        first_wrong=_first(np.abs(error) >= IMPRECISE_FROM * most, ours, exact),
    )


def _verdict(times: float) -> KernelVerdict:
    if times >= WRONG_FROM:
        return KernelVerdict.WRONG
    return KernelVerdict.IMPRECISE if times >= IMPRECISE_FROM else KernelVerdict.RIGHT


def _not_finite(ours: Array, exact: Array, finite: Array) -> CheckedCall:
    """Return a verdict of wrong if ours is not finite where PyTorch's is, otherwise unknown."""
    wrong = np.logical_and(np.logical_not(finite), np.isfinite(exact))
    verdict = KernelVerdict.WRONG if wrong.any() else KernelVerdict.UNKNOWN
    return CheckedCall(verdict, finite_percent=100.0 * float(finite.mean()), first_wrong=_first(wrong, ours, exact))


def _first(wrong: Array, ours: Array, exact: Array) -> WrongValue | None:
    if not wrong.any():
        return None
    index = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    return WrongValue(tuple(int(one) for one in index), _number(ours[index]), _number(exact[index]))


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _difference(ours: Array, exact: Array, phases: bool) -> Array:
    """Return ours less the exact values; phases by the shorter way round the circle.

    A phase of exactly pi has its sign by contract, so -pi differs from it by a whole turn.
    """
    difference = np.asarray(ours.astype(np.float64) - exact.astype(np.float64))
    if phases:
        half = difference.shape[1] // 2
        turns = np.rint(difference[:, half:] / (2 * np.pi))
        difference[:, half:] -= np.where(np.abs(exact[:, half:]) == np.float32(np.pi), 0, 2 * np.pi * turns)
    return difference


@dataclass(frozen=True)
class _Scale:
    """The norm and the peak of the exact values, to which errors are related."""

    norm: float
    peak: float

    @classmethod
    def of(cls, exact: Array) -> _Scale:
        values = exact.astype(np.float64)
        return cls(float(np.linalg.norm(values)), float(np.abs(values).max(initial=0.0)))

    def relative_l2(self, error: Array) -> float:
        """Return the error's norm over that of the values; the error's norm itself if they are all 0."""
        return float(np.linalg.norm(error)) / (self.norm or 1.0)

    def largest(self, error: Array) -> float:
        return float(np.abs(error).max(initial=0.0))


def _tensor(array: Array) -> Tensor:
    return torch.from_numpy(np.require(array, requirements=("C", "W")))
