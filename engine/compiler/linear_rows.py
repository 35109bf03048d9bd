"""A linear layer in a graph, over the last axis of whatever there is. It does not know which target computes it."""

from __future__ import annotations

from math import prod

from tvm import relax

from engine.compiler.epilogue import Epilogue
from engine.compiler.kernel_calls import Call, shape_of, simplified


def in_rows_type(call: Call, x: relax.Var) -> relax.Var:
    """`x` in the type in which linear layers take rows.

    It is converted before it is made rows: TVM's kernel for two axes would not run in parallel.
    """
    rows_type = call.kernels.linear.rows_type(call.kernels.hardware)
    return x if rows_type == x.ty.dtype else call.emit(relax.op.astype(x, rows_type))


def linear_rows(call: Call, x: relax.Var, weight: relax.Var, bias: relax.Var | None, epilogue: Epilogue) -> relax.Var:
    """The layer over the last axis of `x`, whatever axes come before."""
    kernels = call.kernels.linear
    *leading, in_features = shape_of(x)
    out_features, _ = shape_of(weight)
    rows = simplified(prod(leading))
    packed = call.packed(kernels.pack_weight, kernels.packed_shape, (out_features, in_features), weight)
    flat = call.emit(relax.op.reshape(in_rows_type(call, x), [rows, in_features]))
    sizes = (in_features, out_features, bias is not None, epilogue)
    y = call.kernel(kernels.linear, sizes, [flat, packed, bias], [rows, out_features])
    return call.emit(relax.op.reshape(y, [*leading, out_features]))
