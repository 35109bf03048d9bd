import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.speech.pace import USUAL_SECONDS, Pace
from engine.stages import DEVICE_STAGES
from tests.app.fakes import FakeClock

STEPS = list(USUAL_SECONDS)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def after(clock: FakeClock, seconds: float) -> None:
    clock.seconds += seconds


def test_the_usual_steps_are_those_of_the_compiler() -> None:
    assert [f"Compiling {stage.title.lower()}" for stage in DEVICE_STAGES] == STEPS


def test_nothing_is_known_at_first_but_the_time_it_takes(clock: FakeClock) -> None:
    pace = Pace(clock)
    pace.note("Packing", 0, 1)
    assert pace.words == ""
    after(clock, 5)
    assert pace.words == "5 seconds so far"
    assert (pace.seconds_left, pace.fraction) == (None, None)


def test_steps_of_equal_size_tell_what_is_left(clock: FakeClock) -> None:
    pace = Pace(clock)
    pace.note("a", 0, 4)
    after(clock, 10)
    pace.note("b", 1, 4)
    assert (pace.seconds_left, pace.fraction) == (30, 0.25)
    after(clock, 5)
    assert (pace.seconds_left, pace.fraction) == (25, 0.375)
    assert pace.words == "about 20 seconds left"


def test_compiling_steps_have_their_usual_proportions(clock: FakeClock) -> None:
    pace = Pace(clock)
    pace.note("Starting the compiler", 0, 7)
    after(clock, 6)
    for done, title in enumerate(STEPS[:5]):
        pace.note(title, done, 7)
        after(clock, USUAL_SECONDS[title] / 4)
    pace.note(STEPS[5], 5, 7)
    assert pace.seconds_left == pytest.approx((USUAL_SECONDS[STEPS[5]] + USUAL_SECONDS[STEPS[6]]) / 4)


def test_a_step_that_takes_longer_than_expected_shows_that_it_goes_on(clock: FakeClock) -> None:
    pace = Pace(clock)
    pace.note("a", 0, 2)
    after(clock, 10)
    pace.note("b", 1, 2)
    after(clock, 11)
    assert pace.fraction is None
    assert pace.words == "21 seconds so far"


def test_other_work_starts_anew(clock: FakeClock) -> None:
    pace = Pace(clock)
    pace.note("a", 0, 2)
    after(clock, 10)
    pace.note("b", 1, 2)
    pace.note("Packing", 0, 1)
    assert (pace.seconds_left, pace.words) == (None, "")


def test_an_estimate_by_who_does_the_work_counts_down(clock: FakeClock) -> None:
    pace = Pace(clock)
    pace.note("fetching", 0, 0, 40.0)
    after(clock, 15)
    assert pace.seconds_left == 25
    after(clock, 100)
    assert pace.words == "1:55 minutes so far"
    pace.note("fetching", 0, 0)
    assert pace.words == "1:55 minutes so far"


@given(st.lists(st.tuples(st.sampled_from(["a", "b", *STEPS]), st.integers(0, 7), st.floats(0, 100)), max_size=20))
@example([("a", 0, 5e-324), ("Compiling durations", 1, 0.0)])
def test_whatever_is_said_the_estimates_make_sense(steps: list[tuple[str, int, float]]) -> None:
    clock = FakeClock()
    pace = Pace(clock)
    for title, done, seconds in steps:
        pace.note(title, done, 7)
        after(clock, seconds)
        fraction, left = pace.fraction, pace.seconds_left
        assert fraction is None or 0 <= fraction <= 2
        assert left is None or left >= -1e-9
        assert isinstance(pace.words, str)
