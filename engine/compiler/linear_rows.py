"""A linear layer in a graph, over the last axis of whatever there is. It does not know which target computes it."""

from __future__ import annotations

from math import prod

from tvm import relax

from engine.compiler.epilogue import Epilogue
from engine.compiler.kernel_calls import Call, shape_of, simplified


def linear_rows(call: Call, x: relax.Var, weight: relax.Var, bias: relax.Var | None, epilogue: Epilogue) -> relax.Var:
    """The layer over the last axis of `x`, whatever axes come before; both are of the type of rows."""
    kernels = call.kernels.linear
    *leading, in_features = shape_of(x)
    out_features, _ = shape_of(weight)
    rows = simplified(prod(leading))
    packed = call.packed(kernels.pack_weight, kernels.packed_shape, (out_features, in_features), weight)
    flat = call.emit(relax.op.reshape(x, [rows, in_features]))
    sizes = (in_features, out_features, bias is not None, epilogue)
    y = call.kernel(kernels.linear, sizes, [flat, packed, bias], [rows, out_features], call.kernels.rows_type)
    return call.emit(relax.op.reshape(y, [*leading, out_features]))
