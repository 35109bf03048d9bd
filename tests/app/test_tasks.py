"""Tests of tasks that run beside the window."""

import logging
import os
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from threading import current_thread, main_thread

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.tasks import Tasks
from engine.errors import Canceled, InvalidRequest
from tests.patience import PATIENCE_MS, PATIENCE_SECONDS


@pytest.fixture
def tasks(qtbot: QtBot) -> Iterator[Tasks]:
    tasks = Tasks("a test")
    yield tasks
    assert tasks.shut_down(PATIENCE_MS)


class Heard:
    """The messages received, and a way to wait for all."""

    def __init__(self, qtbot: QtBot, tasks: Tasks) -> None:
        self.qtbot, self.tasks = qtbot, tasks
        self.all: list[object] = []

    def take(self, outcome: object) -> None:
        assert current_thread() is main_thread()
        self.all.append(outcome)

    def wait(self) -> list[object]:
        self.qtbot.waitUntil(lambda: not self.tasks.busy)
        return self.all


@pytest.fixture
def heard(qtbot: QtBot, tasks: Tasks) -> Heard:
    return Heard(qtbot, tasks)


def refuse(error: Exception) -> None:
    raise error


def test_a_result_arrives_in_the_thread_of_the_window(tasks: Tasks, heard: Heard) -> None:
    tasks.run(current_thread, done=heard.take)
    (thread,) = heard.wait()
    assert isinstance(thread, threading.Thread)
    assert thread is not main_thread()
    assert thread.name == "a test"


def test_one_runs_after_the_other_in_one_thread(tasks: Tasks, heard: Heard) -> None:
    running: list[object] = []

    def alone(number: int) -> tuple[int, int]:
        running.append(number)
        assert len(running) == 1
        running.clear()
        return number, threading.get_ident()

    for number in range(20):
        tasks.run(alone, number, done=heard.take)
    assert [number for number, _ in heard.wait()] == list(range(20))  # type: ignore[misc]
    assert len({thread for _, thread in heard.all}) == 1  # type: ignore[misc]


def test_all_run_at_once_if_they_may(qtbot: QtBot) -> None:
    tasks, meeting = Tasks("a test", at_once=True), threading.Barrier(3)
    heard = Heard(qtbot, tasks)
    for _ in range(3):
        tasks.run(meeting.wait, PATIENCE_SECONDS, done=heard.take)
    assert sorted(heard.wait()) == [0, 1, 2]  # type: ignore[type-var]
    assert tasks.shut_down(PATIENCE_MS)


@pytest.mark.parametrize(("error", "logged"), [(InvalidRequest("No."), 0), (KeyError("phonemes"), 1)])
def test_a_failure_is_reported_and_also_logged_if_unexpected(
    tasks: Tasks, heard: Heard, error: Exception, logged: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        tasks.run(refuse, error, done=heard.take, failed=heard.take)
        assert heard.wait() == [error]
    assert len(caplog.records) == logged


class Window(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.shown: list[Exception] = []

    def show_failure(self, error: Exception) -> None:
        self.shown.append(error)


def test_an_unhandled_failure_is_shown_by_the_window_above(qtbot: QtBot) -> None:
    window, error = Window(), InvalidRequest("No.")
    tasks = Tasks("a test", QObject(window))
    tasks.run(refuse, error)
    tasks.run(refuse, Canceled("Stopped"))
    qtbot.waitUntil(lambda: not tasks.busy)
    assert window.shown == [error]
    assert tasks.shut_down(PATIENCE_MS)


def test_a_failure_without_a_window_is_raised(tasks: Tasks, qtbot: QtBot) -> None:
    with qtbot.captureExceptions() as raised:
        tasks.run(refuse, InvalidRequest("No."))
        qtbot.waitUntil(lambda: not tasks.busy)
    assert [kind for kind, _, _ in raised] == [InvalidRequest]


def test_steps_are_progress_and_more_urgent_work_comes_between(tasks: Tasks, heard: Heard) -> None:
    def book() -> Generator[str, None, str]:
        yield "one"
        tasks.run(lambda: "urgent", done=heard.take, urgency=1)
        tasks.run(lambda: "late", done=heard.take, urgency=2)
        yield "two"
        return "whole"

    tasks.run(book, done=heard.take, progress=heard.take, urgency=2)
    assert heard.wait() == ["one", "two", "urgent", "whole", "late"]


def test_intermediate_reports_come_before_the_result(tasks: Tasks, heard: Heard) -> None:
    tasks.run(lambda: tasks.call_in_window(heard.take, "half"), done=lambda _: heard.take("whole"))
    assert heard.wait() == ["half", "whole"]


def waits_for(event: threading.Event) -> Callable[[], str]:
    def work() -> str:
        assert event.wait(PATIENCE_SECONDS)
        return "done all the same"

    return work


def test_a_canceled_task_fails_although_it_may_have_finished(tasks: Tasks, heard: Heard) -> None:
    task = tasks.run(waits_for(cancel := threading.Event()), done=heard.take, failed=heard.take, cancel=cancel)
    waiting = tasks.run(lambda: "begun", done=heard.take, failed=heard.take)
    waiting.cancel()
    task.cancel()
    assert [type(error) for error in heard.wait()] == [Canceled, Canceled]


def test_a_task_canceled_between_its_steps_ends_in_its_thread(tasks: Tasks, heard: Heard) -> None:
    ended: list[threading.Thread] = []

    def work() -> Iterator[str]:
        try:
            yield "one"
            assert going_on.wait(PATIENCE_SECONDS)
            yield "two"
        finally:
            ended.append(current_thread())

    def stop(_: object) -> None:
        task.cancel()
        going_on.set()

    going_on = threading.Event()
    task = tasks.run(work, progress=stop, failed=heard.take)
    assert [type(error) for error in heard.wait()] == [Canceled]
    assert ended != [main_thread()]


def test_at_the_end_everything_asked_for_is_done_first(qtbot: QtBot) -> None:
    tasks, done = Tasks("a test"), []
    for number in range(5):
        tasks.run(done.append, number)
    assert tasks.shut_down(PATIENCE_MS)
    assert done == list(range(5))
    tasks.run(done.append, 5)
    assert tasks.shut_down(PATIENCE_MS)
    assert done == list(range(5))


def test_shutdown_does_not_wait_for_a_task_that_does_not_end(qtbot: QtBot) -> None:
    tasks, held = Tasks("a test"), threading.Event()
    tasks.run(waits_for(held))
    assert not tasks.shut_down(1)
    held.set()
    assert tasks.shut_down(PATIENCE_MS)


def test_nothing_is_reported_to_a_deleted_owner(qtbot: QtBot) -> None:
    owner, held, told = QObject(), threading.Event(), []
    tasks = Tasks("a test", owner)
    tasks.run(waits_for(held), done=told.append)
    del owner
    held.set()
    tasks.shut_down(PATIENCE_MS)
    qtbot.wait_for_timers()
    assert told == []


@pytest.mark.skipif(sys.platform != "linux", reason="niceness belongs to a process elsewhere")
def test_others_go_first(qtbot: QtBot) -> None:
    tasks = Tasks("a test", niceness=7)
    heard = Heard(qtbot, tasks)
    tasks.run(os.getpriority, os.PRIO_PROCESS, 0, done=heard.take)
    assert heard.wait() == [max(7, os.getpriority(os.PRIO_PROCESS, 0))]
    assert tasks.shut_down(PATIENCE_MS)
