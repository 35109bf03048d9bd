"""The rest of some work, judged by what is done."""

import pytest

from engine.validator.experiments.remaining_time import RemainingTime


def test_the_rest_takes_as_long_for_its_weight_as_what_is_done() -> None:
    moments = iter([100.0, 104.0, 106.0])
    remaining = RemainingTime([1, 1, 2, 4], lambda: next(moments))
    remaining.start()
    assert remaining.seconds_left(1) == pytest.approx(4 * 7)
    assert remaining.seconds_left(4) == 0


def test_nothing_done_is_nothing_known() -> None:
    remaining = RemainingTime([1, 1])
    assert remaining.seconds_left(1) is None
    remaining.start()
    assert remaining.seconds_left(0) is None


def test_it_starts_once() -> None:
    moments = iter([0.0, 10.0])
    remaining = RemainingTime([1, 1], lambda: next(moments))
    remaining.start()
    remaining.start()
    assert remaining.seconds_left(1) == 10
