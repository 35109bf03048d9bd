"""How a packed LSTM becomes Relax, by its method: kernels in the module, or a call of a function outside of it.

It does not know which LSTMs there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tvm import relax
from tvm.target import Target

from engine.compiler.kernel_calls import Call, linear_rows, shape_of
from engine.compiler.targets import METAL
from engine.compiler.traced_graph import operator_name
from engine.errors import CompileError
from engine.kernels.cpu.lstm import lstm_offset
from engine.ops.packed_lstm import LstmMethod

_WEIGHTS = 3
"""Weights of a direction: of the input, of the hidden state, and the bias."""
_STYLED, _STYLE = "adaptive_layer_norm.default", 2
"""The operator that sets a style beside every step, and which of its arguments that is."""
_JOINED = "cat.default"
_TIME, _CHANNELS = 1, 2
"""Axes of what an LSTM gets."""


@dataclass(frozen=True)
class _Lstm:
    """One LSTM of a graph; `directions` holds the weights of each.

    `constant_input` [batch, values] is what stands at the end of every step of `x`, where that is known.
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
        """Channels of `x` that differ from step to step, as far as is known; the others come last."""
        constant_input = 0 if self.constant_input is None else int(shape_of(self.constant_input)[1])
        return int(shape_of(self.x)[2]) - constant_input

    @property
    def output_shape(self) -> list[object]:
        batch, time, _ = shape_of(self.x)
        return [batch, time, len(self.directions) * self.hidden_size]

    def joined(self) -> list[relax.Var]:
        """The weights of all directions one below the other: of the input, of the hidden state, the bias."""
        if len(self.directions) == 1:
            return list(self.directions[0])
        columns = zip(*self.directions, strict=True)
        return [self.call.emit(relax.op.concat(list(weights), axis=0)) for weights in columns]


def lstm_converters(method: LstmMethod, target: Target) -> Mapping[str, Callable[[Call], relax.Var]]:
    """Converters of the LSTM operators by their names; raises `CompileError` when the target has not the method."""
    lower = _lowering(method, target)
    names = ("lstm_forward_packed.default", "lstm_forward_packed_bidirectional.default")
    return dict.fromkeys(names, lambda call: lower(_read(call)))


def _lowering(method: LstmMethod, target: Target) -> Callable[[_Lstm], relax.Var]:
    on_metal = target.kind.name == METAL
    if method is LstmMethod.MPS and not on_metal:
        raise CompileError("The LSTM method mps needs Metal.", "Choose another, or --target metal-macos.")
    function = method.function
    if function is not None:
        return lambda lstm: _outside(lstm, function)
    return _kernels_for_metal if on_metal else _kernels_for_cpu


def _read(call: Call) -> _Lstm:
    x, lengths, *weights = call.arguments
    directions = [weights[first : first + _WEIGHTS] for first in range(0, len(weights), _WEIGHTS)]
    return _Lstm(call, x, lengths, directions, _beside(call, call.node.args[0]))


def _beside(call: Call, maker: Any) -> relax.Var | None:
    """What stands beside every step [batch, values], where the node that makes the steps tells."""
    if operator_name(maker) == _STYLED:
        return call.of(maker).arguments[_STYLE]
    if operator_name(maker) == _JOINED and maker.args[1:] == (_CHANNELS,):
        return _repeated(call, maker.args[0][-1])
    return None


def _repeated(call: Call, node: Any) -> relax.Var | None:
    """What a node [batch, time, values] repeats at every step, if that is how it is made."""
    if operator_name(node) != "expand.default":
        return None
    row = node.args[0]
    return call.of(row).arguments[0] if operator_name(row) == "unsqueeze.default" and row.args[1] == _TIME else None


def _outside(lstm: _Lstm, function: str) -> relax.Var:
    arguments = [lstm.x, lstm.lengths, *lstm.joined()]
    return lstm.call.emit(relax.call_dps_packed(function, arguments, relax.TensorType(lstm.output_shape, "float32")))


def _kernels_for_cpu(lstm: _Lstm) -> relax.Var:
    """Per direction the input projections of all steps, as a linear layer, then the recurrence of all directions."""
    call, kernels = lstm.call, lstm.call.kernels.packed_lstm
    pack, packed_shape, hidden_size = kernels.pack_hidden_weight, kernels.packed_hidden_shape, lstm.hidden_size
    x = _cut(call, call.rows(0), _CHANNELS, 0, lstm.changing)
    operands: list[relax.Var] = []
    for of_input, of_hidden, bias in lstm.directions:
        of_changing = _cut(call, of_input, 1, 0, lstm.changing)
        operands.append(linear_rows(call, x, of_changing))
        operands.append(_offset(lstm, of_input, bias))
        operands.append(call.packed(pack, packed_shape, (hidden_size,), of_hidden))
    sizes = (hidden_size, len(lstm.directions))
    arguments = [*operands, lstm.lengths]
    return call.rounded(call.kernel(kernels.recurrence, sizes, arguments, lstm.output_shape, call.kernels.rows_dtype))


def _offset(lstm: _Lstm, of_input: relax.Var, bias: relax.Var) -> relax.Var:
    """What all steps of a member share [batch, gates]: the bias, and the projection of what stands beside them."""
    call = lstm.call
    batch, _, channels = shape_of(lstm.x)
    (gates,) = shape_of(bias)
    if lstm.constant_input is None:
        return call.emit(relax.op.broadcast_to(call.emit(relax.op.astype(bias, "float64")), [batch, gates]))
    of_constant = _cut(call, of_input, 1, lstm.changing, channels)
    sizes = (channels - lstm.changing, gates)
    return call.kernel(lstm_offset, sizes, [lstm.constant_input, of_constant, bias], [batch, gates], "float64")


def _cut(call: Call, x: relax.Var, axis: int, begin: int, end: int) -> relax.Var:
    """Part of an axis; all of it is `x` itself."""
    if begin == 0 and end == shape_of(x)[axis]:
        return x
    return call.emit(relax.op.strided_slice(x, axes=[axis], begin=[begin], end=[end]))


def _kernels_for_metal(lstm: _Lstm) -> relax.Var:
    """The input projections of both directions as one linear layer, then one recurrence for both."""
    call, kernels = lstm.call, lstm.call.kernels.packed_lstm
    of_input, of_hidden, bias = lstm.joined()
    projected = linear_rows(call, lstm.x, of_input, bias)
    sizes = (lstm.hidden_size, len(lstm.directions))
    packed = call.packed(kernels.pack_hidden_weight, kernels.packed_hidden_shape, sizes, of_hidden)
    return call.kernel(kernels.recurrence, sizes, [projected, packed, lstm.lengths], lstm.output_shape)
