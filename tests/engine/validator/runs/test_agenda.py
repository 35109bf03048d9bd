"""Whoever listens is followed, and in the end everything has had its turn."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from engine.speech import Plan, PlanEvent, Utterance
from engine.validator.runs.agenda import Agenda, Listener

CHARACTERS = 10


def utterances(count: int) -> tuple[Utterance, ...]:
    return tuple(
        Utterance(index, "x" * CHARACTERS, "a", index * CHARACTERS, (index + 1) * CHARACTERS) for index in range(count)
    )


def plans(*counts: int) -> Iterator[Plan]:
    for count in counts:
        yield Plan(utterances(count), (), (counts[-1] - count) * CHARACTERS)


def agenda_of(listener: Listener, *counts: int) -> tuple[Agenda, list[PlanEvent]]:
    told: list[PlanEvent] = []
    return Agenda(plans(*counts), told.append, listener), told


def test_without_a_listener_the_text_is_gone_through_in_order() -> None:
    agenda, _ = agenda_of(Listener(), 2, 5)
    assert [each.index for each in agenda] == [0, 1, 2, 3, 4]


def test_what_is_heard_comes_next_then_what_follows_then_what_was_passed_over() -> None:
    listener = Listener()
    taken = iter(agenda_of(listener, 6)[0])
    assert next(taken).index == 0
    listener.character = 3 * CHARACTERS + 4
    assert [next(taken).index for _ in range(3)] == [3, 4, 5]
    assert [each.index for each in taken] == [1, 2]


def test_the_plan_grows_only_as_far_as_it_is_needed() -> None:
    listener = Listener()
    agenda, told = agenda_of(listener, 2, 4, 8, 16)
    assert len(told) == 1
    taken = iter(agenda)
    next(taken)
    assert len(told) == 1
    next(taken)
    assert len(told) == 2


def test_a_place_beyond_the_plan_is_planned_for() -> None:
    listener = Listener(15 * CHARACTERS)
    agenda, told = agenda_of(listener, 2, 4, 8, 16)
    assert next(iter(agenda)).index == 15
    assert told[-1].plan.whole


@given(st.lists(st.integers(1, 30), min_size=1, max_size=4), st.lists(st.none() | st.integers(-5, 400)))
def test_everything_has_its_turn_once_wherever_the_listener_goes(counts: list[int], places: list[int | None]) -> None:
    listener = Listener()
    counts = sorted(set(counts))
    taken = []
    for each in agenda_of(listener, *counts)[0]:
        taken.append(each.index)
        listener.character = places.pop() if places else listener.character
    assert sorted(taken) == list(range(counts[-1]))
