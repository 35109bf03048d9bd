"""Delta debugging."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled
from engine.validator.delta_debugging import MOST_WINDOWS, Budget, Tries, minimised, short_window


def unlimited() -> Budget:
    return Budget(1e9)


@given(count=st.integers(1, 40), data=st.data())
def test_exactly_what_it_takes_is_left(count: int, data: st.DataObject) -> None:
    needed = data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=5))
    tries = Tries[int](lambda kept: needed <= set(kept), unlimited())
    assert minimised(range(count), tries) == tuple(sorted(needed))


@given(count=st.integers(2, 30), seed=st.integers(0, 2**20))
def test_no_single_item_can_be_left_out_of_the_result(count: int, seed: int) -> None:
    def fails(kept: tuple[int, ...]) -> bool:
        return len(kept) == count or sum(kept) * 2654435761 % 7 == seed % 7

    kept = minimised(range(count), Tries[int](fails, unlimited()))
    assert fails(kept)
    assert all(len(kept) == 1 or not fails(kept[:place] + kept[place + 1 :]) for place in range(len(kept)))


def test_each_candidate_is_tried_once() -> None:
    asked: list[tuple[int, ...]] = []

    def fails(kept: tuple[int, ...]) -> bool:
        asked.append(kept)
        return {2, 11} <= set(kept)

    budget = unlimited()
    minimised(range(16), Tries[int](fails, budget))
    assert len(asked) == len(set(asked)) == budget.tries


def test_when_time_is_up_the_smallest_so_far_is_kept() -> None:
    clock = iter(range(1000))
    budget = Budget(5, clock=lambda: float(next(clock)))
    kept = minimised(range(64), Tries[int](lambda kept: 0 in kept, budget))
    assert budget.spent
    assert 0 in kept
    assert 1 < len(kept) < 64


def test_it_can_be_stopped() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        minimised(range(8), Tries[int](lambda kept: True, Budget(1e9, cancel)))


def test_short_windows_come_before_longer_ones() -> None:
    assert short_window("xxabxa", 3, Tries[str](lambda kept: "a" in kept, unlimited())) == ("a",)
    assert short_window("xxabxa", 3, Tries[str](lambda kept: "".join(kept) == "abx", unlimited())) == tuple("abx")
    assert short_window("xxabxa", 2, Tries[str](lambda kept: "".join(kept) == "abx", unlimited())) is None


def test_windows_are_spread_over_a_long_text() -> None:
    tried: list[tuple[int, ...]] = []
    assert short_window(range(500), 1, Tries[int](lambda kept: bool(tried.append(kept)), unlimited())) is None
    assert len(tried) == MOST_WINDOWS
    assert (tried[0], tried[-1]) == ((0,), (499,))


def test_nothing_does_not_fail() -> None:
    assert not Tries[int](lambda kept: True, unlimited())(())
