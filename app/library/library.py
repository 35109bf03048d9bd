"""The history and the queue as the window uses them; all work on files is done beside it."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.audio.track import AudioTrack
from app.library.database import open_library, unusable
from app.library.generated_audio import Cut, GeneratedAudio, made_speech
from app.library.history import History, HistoryListed, StoredEntry, sound_path
from app.library.queue_store import QueueListed, QueueStore
from app.library.records import QueueJob, State, key_of
from app.tasks import Tasks
from engine.speech import SpeechRequest

NICENESS = 5
"""Of what writes sound: engine and window go first."""


@dataclass(frozen=True, eq=False)
class LoadedEntry:
    """What was spoken before; without a `track` it has to be made again, and `error` says why if it was kept."""

    kept: StoredEntry
    track: AudioTrack | None = None
    error: Exception | None = None


class Library(QObject):
    """Everything is listed at first, and again whenever it changes.

    Every method returns at once; what becomes of it comes with a signal, each of which carries plain data.
    `set_aside` tells that the library was damaged and another one was begun. With `in_charge`, what the last program to
    run has left is first put in order.
    """

    history_listed = Signal(object)
    queue_listed = Signal(object)
    recalled = Signal(object)
    set_aside = Signal(object)
    failed = Signal(object)

    def __init__(self, folder: Path, in_charge: bool = True, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._in_charge = in_charge
        self._stores: tuple[History, QueueStore] | None = None  # these two are for the thread of the database alone
        self._connection: sqlite3.Connection | None = None
        self._tried = threading.Event()  # to open the database
        self._database = Tasks("library", self)
        self._writing = Tasks("sounds", self, niceness=NICENESS)  # others must not wait for what takes longer
        self._reading = Tasks("kept sounds", self)
        self._in_history(_nothing)
        self._in_queue(_nothing)

    def begin(self, request: SpeechRequest, model: str) -> None:
        """A speech begins."""
        self._in_history(partial(History.begin, request=request, model=model))

    def keep(self, request: SpeechRequest, model: str, track: AudioTrack) -> None:
        """Keep what is made of a track by now, which is something; the track may go on growing."""
        key = key_of(request, model)
        self._writing.run(self._write, key, made_speech(track), failed=self._on_failed)

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

    def add(self, wish: QueueJob) -> None:
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
        """Do what was asked for so far, then end; return whether that was in time."""
        ended = [tasks.shut_down(timeout_ms) for tasks in (self._writing, self._reading)]  # what is written is noted
        self._database.run(self._close)
        return self._database.shut_down(timeout_ms) and all(ended)

    def _in_history(self, work: Callable[[History], object]) -> None:
        self._database.run(self._do_in_history, work, done=self._on_history, failed=self._on_failed)

    def _in_queue(self, work: Callable[[QueueStore], object]) -> None:
        self._database.run(self._do_in_queue, work, done=self.queue_listed.emit, failed=self._on_failed)

    def _do_in_history(self, work: Callable[[History], object]) -> tuple[HistoryListed, object]:
        with self._opened() as (history, _):
            result = work(history)
            return history.listed(), result

    def _do_in_queue(self, work: Callable[[QueueStore], object]) -> QueueListed:
        with self._opened() as (_, queue):
            work(queue)
            return queue.listed()

    @contextmanager
    def _opened(self) -> Iterator[tuple[History, QueueStore]]:
        """The stores; raises `LibraryUnusable`, also for what goes wrong within the context."""
        try:
            yield self._stores or self._open()
        except (sqlite3.Error, OSError) as error:
            raise unusable(self._folder, error) from error
        finally:
            self._tried.set()

    def _open(self) -> tuple[History, QueueStore]:
        self._connection, aside = open_library(self._folder)
        history, queue = History(self._connection, self._folder, time.time), QueueStore(self._connection)
        self._stores = history, queue
        if aside is not None:
            self._database.tell(self.set_aside.emit, aside)
        if self._in_charge:
            history.tidy()
            queue.wait_again()
        return history, queue

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _write(self, key: str, made: GeneratedAudio) -> None:
        from app.library.sounds import (  # loads libsndfile, not before the window is shown
            marks_text,
            samples_in,
            write_sound,
        )

        self._tried.wait()  # a sound that is written earlier would be taken for one that was left behind
        path = sound_path(self._folder, key)
        if samples_in(path) > made.length:  # equal requests give equal samples, so that is more of the same
            return
        try:
            write_sound(path, made)
        except OSError as error:
            raise unusable(self._folder, error) from error
        self._in_history(partial(History.keep, key=key, seconds=made.seconds, marks=marks_text(made.marks)))

    def _on_history(self, done: tuple[HistoryListed, object]) -> None:
        listed, result = done
        self.history_listed.emit(listed)
        if isinstance(result, StoredEntry):
            self._read(result)

    def _read(self, kept: StoredEntry) -> None:
        if kept.sound is None:
            self.recalled.emit(LoadedEntry(kept))
            return
        self._reading.run(
            _track_of,
            kept.sound,
            kept.marks,
            done=lambda track: self.recalled.emit(LoadedEntry(kept, track)),
            failed=lambda error: self.recalled.emit(LoadedEntry(kept, None, error)),
        )

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, Cut):
            self.failed.emit(error)


def _track_of(sound: Path, marks: str) -> AudioTrack:
    from app.library.sounds import read_track

    return read_track(sound, marks)


def _nothing(store: object) -> None:
    """Every task ends with a list anyway."""
