import pytest

from engine.models.progress import ModelActivity, ModelProgress, TransferMeter


class Watch:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_speed_and_time_left_are_those_of_the_last_seconds() -> None:
    watch, seen = Watch(), list[ModelProgress]()
    meter = TransferMeter("m", seen.append, watch)
    for second in range(25):
        watch.seconds = float(second)
        done = 100 * second if second < 10 else 1000 + 10 * (second - 10)
        meter.show(ModelActivity.FETCHING, done, 2000)
    assert seen[0].bytes_per_second is None
    assert seen[5].bytes_per_second == pytest.approx(100)
    assert seen[5].seconds_left == pytest.approx(15)
    assert seen[-1].bytes_per_second == pytest.approx(10)
    assert seen[-1].seconds_left == pytest.approx((2000 - 1140) / 10)


def test_a_new_activity_has_a_separate_speed() -> None:
    watch, seen = Watch(), list[ModelProgress]()
    meter = TransferMeter("m", seen.append, watch)
    meter.show(ModelActivity.FETCHING, 0, 10)
    watch.seconds = 2.0
    meter.show(ModelActivity.FETCHING, 10, 10)
    meter.show(ModelActivity.CONVERTING, 0, 10)
    assert (seen[1].bytes_per_second, seen[1].seconds_left) == (5.0, 0.0)
    assert (seen[2].bytes_per_second, seen[2].seconds_left) == (None, None)


def test_waiting_for_a_connection_is_no_slowness() -> None:
    watch, seen = Watch(), list[ModelProgress]()
    meter = TransferMeter("m", seen.append, watch)
    for second in range(60):
        watch.seconds = float(second)
        meter.show(ModelActivity.FETCHING, 100 * max(second - 50, 0), 10_000)
    assert seen[-1].bytes_per_second == pytest.approx(100)


def test_a_stalled_transfer_has_no_speed() -> None:
    watch, seen = Watch(), list[ModelProgress]()
    meter = TransferMeter("m", seen.append, watch)
    for second in range(9):
        watch.seconds = float(second)
        meter.show(ModelActivity.FETCHING, 5, 10)
    assert seen[-1].bytes_per_second is None


def test_the_startup_time_does_not_affect_the_time_left() -> None:
    watch, seen = Watch(), list[ModelProgress]()
    meter = TransferMeter("m", seen.append, watch)
    for seconds, done in ((0.0, 0), (2.0, 1), (2.5, 1000)):
        watch.seconds = seconds
        meter.show(ModelActivity.CONVERTING, done, 2000)
    assert [progress.seconds_left for progress in seen] == [None, None, 2.5]
