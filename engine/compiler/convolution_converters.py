"""Converts convolutions to Relax: each with the sum and the factor that follow it, in one kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeGuard

from torch import fx
from tvm import relax
from tvm.sym import Analyzer

from engine.compiler.kernel_calls import Call, shape_of, simplified
from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.traced_graph import operator_name
from engine.errors import CompileError

_CONVOLUTION = "conv1d.default"
_SUM = "add.Tensor"


def _conv1d(call: Call, residual: relax.Var | None = None, factor: float = 1.0) -> relax.Var:
    """The convolution with its epilogue: (convolution + residual) * factor."""
    x, weight, bias, (stride,), (padding,), (dilation,), groups = call.arguments
    if groups != 1:
        raise CompileError("There is no kernel for a convolution in groups.")
    kernels = call.kernels.conv1d
    out_channels, in_channels, taps = shape_of(weight)
    batch, _, length = shape_of(x)
    sizes = ConvWorkload(in_channels, out_channels, taps, dilation, stride, padding)
    outputs = simplified((length + 2 * padding - dilation * (taps - 1) - 1) // stride + 1)
    dtype = kernels.packed_dtype(sizes, call.kernels.target_traits)
    packed = call.packed(kernels.pack_weight, kernels.packed_shape, (sizes.unplaced,), weight, dtype)
    epilogue = Epilogue(bias is not None, residual is not None, factor)
    return call.kernel(kernels.conv1d, (sizes, epilogue), [x, packed, bias, residual], [batch, out_channels, outputs])


def _add(call: Call) -> relax.Expr:
    """A sum, fused into a convolution that only it reads, if there is one, which alone is then dead code."""
    joined = _joined(call, 1.0)
    return call.default() if joined is None else joined


def _multiply(call: Call) -> relax.Expr:
    """A product, fused with a sum that only it reads into that sum's convolution if the other factor is constant."""
    total, factor = call.node.args
    if isinstance(factor, float) and _is_only_read_by(total, call.node, _SUM):
        joined = _joined(call.of(total), factor)
        if joined is not None:
            return joined
    return call.default()


def _joined(call: Call, factor: float) -> relax.Var | None:
    """(convolution + other) * factor for the sum of a convolution and a tensor of the same shape, otherwise None."""
    one, other, scale = call.arguments
    if scale != 1:  # TVM would ignore it
        raise CompileError("There is no kernel for a sum with a factor in it.")
    if not _same_shape(one, other):
        return None
    for layer, residual in zip(call.node.args, (other, one), strict=False):
        if _is_only_read_by(layer, call.node, _CONVOLUTION):
            return _conv1d(call.of(layer), residual, factor)
    return None


def _same_shape(one: Any, other: Any) -> bool:
    if not isinstance(one, relax.Var) or not isinstance(other, relax.Var):
        return False
    shapes = shape_of(one), shape_of(other)
    return len(shapes[0]) == len(shapes[1]) and all(map(Analyzer().can_prove_equal, *shapes))


def _is_only_read_by(node: Any, reader: fx.Node, operator: str) -> TypeGuard[fx.Node]:
    return operator_name(node) == operator and set(node.users) == {reader}


CONVOLUTION_CONVERTERS: Mapping[str, Callable[[Call], relax.Expr]] = MappingProxyType(
    {_CONVOLUTION: _conv1d, _SUM: _add, "mul.Tensor": _multiply}
)
