"""Layer normalization of rows on CPUs: mean, variance, scale and shift while a row is in the cache.

All arithmetic is float64, so that a value is rounded once, when it is stored.
"""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.cpu.register_tile import Microkernel
from engine.compiler.kernels.signatures import with_operands

LANES = 16
"""Partial sums per row, so that summing a row is vector code; any channel count is allowed."""


def layer_norm(channels: int, has_addend: bool, has_affine: bool, epsilon: float, microkernel: Microkernel) -> PrimFunc:
    """The kernel: x [rows, channels], an addend as x if any, scale and shift [channels] if any -> y as x."""

    @T.prim_func(s_tir=True)
    def layer_norm(x: T.handle, z: T.handle, gamma: T.handle, beta: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        rows = T.int64()
        source = T.match_buffer(x, (rows, channels), "float32")
        addend = T.match_buffer(z, (rows, channels), "float32")
        scale = T.match_buffer(gamma, (channels,), "float32")
        shift = T.match_buffer(beta, (channels,), "float32")
        target = T.match_buffer(y, (rows, channels), "float32")
        for row in T.parallel(rows):
            values = T.alloc_buffer((channels,), "float64")
            for channel in T.serial(channels):
                if has_addend:
                    values[channel] = _wide(source[row, channel]) + _wide(addend[row, channel])
                else:
                    values[channel] = _wide(source[row, channel])
            _standardize(channels, epsilon, values)
            for channel in T.serial(channels):
                if has_affine:
                    target[row, channel] = _narrow(values[channel] * _wide(scale[channel]) + _wide(shift[channel]))
                else:
                    target[row, channel] = _narrow(values[channel])

    return with_operands(layer_norm, addend=has_addend, scale=has_affine, shift=has_affine)


def adaptive_layer_norm(channels: int, style: int, epsilon: float, microkernel: Microkernel) -> PrimFunc:
    """The kernel: x [B, T, channels], styles [B, values], constant input [B, style], offset -> y.

    y is [B, T, channels + style]: every step ends with the constant input. `offset` (int32) is the index in the styles
    of the gammas, which the betas follow.
    """

    @T.prim_func(s_tir=True)
    def adaptive_layer_norm(x: T.handle, s: T.handle, b: T.handle, offset: T.int32, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = T.int64()
        time = T.int64()
        values = T.int64()
        source = T.match_buffer(x, (batch, time, channels), "float32")
        styles = T.match_buffer(s, (batch, values), "float32")
        constant_input = T.match_buffer(b, (batch, style), "float32")
        target = T.match_buffer(y, (batch, time, channels + style), "float32")
        for row in T.parallel(batch * time):
            batch_index: T.int64 = row // time
            _normalize_styled(
                channels, style, epsilon, source, styles, offset, constant_input, target, batch_index, row % time
            )

    return adaptive_layer_norm


def _wide(value: Any) -> Any:
    return T.Cast("float64", value)


def _narrow(value: Any) -> Any:
    return T.Cast("float32", value)


def _term(value: Any, center: Any, power: int) -> Any:
    distance = value - center
    return distance if power == 1 else distance * distance


@T.inline
def _sum(channels: Any, values: Any, center: Any, power: Any, partial: Any, result: Any) -> None:
    """Set result[0] to the sum of (value - centre)^power over a row; power is 1 or 2."""
    for lane in T.vectorized(LANES):
        partial[lane] = T.float64(0)
    for block in T.serial(channels // LANES):
        for lane in T.vectorized(LANES):
            partial[lane] += _term(values[block * LANES + lane], center, power)
    # The channels beyond the last whole vector.
    for channel in T.serial(channels // LANES * LANES, channels):
        partial[0] += _term(values[channel], center, power)
    result[0] = T.float64(0)
    for lane in T.serial(LANES):
        result[0] += partial[lane]


@T.inline
def _standardize(channels: Any, epsilon: Any, values: Any) -> None:
    """Bring the values of a row to mean 0 and variance 1."""
    partial = T.alloc_buffer((LANES,), "float64")
    total = T.alloc_buffer((1,), "float64")
    _sum(channels, values, T.float64(0), 1, partial, total)
    mean: T.float64 = total[0] / T.float64(channels)
    # About the mean, not as mean(x^2) - mean(x)^2, which would cancel.
    _sum(channels, values, mean, 2, partial, total)
    factor: T.float64 = T.float64(1) / T.sqrt(total[0] / T.float64(channels) + T.float64(epsilon))
    for channel in T.serial(channels):
        values[channel] = (values[channel] - mean) * factor


@T.inline
def _normalize_styled(
    channels: Any,
    style: Any,
    epsilon: Any,
    source: Any,
    styles: Any,
    offset: Any,
    constant_input: Any,
    target: Any,
    batch_index: Any,
    step: Any,
) -> None:
    values = T.alloc_buffer((channels,), "float64")
    for channel in T.serial(channels):
        values[channel] = _wide(source[batch_index, step, channel])
    _standardize(channels, epsilon, values)
    for channel in T.serial(channels):
        # y = (1 + gamma) normal + beta
        target[batch_index, step, channel] = _narrow(
            (T.float64(1) + _wide(styles[batch_index, offset + channel])) * values[channel]
            + _wide(styles[batch_index, offset + channels + channel]),
        )
    for place in T.serial(style):
        target[batch_index, step, channels + place] = constant_input[batch_index, place]
