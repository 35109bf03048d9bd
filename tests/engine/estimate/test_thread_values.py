import numpy as np
import pytest
from tvm import tirx
from tvm.script import tirx as T

from engine.estimate.thread_values import LONGEST, is_integer, value_of

X, Y = tirx.Var("x", "int32"), tirx.Var("y", "int32")
VALUES = {X: np.arange(5), Y: 3}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (X * 2 + Y, [3, 5, 7, 9, 11]),
        (tirx.truncdiv(X - 3, 2), [-1, -1, 0, 0, 0]),
        (tirx.truncmod(X - 3, 2), [-1, 0, -1, 0, 1]),
        (tirx.floordiv(X - 3, 2), [-2, -1, -1, 0, 0]),
        (tirx.Select(X < Y, X, Y), [0, 1, 2, 3, 3]),
        (tirx.if_then_else(X < 2, X, Y), [0, 1, 3, 3, 3]),
        (tirx.all(X > 0, tirx.Not(X == Y)), [False, True, True, False, True]),
        (tirx.max(X, 2) >> 1, [1, 1, 1, 1, 2]),
        (tirx.Cast("int64", tirx.abs(X - 2)), [2, 1, 0, 1, 2]),
    ],
    ids=str,
)
def test_every_thread_has_its_value(expression, expected):
    np.testing.assert_array_equal(value_of(expression, VALUES), expected)


def test_what_depends_on_a_float_is_unknown():
    value = tirx.Var("value", "float32")
    assert value_of(value > 0, VALUES) is None
    assert value_of(tirx.Cast("int32", value) + X, VALUES) is None


def test_a_let_names_a_value():
    name = tirx.Var("name", "int32")
    assert value_of(tirx.Let(name, Y + 1, name * name), VALUES) == 16


def test_an_integer_in_memory_counts_as_a_length_beyond_any_other():
    @T.prim_func(s_tir=True)
    def reads(lengths: T.Buffer((4,), "int32"), target: T.Buffer((4,), "int32")):
        target[0] = lengths[1]

    load = reads.body.value
    assert is_integer(load)
    assert value_of(load, {}) == LONGEST
    assert value_of(tirx.min(load, Y), VALUES) == 3
