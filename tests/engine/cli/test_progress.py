"""Lines of progress: each step once, and again while it lasts."""

import threading

import pytest

from engine.cli.progress import REPEAT_SECONDS, SLOWEST_LINE_SECONDS, Steps
from engine.speech import DeviceEvent, FallbackEvent, Notice, Plan, PlanEvent, PreparationEvent
from tests.patience import PATIENCE_SECONDS


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def steps(lines: list[str], clock: Clock) -> Steps:
    return Steps(lines.append, clock)


def pass_seconds(steps: Steps, clock: Clock, seconds: int) -> None:
    for _ in range(seconds):
        clock.seconds += 1
        steps.tick()


def test_a_step_that_lasts_is_said_again_with_its_time(steps: Steps, clock: Clock, lines: list[str]) -> None:
    steps.show(PreparationEvent("Compiling", 1, 2))
    assert lines == ["Compiling (1 of 2)"]
    pass_seconds(steps, clock, 5)
    assert lines[1:] == ["Compiling (1 of 2), 2 s so far", "Compiling (1 of 2), 4 s so far"]


def test_what_is_done_is_not_repeated_but_what_follows_is_told_if_it_lasts(
    steps: Steps, clock: Clock, lines: list[str]
) -> None:
    steps.show(PreparationEvent("Compiled", 2, 2))
    pass_seconds(steps, clock, 3)
    assert lines == ["Compiled (2 of 2)", "Going on, 2 s so far"]


def test_a_step_that_two_processes_tell_is_written_once(steps: Steps, clock: Clock, lines: list[str]) -> None:
    for _ in range(2):
        steps.show(PreparationEvent("Packing", 0, 7))
        clock.seconds += 1
    assert lines == ["Packing (0 of 7)"]
    clock.seconds += 1
    steps.tick()
    assert lines[1:] == ["Packing (0 of 7), 3 s so far"]


def test_nothing_is_repeated_after_a_line_of_its_own(steps: Steps, clock: Clock, lines: list[str]) -> None:
    steps.begin("Compiling")
    steps.say("Spoke 1")
    pass_seconds(steps, clock, 9)
    assert lines == ["Compiling", "Spoke 1"]


def test_what_is_expected_to_be_short_is_said_only_if_it_lasts(steps: Steps, clock: Clock, lines: list[str]) -> None:
    steps.expect("Speaking 1")
    pass_seconds(steps, clock, 1)
    assert lines == []
    pass_seconds(steps, clock, 1)
    assert lines == ["Speaking 1, 2 s so far"]


def test_figures_are_written_now_and_then_and_stand_still_no_longer_than_steps(
    steps: Steps, clock: Clock, lines: list[str]
) -> None:
    for number in range(20):
        steps.advance(f"fetching {number}", "fetching")
        clock.seconds += SLOWEST_LINE_SECONDS / 8
    assert lines == ["fetching 0", "fetching 8", "fetching 16"]
    for _ in range(4):
        steps.advance("fetching 19", "fetching")
        pass_seconds(steps, clock, 1)
    assert lines[3:] == ["fetching 19, 4 s so far", "fetching 19, 6 s so far"]


def test_figures_of_another_kind_begin_anew(steps: Steps, clock: Clock, lines: list[str]) -> None:
    steps.advance("fetching 1", "fetching")
    clock.seconds += 0.1
    steps.advance("checking 0", "checking")
    pass_seconds(steps, clock, 2)
    assert lines == ["fetching 1", "checking 0", "checking 0, 2 s so far"]


def test_notices_of_a_whole_plan_are_said_while_the_step_goes_on(steps: Steps, clock: Clock, lines: list[str]) -> None:
    steps.expect("Speaking 1")
    notice = Notice("“ß” is spelt.", 0, 1)
    steps.show(PlanEvent(Plan((), (notice,), characters_left=9)))
    steps.show(PlanEvent(Plan((), (notice,))))
    pass_seconds(steps, clock, 2)
    assert lines == ["note: “ß” is spelt.", "Speaking 1, 2 s so far"]


def test_a_gpu_that_is_not_used_is_noted(steps: Steps, lines: list[str]) -> None:
    steps.show(DeviceEvent("cpu (why)", "tir (why)", {}))
    assert lines == []
    steps.show(DeviceEvent("cpu (why)", "tir (why)", {}, "the GPU is not used: it ended its process (SIGABRT)"))
    assert lines == ["note: the GPU is not used: it ended its process (SIGABRT)"]


def test_a_thread_repeats_what_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.cli.progress.REPEAT_SECONDS", REPEAT_SECONDS / 1000)
    repeated = threading.Event()
    with Steps(lambda line: repeated.set() if "so far" in line else None) as steps:
        steps.begin("Compiling")
        assert repeated.wait(PATIENCE_SECONDS)
    assert "progress" not in [thread.name for thread in threading.enumerate()]


def test_that_the_processor_speaks_is_noted_once_for_each_reason(steps: Steps, lines: list[str]) -> None:
    steps.expect("Speaking 2")
    for reason in ("It failed.", "It failed.", "It failed three times."):
        steps.show(FallbackEvent(reason))
    assert lines == ["note: It failed.", "note: It failed three times."]
