"""Converts a packed LSTM to Relax, by its method: kernels in the module, or a call of a function outside of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tvm import relax
from tvm.target import Target

from engine.compiler.kernel_calls import Call, linear_rows, shape_of
from engine.compiler.kernels.cpu.lstm import lstm_offset
from engine.compiler.targets import METAL
from engine.compiler.traced_graph import operator_name
from engine.errors import CompileError
from engine.network.ops.packed_lstm import LstmMethod

_WEIGHTS = 3
"""Weights of a direction: of the input, of the hidden state, and the bias."""
_STYLED, _STYLE = "adaptive_layer_norm.default", 2
"""The operator that appends a constant input to every step, and the index of that argument."""
_JOINED = "cat.default"
_TIME, _CHANNELS = 1, 2
"""Axes of an LSTM's input."""


@dataclass(frozen=True)
class _Lstm:
    """One LSTM of a graph; `directions` holds the weights of each.

    `constant_input` [batch, values] is what every step of `x` ends with, if that is known.
    """

    call: Call
    x: relax.Var
    lengths: relax.Var
    directions: Sequence[Sequence[relax.Var]]
    constant_input: relax.Var | None

    @property
    def hidden_size(self) -> int:
        return int(shape_of(self.directions[0][1])[1])

    @property
    def changing(self) -> int:
        """Leading channels of `x` that may differ from step to step; the others are the constant input."""
        constant_input = 0 if self.constant_input is None else int(shape_of(self.constant_input)[1])
        return int(shape_of(self.x)[2]) - constant_input

    @property
    def output_shape(self) -> list[object]:
        batch, time, _ = shape_of(self.x)
        return [batch, time, len(self.directions) * self.hidden_size]

    def joined(self) -> list[relax.Var]:
        """The weights of all directions concatenated: of the input, of the hidden state, the bias."""
        if len(self.directions) == 1:
            return list(self.directions[0])
        columns = zip(*self.directions, strict=True)
        return [self.call.emit(relax.op.concat(list(weights), axis=0)) for weights in columns]


def lstm_converters(method: LstmMethod, target: Target) -> Mapping[str, Callable[[Call], relax.Var]]:
    """Converters of the LSTM operators by their names; raises `CompileError` for a method the target lacks."""
    lower = _lowering(method, target)
    names = ("lstm_forward_packed.default", "lstm_forward_packed_bidirectional.default")
    return dict.fromkeys(names, lambda call: lower(_read(call)))


def _lowering(method: LstmMethod, target: Target) -> Callable[[_Lstm], relax.Var]:
    on_metal = target.kind.name == METAL
    if method is LstmMethod.MPS and not on_metal:
        raise CompileError("The LSTM method mps needs Metal.", "Choose a different one, or --target metal-macos.")
    function = method.function
    if function is not None:
        return lambda lstm: _outside(lstm, function)
    return _kernels_for_metal if on_metal else _kernels_for_cpu


def _read(call: Call) -> _Lstm:
    x, lengths, *weights = call.arguments
    directions = [weights[first : first + _WEIGHTS] for first in range(0, len(weights), _WEIGHTS)]
    return _Lstm(call, x, lengths, directions, _constant_input(call, call.node.args[0]))


def _constant_input(call: Call, maker: Any) -> relax.Var | None:
    """The input [batch, values] that all steps end with, if the node that makes the steps shows it."""
    if operator_name(maker) == _STYLED:
        return call.of(maker).arguments[_STYLE]
    if operator_name(maker) == _JOINED and maker.args[1:] == (_CHANNELS,):
        return _repeated(call, maker.args[0][-1])
    return None


def _repeated(call: Call, node: Any) -> relax.Var | None:
    """The tensor [batch, values] that a node [batch, time, values] repeats at every step; None for any other node."""
    if operator_name(node) != "expand.default":
        return None
    row = node.args[0]
    return call.of(row).arguments[0] if operator_name(row) == "unsqueeze.default" and row.args[1] == _TIME else None


def _outside(lstm: _Lstm, function: str) -> relax.Var:
    arguments = [lstm.x, lstm.lengths, *lstm.joined()]
    return lstm.call.emit(relax.call_dps_packed(function, arguments, relax.TensorType(lstm.output_shape, "float32")))


def _kernels_for_cpu(lstm: _Lstm) -> relax.Var:
    """The input projections of all steps as a linear layer per direction, then one recurrence for all directions."""
    call, kernels = lstm.call, lstm.call.kernels.lstm
    pack, packed_shape, hidden_size = kernels.pack_hidden_weight, kernels.packed_hidden_shape, lstm.hidden_size
    x = _cut(call, lstm.x, _CHANNELS, 0, lstm.changing)
    operands: list[relax.Var] = []
    for of_input, of_hidden, bias in lstm.directions:
        of_changing = _cut(call, of_input, 1, 0, lstm.changing)
        operands.append(linear_rows(call, x, of_changing))
        operands.append(_offset(lstm, of_input, bias))
        operands.append(call.packed(pack, packed_shape, (hidden_size,), of_hidden))
    sizes = (hidden_size, len(lstm.directions))
    arguments = [*operands, lstm.lengths]
    return call.kernel(kernels.recurrence, sizes, arguments, lstm.output_shape)


def _offset(lstm: _Lstm, of_input: relax.Var, bias: relax.Var) -> relax.Var:
    """The part of the gates [batch, gates] that all steps share: the bias and the projected constant input."""
    call = lstm.call
    batch, _, channels = shape_of(lstm.x)
    (gates,) = shape_of(bias)
    if lstm.constant_input is None:
        return call.emit(relax.op.broadcast_to(call.emit(relax.op.astype(bias, "float64")), [batch, gates]))
    of_constant = _cut(call, of_input, 1, lstm.changing, channels)
    sizes = (channels - lstm.changing, gates)
    return call.kernel(lstm_offset, sizes, [lstm.constant_input, of_constant, bias], [batch, gates], "float64")


def _cut(call: Call, x: relax.Var, axis: int, begin: int, end: int) -> relax.Var:
    """A slice of an axis; `x` itself if it covers the whole axis."""
    if begin == 0 and end == shape_of(x)[axis]:
        return x
    return call.emit(relax.op.strided_slice(x, axes=[axis], begin=[begin], end=[end]))


def _kernels_for_metal(lstm: _Lstm) -> relax.Var:
    """The input projections of both directions as one linear layer, then one recurrence for both."""
    call, kernels = lstm.call, lstm.call.kernels.lstm
    of_input, of_hidden, bias = lstm.joined()
    projected = linear_rows(call, lstm.x, of_input, bias)
    sizes = (lstm.hidden_size, len(lstm.directions))
    packed = call.packed(kernels.pack_hidden_weight, kernels.packed_hidden_shape, sizes, of_hidden)
    return call.kernel(kernels.recurrence, sizes, [projected, packed, lstm.lengths], lstm.output_shape)
