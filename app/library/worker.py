"""The only users of the library's files, in threads of their own: for the database, for writing and reading sound."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QThread, Signal, Slot

from app.audio.track import AudioTrack
from app.library.database import open_library, unusable
from app.library.history import History, Kept, sound_path
from app.library.made_speech import Cut, MadeSpeech
from app.library.queue_store import QueueStore
from app.library.records import key_of
from app.system.threads import failure_of, give_way
from engine.speech import SpeechRequest

NICENESS = 5


@dataclass(frozen=True)
class HistoryTask:
    """Something to do in the history, such as `partial(History.star, number=3, starred=True)`."""

    work: Callable[[History], object]


@dataclass(frozen=True)
class QueueTask:
    """Something to do in the queue, such as `partial(QueueStore.remove, number=3)`."""

    work: Callable[[QueueStore], object]


@dataclass(frozen=True, eq=False)
class KeepTask:
    """Write the sound of what is made of a request to a file."""

    request: SpeechRequest
    model: str
    made: MadeSpeech


@dataclass(frozen=True, eq=False)
class Recalled:
    """What was spoken before; without a `track` it has to be made again, and `error` says why if it was kept."""

    kept: Kept
    track: AudioTrack | None = None
    error: Exception | None = None


@dataclass(frozen=True)
class LibraryFailed:
    """Something could not be read or written."""

    error: Exception


class LibraryWorker(QObject):
    """Opens the database at the first task; after each task, what it may have changed is listed again.

    With `in_charge`, it first puts in order what the last program to run has left. `opened` is set once that is over.
    """

    reported = Signal(object)

    def __init__(self, folder: Path, in_charge: bool, opened: threading.Event) -> None:
        super().__init__()
        self._opened = opened
        self._folder = folder
        self._in_charge = in_charge
        self._database: sqlite3.Connection | None = None
        self._history: History | None = None
        self._queue: QueueStore | None = None

    @Slot(object)
    def work(self, task: HistoryTask | QueueTask) -> None:
        """Do a task."""
        error = failure_of(partial(self._work, task))
        self._opened.set()
        if error is not None:
            self.reported.emit(LibraryFailed(error))

    @Slot()
    def end(self) -> None:
        """Close the database and end the thread, after all tasks before this."""
        if self._database is not None:
            self._database.close()
        QThread.currentThread().quit()

    def _work(self, task: HistoryTask | QueueTask) -> None:
        try:
            self._open()
            if isinstance(task, QueueTask):
                self._do(task.work, self._queue)
            else:
                self._do(task.work, self._history)
        except (sqlite3.Error, OSError) as error:
            raise unusable(self._folder, error) from error

    def _do(self, work: Callable, store: History | QueueStore | None) -> None:
        assert store is not None
        result = work(store)
        self.reported.emit(store.listed())
        if result is not None:
            self.reported.emit(result)

    def _open(self) -> None:
        if self._database is not None:
            return
        database, aside = open_library(self._folder)
        self._history = History(database, self._folder, time.time)
        self._queue = QueueStore(database)
        self._database = database
        if aside is not None:
            self.reported.emit(aside)
        if self._in_charge:
            self._history.tidy()
            self._queue.wait_again()


class SoundWriter(QObject):
    """Writes sound, which takes longer than the database, or somebody who wants to hear, may be kept waiting.

    `kept` carries what the database has to do once a sound is in its file.
    """

    reported = Signal(object)
    kept = Signal(object)

    def __init__(self, folder: Path, opened: threading.Event) -> None:
        super().__init__()
        self._folder = folder
        self._opened = opened

    @Slot()
    def give_way(self) -> None:
        """Let engine and window go first; called in the worker's own thread."""
        give_way(NICENESS)

    @Slot(object)
    def keep(self, task: KeepTask) -> None:
        """Write a sound."""
        error = failure_of(partial(self._keep, task))
        if error is not None and not isinstance(error, Cut):
            self.reported.emit(LibraryFailed(error))

    @Slot()
    def end(self) -> None:
        """End the thread, after all tasks before this."""
        QThread.currentThread().quit()

    def _keep(self, task: KeepTask) -> None:
        from app.library.sounds import (  # loads libsndfile, not before the window is shown
            marks_text,
            samples_in,
            write_sound,
        )

        self._opened.wait()  # a sound that is written earlier would be taken for one that was left behind
        key, made = key_of(task.request, task.model), task.made
        path = sound_path(self._folder, key)
        if samples_in(path) > made.length:  # equal requests give equal samples, so that is more of the same
            return
        try:
            write_sound(path, made)
        except OSError as error:
            raise unusable(self._folder, error) from error
        marks = marks_text(made.marks)
        self.kept.emit(HistoryTask(partial(History.keep, key=key, seconds=made.seconds, marks=marks)))


class SoundReader(QObject):
    """Reads sound, while other sound may be written."""

    reported = Signal(object)

    @Slot(object)
    def read(self, kept: Kept) -> None:
        """Read a sound that was kept."""
        tracks: list[AudioTrack] = []
        error = failure_of(lambda: tracks.append(_read(kept)))
        self.reported.emit(Recalled(kept, next(iter(tracks), None), error))

    @Slot()
    def end(self) -> None:
        """End the thread, after all tasks before this."""
        QThread.currentThread().quit()


def _read(kept: Kept) -> AudioTrack:
    from app.library.sounds import read_track

    assert kept.sound is not None
    return read_track(kept.sound, kept.marks)
