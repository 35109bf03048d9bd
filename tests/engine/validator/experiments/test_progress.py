"""How far experiments are, and the rest of some work, judged by what is done."""

import pytest

from engine.validator.experiments.progress import ProgressEvent, RemainingTime


def test_the_rest_takes_as_long_for_its_weight_as_what_is_done() -> None:
    moments = iter([100.0, 104.0, 106.0])
    remaining = RemainingTime([1, 1, 2, 4], lambda: next(moments))
    assert remaining.seconds_left(1) is None
    for _ in range(2):  # it starts once
        remaining.start()
    assert remaining.seconds_left(0) is None
    assert remaining.seconds_left(1) == pytest.approx(4 * 7)
    assert remaining.seconds_left(4) == 0


def test_the_time_that_is_left_is_told_once_it_is_known() -> None:
    assert ProgressEvent("Swept", 0, 2).words == "Swept: 0 of 2"
    assert ProgressEvent("Swept", 1, 2, 120.0).words == "Swept: 1 of 2, about 2 minutes left"
