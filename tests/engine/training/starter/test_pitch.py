"""Distances of two curves of F0."""

import numpy as np
import pytest

from engine.training.starter.measures import voiced_cents


def test_cents_are_counted_where_both_are_voiced():
    ours, wanted = np.array([200.0, 0, 400, 100]), np.array([100.0, 100, 0, 100 * 2 ** (1 / 1200)])
    cents, voicing_agrees = voiced_cents(ours, wanted)
    assert cents == pytest.approx([1200, -1])
    assert voicing_agrees.tolist() == [True, False, False, True]


@pytest.mark.parametrize(("value_hz", "counted"), [(10.0, 0), (10.5, 1)])
def test_a_value_is_voiced_where_the_source_takes_it_to_be(value_hz: float, counted: int):
    cents, _ = voiced_cents(np.array([value_hz]), np.array([100.0]))
    assert len(cents) == counted
