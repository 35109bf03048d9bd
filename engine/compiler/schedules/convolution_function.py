"""Functions with the operands of a convolution, some of which may be missing.

It does not know how the convolution is computed.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc


def convolution_function(plan: Any, body: Any, has_bias: bool, has_residual: bool = False) -> PrimFunc:
    """The function: x [B, channels, L], packed weight, bias [out channels] if any, residual like y if any -> y.

    y is [B, out channels, outputs]. `plan` has the sizes; `body` is inlined with (plan, source, weight, bias, residual,
    target, batch, length, outputs), where bias and residual may be None.
    """
    if has_residual:
        return _with_both(plan, body) if has_bias else _with_residual(plan, body)
    return _with_bias(plan, body) if has_bias else _with_none(plan, body)


def _with_none(plan: Any, body: Any) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def convolution(x: T.handle, w: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        length = T.int64()
        outputs = T.int64()
        source = T.match_buffer(x, (batch, plan.channels, length), "float32")
        weight = T.match_buffer(w, plan.packed_weight_shape, "float32")
        target = T.match_buffer(y, (batch, plan.out_channels, outputs), "float32")
        body(plan, source, weight, None, None, target, batch, length, outputs)

    return convolution


def _with_bias(plan: Any, body: Any) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def convolution(x: T.handle, w: T.handle, b: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        length = T.int64()
        outputs = T.int64()
        source = T.match_buffer(x, (batch, plan.channels, length), "float32")
        weight = T.match_buffer(w, plan.packed_weight_shape, "float32")
        bias = T.match_buffer(b, (plan.out_channels,), "float32")
        target = T.match_buffer(y, (batch, plan.out_channels, outputs), "float32")
        body(plan, source, weight, bias, None, target, batch, length, outputs)

    return convolution


def _with_residual(plan: Any, body: Any) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def convolution(x: T.handle, w: T.handle, r: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        length = T.int64()
        outputs = T.int64()
        source = T.match_buffer(x, (batch, plan.channels, length), "float32")
        weight = T.match_buffer(w, plan.packed_weight_shape, "float32")
        residual = T.match_buffer(r, (batch, plan.out_channels, outputs), "float32")
        target = T.match_buffer(y, (batch, plan.out_channels, outputs), "float32")
        body(plan, source, weight, None, residual, target, batch, length, outputs)

    return convolution


def _with_both(plan: Any, body: Any) -> PrimFunc:
    @T.prim_func(s_tir=True)
    def convolution(x: T.handle, w: T.handle, b: T.handle, r: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        length = T.int64()
        outputs = T.int64()
        source = T.match_buffer(x, (batch, plan.channels, length), "float32")
        weight = T.match_buffer(w, plan.packed_weight_shape, "float32")
        bias = T.match_buffer(b, (plan.out_channels,), "float32")
        residual = T.match_buffer(r, (batch, plan.out_channels, outputs), "float32")
        target = T.match_buffer(y, (batch, plan.out_channels, outputs), "float32")
        body(plan, source, weight, bias, residual, target, batch, length, outputs)

    return convolution
