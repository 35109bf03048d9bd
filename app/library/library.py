"""The history and the queue as the window uses them; all work on files is done in three threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.audio.track import AudioTrack
from app.library.database import SetAside
from app.library.history import History, HistoryListed, Kept
from app.library.made_speech import made_speech
from app.library.queue_store import QueueListed, QueueStore
from app.library.records import State, Wish
from app.library.worker import (
    HistoryTask,
    KeepTask,
    LibraryFailed,
    LibraryWorker,
    QueueTask,
    Recalled,
    SoundReader,
    SoundWriter,
)
from app.system.threads import worker_thread
from engine.speech import SpeechRequest


class Library(QObject):
    """Everything is listed at first, and again whenever it changes.

    Every method returns at once; what becomes of it comes with a signal, each of which carries plain data.
    `set_aside` tells that the library was damaged and another one was begun.
    """

    history_listed = Signal(object)
    queue_listed = Signal(object)
    recalled = Signal(object)
    set_aside = Signal(object)
    failed = Signal(object)

    _work_wanted = Signal(object)
    _keep_wanted = Signal(object)
    _read_wanted = Signal(object)
    _sounds_end_wanted = Signal()
    _end_wanted = Signal()

    def __init__(self, folder: Path, in_charge: bool = True, parent: QObject | None = None) -> None:
        super().__init__(parent)
        opened = threading.Event()
        self._worker = LibraryWorker(folder, in_charge, opened)
        self._writer, self._reader = SoundWriter(folder, opened), SoundReader()
        self._database_thread = self._thread("library", self._worker)
        self._sound_threads = self._thread("sounds", self._writer), self._thread("kept sounds", self._reader)
        self._sound_threads[0].started.connect(self._writer.give_way)
        self._writer.kept.connect(self._worker.work)
        self._work_wanted.connect(self._worker.work)
        self._keep_wanted.connect(self._writer.keep)
        self._read_wanted.connect(self._reader.read)
        self._sounds_end_wanted.connect(self._writer.end)
        self._sounds_end_wanted.connect(self._reader.end)
        self._end_wanted.connect(self._worker.end)
        for thread in (*self._sound_threads, self._database_thread):
            thread.start()
        self._in_history(_nothing)
        self._in_queue(_nothing)

    def begin(self, request: SpeechRequest, model: str) -> None:
        """A speech begins."""
        self._in_history(partial(History.begin, request=request, model=model))

    def keep(self, request: SpeechRequest, model: str, track: AudioTrack) -> None:
        """Keep what is made of a track by now, which is something; the track may go on growing."""
        self._keep_wanted.emit(KeepTask(request, model, made_speech(track)))

    def look_for(self, words: str) -> None:
        """List only entries with these words from now on."""
        self._in_history(partial(History.look_for, words=words))

    def recall(self, number: int) -> None:
        """Get back what was spoken; it comes with `recalled`."""
        self._in_history(partial(History.recall, number=number))

    def star(self, number: int, starred: bool) -> None:
        """Give an entry a star or take it away."""
        self._in_history(partial(History.star, number=number, starred=starred))

    def delete(self, number: int) -> None:
        """Delete an entry, which `bring_back` can undo until the next one is deleted."""
        self._in_history(partial(History.delete, number=number))

    @Slot()
    def bring_back(self) -> None:
        """Bring back what was deleted last."""
        self._in_history(History.bring_back)

    def limit(self, megabytes: int) -> None:
        """Keep at most this much sound, apart from what has a star."""
        self._in_history(partial(History.limit, megabytes=megabytes))

    def add(self, wish: Wish) -> None:
        """Add a wish to the queue."""
        self._in_queue(partial(QueueStore.add, wish=wish))

    def mark(self, number: int, state: State, message: str = "") -> None:
        """Note what has become of an item."""
        self._in_queue(partial(QueueStore.mark, number=number, state=state, message=message))

    def move(self, number: int, steps: int) -> None:
        """Move an item up or down."""
        self._in_queue(partial(QueueStore.move, number=number, steps=steps))

    def remove(self, number: int) -> None:
        """Take an item out of the queue."""
        self._in_queue(partial(QueueStore.remove, number=number))

    @Slot()
    def remove_done(self) -> None:
        """Take out everything that is done."""
        self._in_queue(QueueStore.remove_done)

    def shut_down(self, timeout_ms: int) -> bool:
        """Do what was asked for so far, then end; return whether all threads ended in time."""
        self._sounds_end_wanted.emit()
        ended = [thread.wait(timeout_ms) for thread in self._sound_threads]  # they still tell what they have written
        self._end_wanted.emit()
        return self._database_thread.wait(timeout_ms) and all(ended)

    def _thread(self, name: str, worker: LibraryWorker | SoundWriter | SoundReader) -> QThread:
        thread = worker_thread(name, self)
        worker.moveToThread(thread)
        worker.reported.connect(self._on_report)
        return thread

    def _in_history(self, work: Callable[[History], object]) -> None:
        self._work_wanted.emit(HistoryTask(work))

    def _in_queue(self, work: Callable[[QueueStore], object]) -> None:
        self._work_wanted.emit(QueueTask(work))

    @Slot(object)
    def _on_report(self, report: object) -> None:
        match report:
            case HistoryListed():
                self.history_listed.emit(report)
            case QueueListed():
                self.queue_listed.emit(report)
            case Kept() if report.sound is not None:
                self._read_wanted.emit(report)
            case Kept():
                self.recalled.emit(Recalled(report))
            case Recalled():
                self.recalled.emit(report)
            case SetAside():
                self.set_aside.emit(report)
            case LibraryFailed(error):
                self.failed.emit(error)


def _nothing(store: object) -> None:
    """Every task ends with a list anyway."""
