"""Computes in PyTorch the nodes of a traced stage, and the kernels inside an LSTM, which is a single node there.

Nodes compute in a precision of choice, from given values. Within an LSTM, shapes are [batch, time, channels] if a value
has a time, and gates are in torch's order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from torch import Tensor, fx
from torch.export import ExportedProgram
from torch.fx.node import map_aggregate, map_arg

from engine.compiler.traced_graph import Numbers, number_of, operator_name
from engine.network.ops.inverse_stft import inverse_stft
from engine.network.ops.torch_ops import lstm_forward_packed, lstm_forward_packed_bidirectional
from engine.speech import Array

Given = Mapping[fx.Node, Tensor]
"""Known values of nodes, which are not computed."""


class ReferenceStage:
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
        """Return the tensor in this precision; integers and booleans are unchanged."""
        return tensor.to(self.dtype) if tensor.is_floating_point() else tensor

    def value(self, node: fx.Node, given: Given) -> Tensor:
        """Return the value of a node, computed from the given ones and the weights.

        Raises `KeyError` if it depends on an input that is not given.
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
    """Return the nodes to compute for `node`, in order, ending with it, if those of `given` are known."""
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
    """Return whether a node's value is a length, not a tensor."""
    return isinstance(node.meta.get("val"), (int, torch.SymInt))


def _constants(program: ExportedProgram, weights: Mapping[str, Array]) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights, buffers and constants of a traced stage, by their nodes' names."""
    signature = program.graph_signature
    for name, key in signature.inputs_to_parameters.items():
        yield name, torch.from_numpy(np.array(weights[key]))
    for name, key in signature.inputs_to_buffers.items():
        yield name, program.state_dict[key] if key in program.state_dict else program.constants[key]
    for name, key in signature.inputs_to_lifted_tensor_constants.items():
        yield name, program.constants[key]


def _in(dtype: torch.dtype, arguments: Any) -> Any:
    """Return the arguments with `dtype` instead of float32."""
    return map_aggregate(arguments, lambda one: dtype if one is torch.float32 else one)


def _inverse_stft(
    magnitude: Tensor, phase: Tensor, lengths: Tensor, n_fft: int, hop: int, samples_per_frame: int
) -> Tensor:
    spectrum = magnitude.numpy(), phase.numpy()
    return torch.from_numpy(inverse_stft(*spectrum, lengths.numpy(), n_fft, hop, samples_per_frame))


_EXACT: Mapping[str, Callable[..., Tensor]] = MappingProxyType({"inverse_stft.default": _inverse_stft})
"""Float64 implementations of operators for which PyTorch's own uses a float32 window."""


RECURRENCE, _SLICE, _PROJECTION = "recurrence", "strided_slice", "linear"
_WEIGHTS = 3
"""Weights of a direction: of the input, of the hidden state, and the bias.

A recurrence for CPUs has as many arguments for each direction: the part that differs between steps, the part that all
share, and the packed weight of the hidden state.
"""
_ARGUMENTS_ON_METAL = 4
"""The number of a kernel's arguments on Metal.

Of a projection: input, packed weight, bias, result. Of a recurrence: projections, packed weight, lengths, result.
"""


@dataclass(frozen=True)
class LstmCall:
    """A kernel's call inside an LSTM: its arguments, and the LSTM's weights by direction.

    `steps` computes the LSTM's input [batch, time, channels]; `direction` counts earlier calls of the same kind.
    """

    arguments: Sequence[Tensor | None]
    steps: Callable[[], Tensor]
    lengths: Tensor
    directions: Sequence[Sequence[Tensor]]
    direction: int
    shape: tuple[int, ...]


def directions_of(weights: Sequence[Tensor]) -> list[Sequence[Tensor]]:
    """Return the weights by direction."""
    return [weights[first : first + _WEIGHTS] for first in range(0, len(weights), _WEIGHTS)]


def is_lstm(node: fx.Node) -> bool:
    """Return whether a node of a traced stage is an LSTM."""
    return getattr(node.target, "__name__", "").startswith("lstm_forward_packed")


def role(kernel: str) -> str:
    """Return a kernel's last operation: its name without the number that tells it from kernels of other sizes."""
    name = re.sub(r"\d+$", "", kernel)
    return _SLICE if name.endswith(_SLICE) else name


def has_time(kernel: str) -> bool:
    """Return whether a kernel inside an LSTM has a value for every step, as [batch * time, ...] or with time."""
    return role(kernel) in (_PROJECTION, _SLICE)


def lstm_reference(kernel: str) -> Callable[[LstmCall], Tensor] | None:
    """Return the computation of a kernel inside an LSTM; None for an unknown one."""
    return _LSTM_REFERENCES.get(role(kernel))


def _changing(call: LstmCall) -> Tensor:
    """Return the channels of the input that may differ from step to step."""
    return call.steps()[..., : call.shape[-1]]


def _projection(call: LstmCall) -> Tensor:
    """Project in one direction without its bias; on Metal, where the bias is an argument, in all directions with it."""
    rows = _tensor(call, 0)
    if len(call.arguments) == _ARGUMENTS_ON_METAL:
        of_inputs, _, biases = zip(*call.directions, strict=True)
        return rows @ torch.cat(list(of_inputs)).T + torch.cat(list(biases))
    of_input = call.directions[call.direction][0]
    return rows @ of_input[:, : rows.shape[-1]].T


def _offset(call: LstmCall) -> Tensor:
    constant_input = _tensor(call, 0)
    of_input, _, bias = call.directions[call.direction]
    return constant_input @ of_input[:, -constant_input.shape[-1] :].T + bias


def _bias(call: LstmCall) -> Tensor:
    return call.directions[call.direction][2].expand(call.shape)


def _recurrence(call: LstmCall) -> Tensor:
    """Run the LSTM over the projections [batch, time, gates] of each direction, which are its input unchanged."""
    count, parts = len(call.directions), _projections(call)
    gates = parts[0].shape[-1]
    unit = torch.eye(gates, dtype=parts[0].dtype)
    weights: list[Tensor] = []
    for index, (_, of_hidden, bias) in enumerate(call.directions):
        chosen = torch.zeros(gates, count * gates, dtype=unit.dtype)
        chosen[:, index * gates : (index + 1) * gates] = unit
        weights += [chosen, of_hidden, torch.zeros_like(bias)]
    operator = lstm_forward_packed if count == 1 else lstm_forward_packed_bidirectional
    result: Tensor = operator(torch.cat(parts, dim=2), call.lengths, *weights)
    return result


def _projections(call: LstmCall) -> list[Tensor]:
    """Return the projections of each direction [batch, time, gates], including the part that all steps share."""
    if len(call.arguments) == _ARGUMENTS_ON_METAL:
        return list(_tensor(call, 0).chunk(len(call.directions), dim=2))
    places = range(0, _WEIGHTS * len(call.directions), _WEIGHTS)
    return [_tensor(call, place) + _tensor(call, place + 1)[:, None] for place in places]


def _tensor(call: LstmCall, position: int) -> Tensor:
    """Return an argument that is a tensor."""
    argument = call.arguments[position]
    if argument is None:
        raise TypeError(f"Argument {position} of a kernel inside an LSTM is no tensor.")
    return argument.to(call.directions[0][0].dtype)


_LSTM_REFERENCES: Mapping[str, Callable[[LstmCall], Tensor]] = MappingProxyType(
    {
        _SLICE: _changing,
        _PROJECTION: _projection,
        "lstm_offset": _offset,
        "broadcast_to": _bias,
        RECURRENCE: _recurrence,
    }
)
