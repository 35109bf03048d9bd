"""The value of an index or condition in a kernel, for every thread of a threadgroup at once.

The content of memory is not known here: an integer that a kernel reads is taken for a length beyond every other, so
that sequences fill their arrays, and whatever depends on a float is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from tvm import tirx
from tvm.ir import Call, TensorLoad

LONGEST = 1 << 40
"""Stands for any integer that a kernel reads from memory."""

Value = Any
"""An int, an array with one element per thread, or None when it is unknown."""
Values = Mapping[Any, Value]
"""Values of variables, and of buffers of one element in registers."""


def value_of(expression: Any, values: Values) -> Value:
    """The value, or None for an unknown variable, a float, or an operation that is not known here."""
    if isinstance(expression, (int, np.ndarray)):
        return expression
    kind = type(expression)
    if kind is tirx.IntImm:
        return int(expression.value)
    if isinstance(expression, tirx.Var):
        return values.get(expression)
    if kind is TensorLoad:
        return _of_load(expression, values)
    if kind in _BINARY:
        return _applied(_BINARY[kind], values, expression.a, expression.b)
    return _of_other(expression, values)


def is_integer(expression: Any) -> bool:
    """Whether it is an integer or a truth value."""
    dtype = str(getattr(expression.ty, "dtype", ""))
    return dtype.startswith(("int", "uint", "bool"))


def _of_load(load: Any, values: Values) -> Value:
    """What a variable in registers was last set to; of memory, only lengths are known."""
    if load.source in values:
        return values[load.source]
    return LONGEST if is_integer(load) and load.source.ty.storage_scope != "local" else None


def _of_other(expression: Any, values: Values) -> Value:
    match expression:
        case tirx.Not():
            return _applied(np.logical_not, values, expression.a)
        case tirx.Cast():
            return value_of(expression.value, values) if is_integer(expression) else None
        case tirx.Select():
            return _applied(np.where, values, expression.condition, expression.true_value, expression.false_value)
        case tirx.Let():
            inner = {**values, expression.var: value_of(expression.value, values)}
            return value_of(expression.body, inner)
        case Call() if expression.op.name in _CALLS:
            return _applied(_CALLS[expression.op.name], values, *expression.args)
    return None


def _applied(function: Callable[..., Value], values: Values, *operands: Any) -> Value:
    found = [value_of(operand, values) for operand in operands]
    return None if any(value is None for value in found) else function(*found)


def _truncated_quotient(a: Value, b: Value) -> Value:
    return np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))


def _remainder(a: Value, b: Value) -> Value:
    return a - _truncated_quotient(a, b) * b


_BINARY: Mapping[type, Callable[[Value, Value], Value]] = MappingProxyType(
    {
        tirx.Add: lambda a, b: a + b,
        tirx.Sub: lambda a, b: a - b,
        tirx.Mul: lambda a, b: a * b,
        tirx.FloorDiv: lambda a, b: a // b,
        tirx.FloorMod: lambda a, b: a % b,
        tirx.Div: _truncated_quotient,
        tirx.Mod: _remainder,
        tirx.Min: np.minimum,
        tirx.Max: np.maximum,
        tirx.EQ: lambda a, b: a == b,
        tirx.NE: lambda a, b: a != b,
        tirx.LT: lambda a, b: a < b,
        tirx.LE: lambda a, b: a <= b,
        tirx.GT: lambda a, b: a > b,
        tirx.GE: lambda a, b: a >= b,
        tirx.And: np.logical_and,
        tirx.Or: np.logical_or,
        tirx.LShift: lambda a, b: a << b,
        tirx.RShift: lambda a, b: a >> b,
        tirx.BitwiseAnd: lambda a, b: a & b,
        tirx.BitwiseOr: lambda a, b: a | b,
        tirx.BitwiseXor: lambda a, b: a ^ b,
    }
)
_CALLS: Mapping[str, Callable[..., Value]] = MappingProxyType(
    {
        "prim.if_then_else": np.where,
        "tirx.if_then_else": np.where,
        "tirx.likely": lambda a: a,
        "tirx.fabs": np.abs,
        "tirx.abs": np.abs,
    }
)
