"""The history and the queue as the window uses them; all file access happens in background threads."""

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
from app.library.generated_audio import GeneratedAudio, TrackTruncated, generated_audio_of
from app.library.history import History, HistoryListed, StoredEntry, sound_path
from app.library.queue_store import QueueListed, QueueStore
from app.library.records import QueueJob, QueueState, key_of
from app.tasks import Tasks
from engine.speech import SpeechRequest

NICENESS = 5
"""The niceness of the thread that writes audio: engine and window have priority."""


@dataclass(frozen=True, eq=False)
class LoadedEntry:
    """An entry read from the history. Without a `track`, its audio has to be generated again.

    `error` is the reason if saved audio could not be read.
    """

    kept: StoredEntry
    track: AudioTrack | None = None
    error: Exception | None = None


class SpeechLibrary(QObject):
    """The facade for history and queue, which are listed at first and after every change.

    All methods are asynchronous; results arrive as signals with plain data. `set_aside` is emitted if the library was
    damaged and a new one replaces it. With `in_charge`, leftovers of the previous run are first cleaned up.
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
        self._stores: tuple[History, QueueStore] | None = None  # these two are for the database thread only
        self._connection: sqlite3.Connection | None = None
        self._tried = threading.Event()  # set after the first attempt to open the database
        self._database = Tasks("library", self)
        self._writing = Tasks("sounds", self, niceness=NICENESS)  # separate, because writing takes long
        self._reading = Tasks("kept sounds", self)
        self._in_history(_nothing)
        self._in_queue(_nothing)

    def add_entry(self, request: SpeechRequest, model: str) -> None:
        """Add an entry for this request to the history, or move the existing one to the front."""
        self._in_history(partial(History.add_entry, request=request, model=model))

    def save_audio(self, request: SpeechRequest, model: str, track: AudioTrack) -> None:
        """Save the current audio of a track, which must not be empty; the track may continue to grow."""
        key = key_of(request, model)
        self._writing.run(self._write, key, generated_audio_of(track), failed=self._on_failed)

    def look_for(self, words: str) -> None:
        """List only entries that contain these words from now on."""
        self._in_history(partial(History.look_for, words=words))

    def recall(self, number: int) -> None:
        """Load an entry and its audio; `recalled` delivers it."""
        self._in_history(partial(History.recall, number=number))

    def star(self, number: int, starred: bool) -> None:
        """Star an entry, or remove the star."""
        self._in_history(partial(History.star, number=number, starred=starred))

    def delete(self, number: int) -> None:
        """Delete an entry, which `bring_back` can undo until the next one is deleted."""
        self._in_history(partial(History.delete, number=number))

    @Slot()
    def bring_back(self) -> None:
        """Restore the entry that was deleted last."""
        self._in_history(History.bring_back)

    def limit(self, megabytes: int) -> None:
        """Limit the size of saved audio; starred audio is never evicted."""
        self._in_history(partial(History.limit, megabytes=megabytes))

    def add(self, job: QueueJob) -> None:
        """Add a job to the queue."""
        self._in_queue(partial(QueueStore.add, job=job))

    def mark(self, number: int, state: QueueState, message: str = "") -> None:
        """Set the state of an item."""
        self._in_queue(partial(QueueStore.mark, number=number, state=state, message=message))

    def move(self, number: int, steps: int) -> None:
        """Move an item up or down."""
        self._in_queue(partial(QueueStore.move, number=number, steps=steps))

    def remove(self, number: int) -> None:
        """Remove an item from the queue."""
        self._in_queue(partial(QueueStore.remove, number=number))

    @Slot()
    def remove_done(self) -> None:
        """Remove all items that are done."""
        self._in_queue(QueueStore.remove_done)

    def shut_down(self, timeout_ms: int) -> bool:
        """Finish pending work, then stop; return whether that was done in time."""
        # Writing ends first, since it adds work for the database.
        ended = [tasks.shut_down(timeout_ms) for tasks in (self._writing, self._reading)]
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
        """Yield the stores; raises `LibraryUnusable`, also for errors within the context."""
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
            self._database.call_in_window(self.set_aside.emit, aside)
        if self._in_charge:
            history.tidy()
            queue.wait_again()
        return history, queue

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _write(self, key: str, made: GeneratedAudio) -> None:
        from app.library.sounds import (  # loads libsndfile: deferred until the window is shown
            marks_text,
            samples_in,
            write_sound,
        )

        self._tried.wait()  # audio written before that would be removed as a leftover
        path = sound_path(self._folder, key)
        if samples_in(path) > made.length:  # equal requests give equal samples: the file has more of them
            return
        try:
            write_sound(path, made)
        except OSError as error:
            raise unusable(self._folder, error) from error
        self._in_history(partial(History.save_audio, key=key, seconds=made.seconds, marks=marks_text(made.marks)))

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
        if not isinstance(error, TrackTruncated):
            self.failed.emit(error)


def _track_of(sound: Path, marks: str) -> AudioTrack:
    from app.library.sounds import read_track

    return read_track(sound, marks)


def _nothing(store: object) -> None:
    """Do nothing: every task ends by listing the entries or items."""
