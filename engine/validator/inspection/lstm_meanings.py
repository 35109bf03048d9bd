"""What the kernels inside one LSTM compute: values that the torch graph, which has the LSTM whole, does not have.

Shapes are [batch, time, channels] where a value has a time, and gates are in torch's order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor, fx

from engine.ops.torch_ops import lstm_forward_packed, lstm_forward_packed_bidirectional

RECURRENCE, _SLICE, _PROJECTION = "recurrence", "strided_slice", "linear"
_WEIGHTS = 3
"""Weights of a direction: of the input, of the hidden state, and the bias. A recurrence for processors has as many
arguments for each: what differs between steps, what all share, and the packed weight of the hidden state."""
_ARGUMENTS_ON_METAL = 4
"""Of a projection: input, packed weight, bias, result. Of a recurrence: projections, packed weight, lengths, result."""


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
    """The weights by direction."""
    return [weights[first : first + _WEIGHTS] for first in range(0, len(weights), _WEIGHTS)]


def is_lstm(node: fx.Node) -> bool:
    """Whether a node of a traced stage is an LSTM."""
    return getattr(node.target, "__name__", "").startswith("lstm_forward_packed")


def role(kernel: str) -> str:
    """What a kernel does last, by its name: without the number that tells it from kernels of other sizes."""
    name = re.sub(r"\d+$", "", kernel)
    return _SLICE if name.endswith(_SLICE) else name


def has_time(kernel: str) -> bool:
    """Whether the result of a kernel inside an LSTM has values for every step, as [batch * time, ...] or with time."""
    return role(kernel) in (_PROJECTION, _SLICE)


def lstm_meaning(kernel: str) -> Callable[[LstmCall], Tensor] | None:
    """What a kernel inside an LSTM computes; None for one that is not known."""
    return _MEANINGS.get(role(kernel))


def _changing(call: LstmCall) -> Tensor:
    """The channels of the input that may differ from step to step."""
    return call.steps()[..., : call.shape[-1]]


def _projection(call: LstmCall) -> Tensor:
    """That of one direction without its bias; on Metal, where the bias is an argument, of all directions with it."""
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
    """The LSTM over the projections [batch, time, gates] of each direction, which are its input as they are."""
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
    """The projections of each direction [batch, time, gates], what all steps share included."""
    if len(call.arguments) == _ARGUMENTS_ON_METAL:
        return list(_tensor(call, 0).chunk(len(call.directions), dim=2))
    places = range(0, _WEIGHTS * len(call.directions), _WEIGHTS)
    return [_tensor(call, place) + _tensor(call, place + 1)[:, None] for place in places]


def _tensor(call: LstmCall, position: int) -> Tensor:
    """An argument that is a tensor."""
    argument = call.arguments[position]
    if argument is None:
        raise TypeError(f"Argument {position} of a kernel inside an LSTM is no tensor.")
    return argument.to(call.directions[0][0].dtype)


_MEANINGS: Mapping[str, Callable[[LstmCall], Tensor]] = MappingProxyType(
    {
        _SLICE: _changing,
        _PROJECTION: _projection,
        "lstm_offset": _offset,
        "broadcast_to": _bias,
        RECURRENCE: _recurrence,
    }
)
