"""Delta debugging."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled
from engine.validator.cases.delta_debugging import Budget, Tries, minimised, shortest_run


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


def run_of(items: str, lengths: range, needed: str) -> tuple[str, ...] | None:
    return shortest_run(items, lengths, 12, Tries[str](lambda kept: needed in "".join(kept), unlimited()))


def test_short_runs_come_before_longer_ones() -> None:
    assert run_of("xxabxa", range(1, 4), "a") == ("a",)
    assert run_of("xxabxa", range(1, 4), "abx") == tuple("abx")
    assert run_of("xxabxa", range(1, 3), "abx") is None


@pytest.mark.parametrize(("places", "starts"), [(1, [0]), (3, [0, 250, 499]), (500, list(range(500)))])
def test_places_are_spread_over_a_long_text(places: int, starts: list[int]) -> None:
    tried: list[tuple[int, ...]] = []
    fails = Tries[int](lambda kept: bool(tried.append(kept)), unlimited())
    assert shortest_run(range(500), range(1, 2), places, fails) is None
    assert [start for (start,) in tried] == starts


def test_nothing_does_not_fail() -> None:
    assert not Tries[int](lambda kept: True, unlimited())(())
