from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal

from app.library.queue_runner import CANCELED, PRESS_PLAY, QueueRunner
from app.library.queue_store import QueueListed
from app.library.records import QueueItem, QueueJob, QueueState
from engine.errors import Canceled, OutputError
from tests.app.library.example_library import MODEL, request

HEARD = QueueJob(request("Heard."), MODEL)


class FakeLibrary(QObject):
    """A fake library that records marks; `list` emits a list, which may be older than the latest mark."""

    queue_listed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[tuple[int, QueueState, str]] = []
        self.removed: list[int] = []

    def mark(self, number: int, state: QueueState, message: str = "") -> None:
        self.marks.append((number, state, message))

    def remove(self, number: int) -> None:
        self.removed.append(number)

    def list(self, *states: QueueState) -> None:
        items = tuple(QueueItem(number, "Heard.", HEARD, state) for number, state in enumerate(states, 1))
        self.queue_listed.emit(QueueListed(items))


class FakeDesk(QObject):
    """A fake desk with one slot."""

    ended = Signal(int, object)
    freed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[int] = []
        self.free = True

    def blocking_reason(self, job: QueueJob) -> str | None:
        return None

    def has_place(self, job: QueueJob) -> bool:
        return self.free

    def begin_job(self, number: int, job: QueueJob) -> None:
        self.begun.append(number)
        self.free = False

    def cancel(self, number: int) -> None:
        self.end(number, Canceled("Stopped"))

    def withdraw(self) -> None:
        pass

    def end(self, number: int, error: Exception | None = None) -> None:
        self.ended.emit(number, error)
        self.free = True
        self.freed.emit()


class Bench:
    def __init__(self) -> None:
        self.library, self.desk, self.owner = FakeLibrary(), FakeDesk(), QObject()
        self.runner = QueueRunner(self.library, self.desk, self.owner)  # type: ignore[arg-type]


@pytest.fixture
def bench(qapp: object) -> Bench:
    return Bench()


def test_nothing_plays_before_the_user_asks_for_it(bench: Bench) -> None:
    bench.library.list(QueueState.WAITING)
    assert bench.desk.begun == []
    assert bench.runner.note == PRESS_PLAY
    bench.runner.play(True)
    assert bench.desk.begun == [1]
    assert bench.runner.note == ""


def test_a_list_from_before_it_ended_does_not_begin_it_again(bench: Bench) -> None:
    bench.runner.play(True)
    bench.library.list(QueueState.WAITING, QueueState.WAITING)
    bench.desk.end(1)
    bench.library.list(QueueState.WAITING, QueueState.WAITING)
    bench.library.list(QueueState.WORKING, QueueState.WAITING)
    bench.library.list(QueueState.DONE, QueueState.WORKING)
    assert bench.desk.begun == [1, 2]
    assert bench.library.marks == [(1, QueueState.WORKING, ""), (1, QueueState.DONE, ""), (2, QueueState.WORKING, "")]


def test_one_that_failed_is_begun_again_only_if_it_is_retried(bench: Bench) -> None:
    bench.runner.play(True)
    bench.library.list(QueueState.WAITING)
    bench.desk.end(1, OutputError("The disk is full.", "Free up some space."))
    assert bench.library.marks[-1] == (1, QueueState.FAILED, "The disk is full. Free up some space.")
    bench.library.list(QueueState.FAILED)
    assert bench.desk.begun == [1]
    bench.runner.retry(QueueItem(1, "Heard.", HEARD, QueueState.FAILED))
    bench.library.list(QueueState.WAITING)
    assert bench.desk.begun == [1, 1]


def test_a_stopped_item_waits_again_and_a_canceled_one_does_not(bench: Bench) -> None:
    bench.runner.play(True)
    bench.library.list(QueueState.WAITING)
    bench.desk.end(1, Canceled("Stopped"))
    assert bench.library.marks[-1] == (1, QueueState.WAITING, "")
    assert not bench.runner.playing
    bench.runner.play(True)
    bench.runner.cancel(QueueItem(1, "Heard.", HEARD, QueueState.WORKING))
    assert bench.library.marks[-1] == (1, QueueState.FAILED, CANCELED)
    assert bench.desk.begun == [1, 1]


def test_removing_the_item_playing_starts_the_next(bench: Bench) -> None:
    bench.library.list(QueueState.WAITING, QueueState.WAITING)
    bench.runner.play(True)
    bench.runner.remove(QueueItem(1, "Heard.", HEARD, QueueState.WORKING))
    assert bench.runner.playing
    assert bench.library.removed == [1]
    assert bench.library.marks == [(1, QueueState.WORKING, ""), (2, QueueState.WORKING, "")]
    assert bench.desk.begun == [1, 2]


def test_a_removed_item_is_not_begun_by_an_outdated_list(bench: Bench) -> None:
    bench.library.list(QueueState.WAITING, QueueState.WAITING)
    bench.runner.remove(QueueItem(1, "Heard.", HEARD))
    bench.library.list(QueueState.WAITING, QueueState.WAITING)
    bench.runner.play(True)
    assert bench.desk.begun == [2]


def test_an_item_that_ended_before_the_panel_shows_it_is_not_canceled(bench: Bench) -> None:
    bench.runner.play(True)
    bench.library.list(QueueState.WAITING)
    bench.desk.end(1)
    bench.runner.cancel(QueueItem(1, "Heard.", HEARD, QueueState.WORKING))
    assert bench.library.marks[-1] == (1, QueueState.DONE, "")


def test_a_file_that_is_given_up_as_the_window_closes_waits_again(bench: Bench, tmp_path: Path) -> None:
    item = QueueItem(1, "File.", QueueJob(request("File."), MODEL, target=tmp_path / "a.wav"), QueueState.WAITING)
    bench.library.queue_listed.emit(QueueListed((item,)))
    bench.runner.halt()
    bench.desk.end(1, Canceled("Stopped"))
    assert bench.library.marks[-1] == (1, QueueState.WAITING, "")
    assert bench.desk.begun == [1]
    bench.runner.retry(item)  # the user kept the window open
    bench.runner.play(False)
    assert bench.desk.begun == [1, 1]
