from engine.benchmark.assumptions import ASSUMPTIONS, SLOW_CYCLES


def test_every_assumption_says_where_it_comes_from():
    assert all(assumption.meaning and assumption.source for assumption in ASSUMPTIONS)


def test_slow_operations_take_longer_than_one_cycle():
    assert all(cycles > 1 for cycles in SLOW_CYCLES.values())
