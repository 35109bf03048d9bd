"""Winograd's (Cook-Toom) F(m, r) in one dimension: m neighboring sums of r products each, from m + r - 1 products.

Samples and weights are evaluated at points as if they were polynomials, multiplied point by point, and the products are
interpolated (A. Toom 1963, S. Winograd 1980). Matrices are exact fractions; each point is scaled by a power of two so
that samples keep their size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tvm.script import tirx as T

Row = tuple[Fraction, ...]
Matrix = tuple[Row, ...]
"""Rows of exact numbers."""
_POINTS = tuple(
    Fraction(numerator, denominator)
    for numerator, denominator in (
        *((0, 1), (1, 1), (-1, 1), (1, 2), (-1, 2), (2, 1), (-2, 1), (3, 4), (-3, 4)),
        *((4, 1), (-4, 1), (1, 4), (-1, 4), (5, 4), (-5, 4)),
    )
)
"""The first n of these and infinity lose the least to rounding, or nearly so; most are powers of two.

Each but 0 is followed by its opposite, with which it shares half of the work: see `shared_and_opposite`.
"""


@dataclass(frozen=True)
class Winograd:
    """F(outputs, taps): output[i] = sum over tap of weight[tap] * sample[i + tap], for `outputs` values of i at once.

    In Winograd's notation y = A^T ((G g) * (B^T d)), A^T is the output matrix, G the weight matrix and B^T the input
    matrix; * multiplies point by point.
    """

    outputs: int
    taps: int

    def __str__(self) -> str:
        return f"F({self.outputs}, {self.taps})"

    @property
    def samples(self) -> int:
        """Samples read for a set of outputs, m + r - 1: also the number of points and of products."""
        return self.outputs + self.taps - 1

    @property
    def input_matrix(self) -> Matrix:
        """B^T [point, sample]: coefficients of the product of (x - p) over all other points p, scaled."""
        return tuple(_scaled(row, scale) for row, scale in zip(self._unscaled_inputs, self._scales, strict=True))

    @property
    def weight_matrix(self) -> Matrix:
        """G [point, tap]: powers of the point, divided by the product of its distances from the others."""
        rows = [_scaled(_powers(point, self.taps), 1 / _distances(point, self._points)) for point in self._points]
        # The value of a polynomial at infinity is its leading coefficient.
        at_infinity = (*[Fraction(0)] * (self.taps - 1), Fraction(1))
        return tuple(_scaled(row, 1 / scale) for row, scale in zip((*rows, at_infinity), self._scales, strict=True))

    @property
    def output_matrix(self) -> Matrix:
        """A^T [output, point]: powers of the point."""
        columns = [_powers(point, self.outputs) for point in self._points]
        at_infinity = (*[Fraction(0)] * (self.outputs - 1), Fraction(1))
        return tuple(zip(*columns, at_infinity, strict=True))

    @property
    def _points(self) -> tuple[Fraction, ...]:
        return _POINTS[: self.samples - 1]

    @property
    def _unscaled_inputs(self) -> list[tuple[Fraction, ...]]:
        others = [[other for other in self._points if other != point] for point in self._points]
        return [
            *((*_coefficients(roots), Fraction(0)) for roots in others),
            _coefficients(self._points),
        ]

    @property
    def _scales(self) -> list[Fraction]:
        """Powers of two that bring the rows of the input matrix to a length of about 1."""
        lengths = [math.hypot(*map(float, row)) for row in self._unscaled_inputs]
        return [Fraction(2) ** -round(math.log2(length)) for length in lengths]


def shared_and_opposite(one: Row, other: Row) -> tuple[Row, Row] | None:
    """Rows whose sum is `one` and whose difference is `other`, with no column in both; None unless there are such.

    The rows of two opposite points, p and -p, differ in the signs of every other coefficient alone.
    """
    if any(abs(a) != abs(b) for a, b in zip(one, other, strict=True)):
        return None
    halves = [((a + b) / 2, (a - b) / 2) for a, b in zip(one, other, strict=True)]
    return tuple(shared for shared, _ in halves), tuple(opposite for _, opposite in halves)


def with_opposites(matrix: Matrix) -> Iterator[tuple[tuple[int, ...], tuple[Row, ...]]]:
    """The points of a matrix with a row for each, in order: one by one, or two with the rows they have in common."""
    point = 0
    while point < len(matrix):
        halves = shared_and_opposite(*matrix[point : point + 2]) if point + 1 < len(matrix) else None
        yield ((point,), (matrix[point],)) if halves is None else ((point, point + 1), halves)
        point += 1 if halves is None else 2


def combination(coefficients: Sequence[Fraction], values: Sequence[Any]) -> Any:
    """The sum of coefficient * value, leaving out coefficients of 0 and multiplications by 1."""
    total = None
    for coefficient, value in zip(coefficients, values, strict=True):
        if coefficient:
            product = value if coefficient == 1 else T.float32(float(coefficient)) * value
            total = product if total is None else total + product
    return total


def _scaled(row: Sequence[Fraction], scale: Fraction) -> tuple[Fraction, ...]:
    return tuple(value * scale for value in row)


def _powers(point: Fraction, count: int) -> tuple[Fraction, ...]:
    return tuple(point**exponent for exponent in range(count))


def _distances(point: Fraction, points: Sequence[Fraction]) -> Fraction:
    return math.prod((point - other for other in points if other != point), start=Fraction(1))


def _coefficients(roots: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The coefficients of the product of (x - root) over all roots, that of x^0 first."""
    product = [Fraction(1)]
    for root in roots:
        # p(x) (x - root) = x p(x) - root p(x): x p(x) has the same coefficients, one power higher.
        shifted, kept = [Fraction(0), *product], [*product, Fraction(0)]
        product = [high - root * low for high, low in zip(shifted, kept, strict=True)]
    return tuple(product)
