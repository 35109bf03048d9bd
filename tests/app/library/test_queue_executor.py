from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.library.queue_executor import QueueExecutor
from app.library.records import QueueJob
from engine.errors import Canceled, OutputError
from tests.app.library.example_library import MODEL, request
from tests.app.library.room import Room
from tests.patience import PATIENCE_MS


class Bench:
    """A separate desk in a room with an empty queue; the engine waits before its first sentence."""

    def __init__(self, room: Room) -> None:
        self.room = room
        room.engine.hold.clear()
        self.desk = QueueExecutor(
            room.speech, room.window.reading, room.voices, lambda model: lambda: room.other, room.window
        )
        self.ended: list[tuple[int, Exception | None]] = []
        self.desk.ended.connect(lambda number, error: self.ended.append((number, error)))

    def settle(self) -> None:
        with self.room.qtbot.waitSignal(self.desk.freed):
            pass

    def close(self) -> None:
        assert self.desk.shut_down(PATIENCE_MS)
        self.room.close()


@pytest.fixture
def bench(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(Room(qtbot, qapp, tmp_path))
    yield bench
    bench.close()


def test_a_failure_just_before_a_job_begins_does_not_end_it(bench: Bench) -> None:
    bench.room.speech.speech_failed.emit(OutputError("A different request failed.", ""))
    bench.desk.begin_job(1, QueueJob(request("One."), MODEL))
    bench.settle()
    assert bench.ended == []
    error = OutputError("This one has failed.", "")
    bench.room.speech.speech_failed.emit(error)
    bench.settle()
    assert bench.ended == [(1, error)]


def test_canceling_does_not_stop_speech_the_user_started_instead(bench: Bench) -> None:
    bench.desk.begin_job(1, QueueJob(request("One."), MODEL))
    bench.room.speech.speak(request("Mine."))
    bench.desk.cancel(1)
    assert bench.room.speech.player.playback is Playback.PLAYING
    bench.settle()
    ((number, error),) = bench.ended
    assert number == 1
    assert isinstance(error, Canceled)


def test_an_item_that_is_stopped_at_its_very_end_was_not_heard(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.audio.player.RING_OUT_SECONDS", 3600)
    bench.room.engine.hold.set()
    bench.desk.begin_job(1, QueueJob(request("One."), MODEL))
    bench.room.hear_out()
    assert bench.room.speech.player.playback is Playback.PLAYING
    bench.room.speech.stop()
    bench.settle()
    ((_, error),) = bench.ended
    assert isinstance(error, Canceled)
