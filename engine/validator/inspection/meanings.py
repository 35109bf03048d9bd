"""What the torch nodes of a traced stage compute, in a precision of choice, from values that are given."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from torch import Tensor, fx
from torch.export import ExportedProgram
from torch.fx.node import map_aggregate, map_arg

from engine.compiler.traced_graph import Numbers, number_of, operator_name
from engine.ops.inverse_stft import inverse_stft
from engine.speech import Array

Given = Mapping[fx.Node, Tensor]
"""Values of nodes that are not computed, because they are known."""


class Meaning:
    """A traced stage with weights, computed in `dtype` (float32 or float64).

    `weights` are arrays by state-dict key; `numbers` are the symbolic lengths.
    """

    def __init__(
        self, program: ExportedProgram, weights: Mapping[str, Array], numbers: Numbers, dtype: torch.dtype
    ) -> None:
        self.dtype = dtype
        self._numbers = numbers
        self._constants = dict(_constants(program, weights))

    def cast(self, tensor: Tensor) -> Tensor:
        """The tensor in this precision; one of whole numbers or truth values as it is."""
        return tensor.to(self.dtype) if tensor.is_floating_point() else tensor

    def value(self, node: fx.Node, given: Given) -> Tensor:
        """The value of a node, computed from the given ones and the weights.

        Raises `KeyError` when it depends on an input that is not given.
        """
        values: dict[fx.Node, Any] = {one: self.cast(tensor) for one, tensor in given.items()}
        for one in needed(node, given):
            values[one] = self._computed(one, values)
        result: Tensor = values[node]
        return result

    def _computed(self, node: fx.Node, values: Mapping[fx.Node, Any]) -> Any:
        if is_length(node):
            return number_of(node.meta["val"], self._numbers)
        if node.op == "placeholder":
            return self.cast(self._constants[node.name])
        operator = _EXACT.get(operator_name(node), node.target) if self.dtype is torch.float64 else node.target
        arguments, named = map_arg((node.args, node.kwargs), lambda one: values[one])
        return operator(*_in(self.dtype, arguments), **_in(self.dtype, named))  # type: ignore[operator]


def needed(node: fx.Node, given: Collection[fx.Node]) -> list[fx.Node]:
    """The nodes that must be computed for `node`, in order, it last, when those of `given` are known."""
    order: dict[fx.Node, None] = {}

    def visit(one: fx.Node) -> None:
        if one in given or one in order:
            return
        for argument in () if is_length(one) else one.all_input_nodes:
            visit(argument)
        order[one] = None

    visit(node)
    return list(order)


def is_length(node: fx.Node) -> bool:
    """Whether a node's value is a length, not a tensor."""
    return isinstance(node.meta.get("val"), (int, torch.SymInt))


def _constants(program: ExportedProgram, weights: Mapping[str, Array]) -> Iterator[tuple[str, Tensor]]:
    """The weights, buffers and constants of a traced stage, by their nodes' names."""
    signature = program.graph_signature
    for name, key in signature.inputs_to_parameters.items():
        yield name, torch.from_numpy(np.array(weights[key]))
    for name, key in signature.inputs_to_buffers.items():
        yield name, program.state_dict[key] if key in program.state_dict else program.constants[key]
    for name, key in signature.inputs_to_lifted_tensor_constants.items():
        yield name, program.constants[key]


def _in(dtype: torch.dtype, arguments: Any) -> Any:
    """Arguments with this type of numbers in place of float32."""
    return map_aggregate(arguments, lambda one: dtype if one is torch.float32 else one)


def _inverse_stft(
    magnitude: Tensor, phase: Tensor, lengths: Tensor, n_fft: int, hop: int, samples_per_frame: int
) -> Tensor:
    spectrum = magnitude.numpy(), phase.numpy()
    return torch.from_numpy(inverse_stft(*spectrum, lengths.numpy(), n_fft, hop, samples_per_frame))


_EXACT: Mapping[str, Callable[..., Tensor]] = MappingProxyType({"inverse_stft.default": _inverse_stft})
"""What computes an operator in float64 where PyTorch's own has a window of float32."""
