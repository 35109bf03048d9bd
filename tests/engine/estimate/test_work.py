from dataclasses import replace

import pytest

from tests.engine.estimate.example_work import kernel


def test_waste_is_what_is_executed_over_what_is_useful():
    wasteful = kernel("conv", flop=30.0, useful_flop=20.0)
    assert wasteful.waste == pytest.approx(1.5)
    assert replace(wasteful, useful_flop=None).waste is None
