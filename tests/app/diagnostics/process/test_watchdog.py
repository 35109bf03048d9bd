from pytestqt.qtbot import QtBot

from app.diagnostics.process.watchdog import LEAST_COMPUTED_SECONDS, Watchdog

SILENT_SECONDS = 20.0


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Kennel:
    """A watchdog with a clock that a test turns."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.dog = Watchdog(SILENT_SECONDS, self.clock)
        self.told: list[int | str] = []
        self.dog.stalled.connect(self.told.append)
        self.dog.went_on.connect(lambda: self.told.append("went on"))
        self.dog.watch()

    def wait(self, seconds: float) -> None:
        self.clock.now += seconds
        self.dog.look()


def test_silence_is_told_again_and_again_once_it_is_long(qtbot: QtBot) -> None:
    kennel = Kennel()
    kennel.wait(19)
    assert kennel.told == []
    kennel.wait(1)
    kennel.wait(5)
    assert kennel.told == [20, 25]


def test_an_answer_ends_it(qtbot: QtBot) -> None:
    kennel = Kennel()
    kennel.wait(21)
    kennel.dog.note_answer()
    kennel.wait(19)
    assert kennel.told == [21, "went on"]


def test_a_long_computation_is_no_silence(qtbot: QtBot) -> None:
    kennel = Kennel()
    for second in range(60):
        kennel.wait(1)
        kennel.dog.note_pulse(5.0 + second)
    assert kennel.told == []


def test_a_pulse_without_any_computing_is_no_sign_of_life(qtbot: QtBot) -> None:
    kennel = Kennel()
    kennel.dog.note_pulse(5.0)
    for second in range(21):
        kennel.wait(1)
        kennel.dog.note_pulse(5.0 + second * LEAST_COMPUTED_SECONDS / 100)
    assert kennel.told[:1] == [20]


def test_a_process_that_owes_nothing_may_be_silent(qtbot: QtBot) -> None:
    kennel = Kennel()
    kennel.dog.rest()
    assert not kennel.dog._timer.isActive()
