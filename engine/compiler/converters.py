"""Converts operators of a torch graph to Relax: hand-written kernels for the heavy ones, TVM's own for the rest.

Weights are packed by a kernel too, so that a later pass can move the packing to where weights are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import tvm
from torch import fx
from tvm import relax, tirx
from tvm_ffi import structural_equal

from engine.compiler.convolution_converters import CONVOLUTION_CONVERTERS
from engine.compiler.kernel_calls import Call, Importer, KernelRegistry, int32, linear_rows, shape_of, simplified
from engine.compiler.kernels import mathematics
from engine.compiler.kernels.activations import Activation, LeakyReLU, Snake
from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.cpu.conv_choice import ConvAlgorithm
from engine.compiler.kernels.cpu.harmonic_source import harmonic_source
from engine.compiler.kernels.cpu.inverse_stft import inverse_stft
from engine.compiler.kernels.precision import Precision
from engine.compiler.lstm_converters import lstm_converters
from engine.compiler.target_kernels import kernels_for
from engine.compiler.traced_graph import operator_name
from engine.errors import CompileError
from engine.network.ops.packed_lstm import LstmMethod

Converter = Callable[[fx.Node, Importer], relax.Expr]


def converters_for(
    target: tvm.target.Target,
    lstm_method: LstmMethod = LstmMethod.TIR,
    precision: Precision = Precision.FLOAT32,
    tuned: Sequence[tuple[ConvWorkload, ConvAlgorithm]] = (),
) -> Mapping[str, Converter]:
    """Converters by the name of the torch operator, for one graph, which has one kernel per set of sizes.

    Raises `CompileError` for an LSTM method or a precision that the target does not support.
    """
    kernels = kernels_for(target, precision, tuned)
    registry = KernelRegistry(kernels)
    table: dict[str, Callable[[Call], relax.Expr]] = {
        **CONVOLUTION_CONVERTERS,
        "conv_transpose1d.default": _conv_transpose1d,
        "embedding.default": _embedding,
        "masked_fill.Scalar": _masked_fill,
        "sin.default": _sine,
        "exp.default": _exponential,
        "linear.default": _linear,
        "gelu.default": _gelu,
        "layer_norm.default": _layer_norm,
        "adaptive_layer_norm.default": _adaptive_layer_norm,
        "adaptive_norm.default": _adaptive_norm,
        "adaptive_norm_leaky_relu.default": _adaptive_norm_leaky_relu,
        "adaptive_norm_snake.default": _adaptive_norm_snake,
        "attention.default": _attention,
        "harmonic_source.default": _harmonic_source,
        "inverse_stft.default": _inverse_stft,
        "reflect_left.default": _reflect_left,
        "select.int": _select,
        "repeat_interleave.self_int": _repeat,
        "reshape.default": _reshape,
        **kernels.converters,
        **lstm_converters(lstm_method, target),
    }
    return {name: _converter(convert, registry) for name, convert in table.items()}


def _converter(convert: Callable[[Call], relax.Expr], registry: KernelRegistry) -> Converter:
    return lambda node, importer: convert(Call(node, importer, registry))


def _conv_transpose1d(call: Call) -> relax.Var:
    x, weight, bias, (stride,), (padding,), (output_padding,), groups, (dilation,) = call.arguments
    kernels = call.kernels.conv_transpose1d
    in_channels, out_channels, kernel_size = shape_of(weight)
    batch, _, length = shape_of(x)
    outputs = simplified((length - 1) * stride - 2 * padding + kernel_size + output_padding)
    sizes = (kernel_size, stride, padding, bias is not None)
    if groups == in_channels and out_channels == 1:
        return call.kernel(kernels.depthwise, (in_channels, *sizes), [x, weight, bias], [batch, in_channels, outputs])
    _require(groups == 1 and dilation == 1, "a transposed convolution in groups or with dilation")
    packing = (in_channels, out_channels, kernel_size, stride)
    packed = call.packed(kernels.pack_weight, kernels.packed_shape, packing, weight)
    return call.kernel(
        kernels.conv_transpose1d,
        (in_channels, out_channels, *sizes),
        [x, packed, bias],
        [batch, out_channels, outputs],
    )


def _embedding(call: Call) -> relax.Var:
    """Rows of a table; indices beyond it, which only padding may hold, are clipped to its last row."""
    weight, numbers, *_ = call.arguments
    return call.emit(relax.op.take(weight, numbers, axis=0, mode="clip"))


def _select(call: Call) -> relax.Var:
    x, axis, index = call.arguments
    return call.emit(relax.op.take(x, relax.const(index, "int64"), axis=axis, mode="clip"))


def _masked_fill(call: Call) -> relax.Var:
    x, mask, value = call.arguments
    # A constant in the loop: LLVM does not vectorize a loop that reads the number from memory.
    number = tirx.const(value, x.ty.dtype.dtype)
    return call.of_each("masked", lambda kept, is_masked: tirx.Select(is_masked, number, kept), x, mask)


def _sine(call: Call) -> relax.Var:
    # Not TVM's own sine: LLVM would call a library for each value, and a Mac would compile it with fast mathematics.
    return call.of_each("sine", mathematics.sin, *call.arguments)


def _exponential(call: Call) -> relax.Var:
    # For the same reasons as the sine.
    return call.of_each("exponential", mathematics.exp, *call.arguments)


def _linear(call: Call) -> relax.Var:
    return linear_rows(call, *call.arguments)


def _gelu(call: Call) -> relax.Var:
    """A GELU, fused into the linear layer before it if there is one; the layer without it is then dead code."""
    x, approximate = call.arguments
    layer: Any = call.node.args[0]
    if approximate == "tanh" and operator_name(layer) == "linear.default":
        rows, weight, bias = call.of(layer).arguments
        return linear_rows(call, rows, weight, bias, has_gelu=True)
    _require(approximate == "tanh", "an exact GELU")
    return call.emit(relax.op.nn.gelu_tanh(x))


def _layer_norm(call: Call) -> relax.Var:
    """A layer norm, fused with the sum before it if there is one; the sum itself is then dead code."""
    x, (channels,), scale, shift, epsilon, _ = call.arguments
    *leading, _ = shape_of(x)
    rows = simplified(prod(leading))
    terms = [] if scale is None else _terms(call, call.node.args[0])
    flat = [call.emit(relax.op.reshape(term, [rows, channels])) for term in terms or [x]]
    sizes = (channels, bool(terms), scale is not None, epsilon)
    y = call.kernel(call.kernels.layer_norm.layer_norm, sizes, [*flat, scale, shift], [rows, channels])
    return call.emit(relax.op.reshape(y, [*leading, channels]))


def _terms(call: Call, node: Any) -> list[relax.Var]:
    """The two tensors of equal shape that a node adds; empty for any other node."""
    if operator_name(node) != "add.Tensor":
        return []
    first, second, factor = call.of(node).arguments
    tensors = isinstance(first, relax.Expr) and isinstance(second, relax.Expr) and factor == 1
    return [first, second] if tensors and structural_equal(shape_of(first), shape_of(second)) else []


def _adaptive_layer_norm(call: Call) -> relax.Var:
    x, styles, constant_input, offset, epsilon = call.arguments
    batch, time, channels = shape_of(x)
    style = shape_of(constant_input)[1]
    return call.kernel(
        call.kernels.layer_norm.adaptive_layer_norm,
        (channels, style, epsilon),
        [x, styles, constant_input, int32(offset)],
        [batch, time, channels + style],
    )


def _adaptive_norm(call: Call) -> relax.Var:
    return _normalized(call, Activation())


def _adaptive_norm_leaky_relu(call: Call) -> relax.Var:
    *_, slope = call.arguments
    return _normalized(call, LeakyReLU(slope))


def _adaptive_norm_snake(call: Call) -> relax.Var:
    *_, alpha = call.arguments
    return _normalized(call, Snake(), alpha)


def _normalized(call: Call, activation: Activation, *parameter: relax.Var) -> relax.Var:
    x, lengths, styles, weight, bias, offset, *_ = call.arguments
    operands = [x, lengths, styles, weight, bias, int32(offset), *parameter]
    shape = shape_of(x)
    return call.kernel(call.kernels.adaptive_norm.adaptive_norm, (shape[1], activation), operands, shape)


def _attention(call: Call) -> relax.Var:
    x, lengths, heads = call.arguments
    batch, time, channels = shape_of(x)
    width = channels // 3 // heads
    return call.kernel(call.kernels.attention.attention, (heads, width), [x, lengths], [batch, time, heads * width])


def _harmonic_source(call: Call) -> relax.Var:
    f0, noise, lengths, weight, bias, n_fft, hop = call.arguments
    batch, frames, samples, harmonics = shape_of(noise)
    shape = [batch, n_fft + 2, simplified(samples // hop * frames + 1)]
    sizes = (shape_of(f0)[2], samples, harmonics, n_fft, hop)
    return call.kernel(harmonic_source, sizes, [f0, noise, lengths, weight, bias], shape)


def _inverse_stft(call: Call) -> relax.Var:
    magnitude, phase, lengths, n_fft, hop, samples = call.arguments
    batch, _, columns = shape_of(magnitude)
    shape = [batch, simplified((columns - 1) * hop)]
    return call.kernel(inverse_stft, (n_fft, hop, samples), [magnitude, phase, lengths], shape)


def _reflect_left(call: Call) -> relax.Var:
    (x,) = call.arguments
    batch, channels, length = shape_of(x)
    return call.kernel(
        call.kernels.reflect_left.reflect_left, (channels,), [x], [batch, channels, simplified(length + 1)]
    )


def _reshape(call: Call) -> relax.Var:
    x, shape = call.arguments
    return call.emit(relax.op.reshape(x, [simplified(extent) for extent in shape]))


def _repeat(call: Call) -> relax.Var:
    x, count, axis, _ = call.arguments
    return call.emit(relax.op.repeat(x, count, axis))


def _require(supported: bool, what: str) -> None:
    if not supported:
        raise CompileError(f"There is no kernel for {what}.")
