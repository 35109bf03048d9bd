"""Elementary functions as TIR expressions that vectorize: range reduction and a polynomial, no library call.

Each takes and returns an expression of one float32 value (those for float64 say so); inside `T.vectorized` they become
vector code. Polynomials are minimax fits; the errors stated are the largest against float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tvm import tirx

Expression = Any
"""A TVM expression; TVM has no more specific Python type that all of them share."""

_PI_PARTS = (3.140625, 0.0009675025939941406, 1.5099580252808664e-07)
"""Parts whose sum is pi (Cody and Waite's reduction); multiples of the first two are exact up to 8192."""
_LN2_PARTS = (0.693115234375, 3.194618329871446e-05)
_SIN = (
    -0.1666666716337204,
    0.008333330973982811,
    -0.0001984086848096922,
    2.752538421191275e-06,
    -2.3888906852675973e-08,
)
"""(sin r - r) / r^3 in r^2, for r up to pi / 2."""
_EXP = (
    0.5,
    0.1666666567325592,
    0.04166629537940025,
    0.008333497680723667,
    0.0013944759266451001,
    0.00019790248188655823,
)
"""(exp r - 1 - r) / r^2 in r, for r within ln 2 / 2."""
_TANH = (-0.3333328068256378, 0.13331441581249237, -0.05373971164226532, 0.020639078691601753, -0.005704978480935097)
"""(tanh x - x) / x^3 in x^2, for x up to `_TANH_BORDER`."""
_TANH_BORDER = 0.625
_ATAN = (-0.33333316445350647, 0.19998471438884735, -0.14243532717227936, 0.10593810677528381, -0.06078213453292847)
"""(atan x - x) / x^3 in x^2, for x up to tan(pi / 8)."""
_EXP_LEAST, _EXP_MOST = -104.0, 88.7
"""Bounds of e^x: 0 at the lower one; the upper one stays finite, since fast mathematics on a Mac knows no infinity."""
_MAX_TANH64_INPUT = 20.0
"""Beyond this, tanh is 1 or -1 in float64. An LSTM's cell can grow so large that e^2x would overflow."""
_GELU_SCALE = 2 * math.sqrt(2 / math.pi)
_SIN_CYCLE_TERMS = 11
_EXP64_TERMS = 14


def exp(x: Expression) -> Expression:
    """e^x, with a relative error of at most 1.5e-7; 0 below -104, e^88.7 (3.3e38) above 88.7, so never infinite."""
    clamped = tirx.max(tirx.min(x, _float(_EXP_MOST)), _float(_EXP_LEAST))
    return _let(clamped, _exp_of_clamped)


def sigmoid(x: Expression) -> Expression:
    """1 / (1 + e^-x), with a relative error of at most 3e-7."""
    return _float(1) / (_float(1) + exp(-x))


def tanh(x: Expression) -> Expression:
    """Hyperbolic tangent, with a relative error of at most 3e-7."""
    return _let(x, _tanh)


def gelu_tanh(x: Expression) -> Expression:
    """GELU in its tanh form: x / 2 (1 + tanh u) = x / (1 + e^-2u), u being sqrt(2 / pi) (x + 0.044715 x^3)."""
    # 2u = x (scale + 0.044715 scale x^2); the constant scale in two parts, as `times` does.
    hi, lo = _cut(_GELU_SCALE)
    slope = _float(0.044715 * _GELU_SCALE)
    return _let(x, lambda v: v / (_float(1) + exp(-v * (_float(hi) + (_float(lo) + slope * v * v)))))


def sin(x: Expression) -> Expression:
    """Sine, within 2e-7 up to |x| = 20,000."""

    def of_multiple(value: Expression) -> Expression:
        return _let(
            # x = k pi + r with |r| <= pi / 2, so sin x = (-1)^k sin r.
            _rounded(value * _float(1 / math.pi)),
            lambda multiple: _signed(_odd_sine(_less_pi(value, multiple)), multiple),
        )

    return _let(x, of_multiple)


def cos(x: Expression) -> Expression:
    """Cosine, within 2e-7 up to |x| = 20,000."""

    def of_multiple(value: Expression) -> Expression:
        return _let(
            # x = (k + 1/2) pi + r with |r| <= pi / 2, so cos x = -(-1)^k sin r.
            tirx.floor(value * _float(1 / math.pi)),
            lambda multiple: -_signed(_odd_sine(_less_pi(value, multiple + _float(0.5))), multiple),
        )

    return _let(x, of_multiple)


def sin_squared(x: Expression) -> Expression:
    """sin(x)^2, within 2e-7 up to |x| = 20,000."""

    def of_value(value: Expression) -> Expression:
        # sin(k pi + r)^2 = sin(r)^2: the square needs no sign.
        reduced = _less_pi(value, _rounded(value * _float(1 / math.pi)))
        return _let(_odd_sine(reduced), lambda sine: sine * sine)

    return _let(x, of_value)


def atan2(y: Expression, x: Expression) -> Expression:
    """The angle of (x, y) in [-pi, pi], within 3e-7; 0 at the origin; +pi for y = +0 and x < 0."""
    return _let(tirx.abs(y), lambda height: _let(tirx.abs(x), lambda width: _atan2(y, x, height, width)))


def sin_of_cycles64(cycles: Expression) -> Expression:
    """sin(2 pi cycles) in float64 for cycles in [0, 1), within 1e-15: the power series on a quarter of a cycle."""
    terms = [
        (-1) ** index * (2 * math.pi) ** (2 * index + 1) / math.factorial(2 * index + 1)
        for index in range(_SIN_CYCLE_TERMS)
    ]

    def of_half_cycles(half_cycles: Expression) -> Expression:
        # |offset| <= 1/4, and sin(2 pi (h / 2 + offset)) = (-1)^h sin(2 pi offset); h is 0, 1 or 2.
        offset = cycles - half_cycles * _double(0.5)
        odd = _let(offset, lambda u: u * _let(u * u, lambda square: _polynomial(square, terms, _double)))
        return _let(odd, lambda sine: tirx.Select(half_cycles == _double(1), -sine, sine))

    return _let(tirx.floor(cycles * _double(2) + _double(0.5)), of_half_cycles)


def tanh64(x: Expression) -> Expression:
    """Hyperbolic tangent in float64, within 1e-15."""
    # tanh x = 1 - 2 / (e^2x + 1)
    clamped = tirx.max(tirx.min(x, _double(_MAX_TANH64_INPUT)), _double(-_MAX_TANH64_INPUT))
    return _double(1) - _double(2) / (_exp64(clamped * _double(2)) + _double(1))


def sigmoid64(x: Expression) -> Expression:
    """1 / (1 + e^-x) in float64, within 1e-15, for |x| below 700."""
    return _double(1) / (_double(1) + _exp64(-x))


def _exp64(x: Expression) -> Expression:
    # e^x = 2^k e^r with x = k ln 2 + r, |r| <= ln 2 / 2. The high part of ln 2 ends in zeros: k times it is exact.
    terms = [1 / math.factorial(index) for index in range(_EXP64_TERMS)]
    high = float.fromhex("0x1.62e42fee00000p-1")
    low = math.log(2) - high

    def of_power(power: Expression) -> Expression:
        reduced = x - power * _double(high) - power * _double(low)
        # Via int32: not every CPU can convert vectors of float64 to int64 directly.
        whole = tirx.Cast("int64", tirx.Cast("int32", power))
        # 2^k is the float64 whose biased exponent is k + 1023 and whose mantissa bits are 0.
        bits = (whole + tirx.const(1023, "int64")) << tirx.const(52, "int64")
        return _let(reduced, lambda r: _polynomial(r, terms, _double)) * tirx.reinterpret("float64", bits)

    return _let(tirx.floor(x * _double(1 / math.log(2)) + _double(0.5)), of_power)


def _exp_of_clamped(x: Expression) -> Expression:
    def of_power(power: Expression) -> Expression:
        # x = k ln 2 + r: the first part of ln 2 has so few bits that k times it is exact.
        reduced = x - power * _float(_LN2_PARTS[0]) - power * _float(_LN2_PARTS[1])
        mantissa = _let(reduced, lambda r: _float(1) + (r + r * r * _polynomial(r, _EXP)))
        exponent = tirx.Cast("int32", power)
        # Two factors, because float32 has no exponent for 2^128 and 2^-149.
        return _let(
            exponent,
            lambda e: mantissa * _power_of_two(e >> 1) * _power_of_two(e - (e >> 1)),
        )

    return _let(_rounded(x * _float(1 / math.log(2))), of_power)


def times(x: Expression, factor: float) -> Expression:
    """A constant times x, with about one rounding: the float32 nearest to the constant would bias all values alike."""
    hi, lo = _cut(factor)
    # In this order, a fused multiply-add adds the larger product, unrounded, to the smaller one.
    return x * _float(lo) + x * _float(hi)


def _cut(constant: float) -> tuple[float, float]:
    """The float32 nearest to a constant, and the remainder."""
    hi = float(np.float32(constant))
    return hi, constant - hi


def _power_of_two(exponent: Expression) -> Expression:
    # A float32 whose biased exponent is exponent + 127 and whose mantissa bits are 0.
    return tirx.reinterpret("float32", (exponent + tirx.const(127, "int32")) << tirx.const(23, "int32"))


def _tanh(x: Expression) -> Expression:
    # Near 0, 1 - 2 / (e^2x + 1) would lose its digits to cancellation: a polynomial serves there.
    small = _let(x * x, lambda square: x + x * square * _polynomial(square, _TANH))
    large = _let(
        _float(1) - _float(2) / (exp(tirx.abs(x) * _float(2)) + _float(1)),
        lambda size: tirx.Select(x < _float(0), -size, size),
    )
    return tirx.Select(tirx.abs(x) < _float(_TANH_BORDER), small, large)


def _less_pi(x: Expression, multiple: Expression) -> Expression:
    def reduced(count: Expression) -> Expression:
        lo = x
        for part in _PI_PARTS:
            # Largest part first: its product is exact and cancels most of x.
            lo = lo - count * _float(part)
        return lo

    return _let(multiple, reduced)


def _odd_sine(x: Expression) -> Expression:
    return _let(x, lambda r: _let(r * r, lambda square: r + r * square * _polynomial(square, _SIN)))


def _signed(x: Expression, multiple: Expression) -> Expression:
    """`x`, negated where the multiple is odd."""
    odd = tirx.Cast("int32", multiple) & tirx.const(1, "int32")
    return _let(x, lambda v: tirx.Select(odd == tirx.const(0, "int32"), v, -v))


def _atan2(y: Expression, x: Expression, height: Expression, width: Expression) -> Expression:
    """The angle within the octant, then the quadrant, then the half plane."""

    def of_ratio(ratio: Expression) -> Expression:
        # With t = tan a, tan(a - pi / 4) = (t - 1) / (t + 1): this halves the range of the polynomial.
        beyond = ratio > _float(math.tan(math.pi / 8))
        argument = tirx.Select(beyond, (ratio - _float(1)) / (ratio + _float(1)), ratio)
        angle = _let(argument, lambda a: _let(a * a, lambda square: a + a * square * _polynomial(square, _ATAN)))
        octant = tirx.Select(beyond, _float(math.pi / 4), _float(0)) + angle
        return _let(octant, of_octant)

    def of_octant(angle: Expression) -> Expression:
        quadrant = tirx.Select(height > width, _float(math.pi / 2) - angle, angle)
        half_plane = _let(quadrant, lambda a: tirx.Select(x < _float(0), _float(math.pi) - a, a))
        return _let(half_plane, lambda a: tirx.Select(y < _float(0), -a, a))

    # Dividing by at least the smallest normal number avoids 0 / 0: the ratio at the origin is 0.
    divisor = tirx.max(tirx.max(height, width), _float(1.1754944e-38))
    return _let(tirx.min(height, width) / divisor, of_ratio)


def _polynomial(
    x: Expression, coefficients: Sequence[float], constant: Callable[[float], Expression] | None = None
) -> Expression:
    constant = constant or _float
    # Horner's scheme: c0 + x (c1 + x (c2 + ...)), a fused multiply-add per coefficient.
    result = constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = result * x + constant(coefficient)
    return result


def _let(value: Expression, body: Callable[[Expression], Expression]) -> Expression:
    """Name a value that is used more than once, so that it is computed once."""
    name = tirx.Var("value", value.ty)
    return tirx.Let(name, value, body(name))


def _rounded(x: Expression) -> Expression:
    """A nearest integer; TVM cannot vectorize its own `nearbyint`."""
    return tirx.floor(x + _float(0.5))


def _float(value: float) -> Expression:
    return tirx.const(value, "float32")


def _double(value: float) -> Expression:
    return tirx.const(value, "float64")


def ceil_div(dividend: int, divisor: int) -> int:
    """The quotient rounded up."""
    return -(-dividend // divisor)
