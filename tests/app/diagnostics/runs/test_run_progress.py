import pytest

from app.diagnostics.runs.run import RunProgress
from engine.speech import Plan, Utterance

SECONDS_PER_UTTERANCE = 2.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def utterances(count: int) -> tuple[Utterance, ...]:
    return tuple(Utterance(index, "x" * 10, "a" * 10, index * 10, index * 10 + 10) for index in range(count))


def compared(progress: RunProgress, clock: Clock, order: list[int]) -> None:
    for utterance in order:
        progress.begin(utterance)
        clock.now += SECONDS_PER_UTTERANCE


def progress_of(plan: Plan) -> tuple[RunProgress, Clock]:
    clock = Clock()
    progress = RunProgress(clock)
    progress.plan = plan
    return progress, clock


def test_nothing_is_said_before_an_utterance_is_done() -> None:
    progress, clock = progress_of(Plan(utterances(4)))
    assert progress.words == ""
    compared(progress, clock, [0])
    assert progress.words == ""


def test_what_is_left_follows_from_what_is_done_in_any_order() -> None:
    progress, clock = progress_of(Plan(utterances(34)))
    compared(progress, clock, [0, 20, 21, 3, 4])
    assert progress.compared == 4
    assert progress.seconds_left == pytest.approx(30 * SECONDS_PER_UTTERANCE - SECONDS_PER_UTTERANCE)
    assert progress.words == "4 of 34 compared, about 1 minute left"


def test_the_rest_of_a_growing_plan_is_counted_by_its_characters() -> None:
    progress, clock = progress_of(Plan(utterances(10), (), 900))
    compared(progress, clock, [0, 1, 2, 3])
    assert progress.seconds_left == pytest.approx(97 * SECONDS_PER_UTTERANCE - SECONDS_PER_UTTERANCE)
    assert progress.words.startswith("3 of 10 or more compared, about 3 minutes left")


def test_rows_of_one_utterance_count_once_and_time_never_runs_below_nothing() -> None:
    progress, clock = progress_of(Plan(utterances(4)))
    compared(progress, clock, [0, 0, 0, 1, 1, 2])
    assert progress.compared == 2
    clock.now += 1000
    assert progress.seconds_left == 0
