"""Works through the queue: each item begins when its turn comes and the desk has a free slot for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot

from app.library.library import SpeechLibrary
from app.library.queue_store import QueueListed
from app.library.records import QueueItem, QueueJob, QueueState
from engine.errors import Canceled

CANCELED = "Canceled"
PRESS_PLAY = "Click Play Queue to start."


class JobExecutor(Protocol):
    """The player and exporter of items. `ended` carries a number and an error or None; `freed` reports a free slot."""

    ended: SignalInstance
    freed: SignalInstance

    def blocking_reason(self, job: QueueJob) -> str | None:
        """Return why a job cannot begin without the user, or None."""

    def has_place(self, job: QueueJob) -> bool:
        """Return whether a job could begin now."""

    def begin_job(self, number: int, job: QueueJob) -> None:
        """Begin to play or save a job."""

    def cancel(self, number: int) -> None:
        """Stop a job that has begun; `ended` follows."""

    def withdraw(self) -> None:
        """Immediately end a job to be played whose document is still being read."""


class QueueRunner(QObject):
    """The scheduler of the queue.

    Files are saved automatically; playback begins only while `playing`, so that no audio starts unexpectedly.

    `changed` is emitted when `playing` or `note` may have changed.
    """

    changed = Signal()

    def __init__(self, library: SpeechLibrary, desk: JobExecutor, parent: QObject) -> None:
        super().__init__(parent)
        self._library = library
        self._desk = desk
        self._items: tuple[QueueItem, ...] = ()
        self._begun: dict[int, QueueJob] = {}
        self._canceled: set[int] = set()
        self._marked: dict[int, QueueState] = {}  # states that are not listed yet
        self._removed: set[int] = set()  # items that may still be listed
        self._halted = False
        self.playing = False
        library.queue_listed.connect(self._on_listed)
        desk.ended.connect(self._on_ended)
        desk.freed.connect(self._go_on)

    @property
    def note(self) -> str:
        """The reason why items are waiting if the user has to act, else empty."""
        waiting = [each.job for each in self._items if each.state is QueueState.WAITING]
        if not self.playing and any(job.target is None for job in waiting):
            return PRESS_PLAY
        blocking_reasons = (self._desk.blocking_reason(job) for job in waiting)
        return next((each for each in blocking_reasons if each is not None), "")

    def add(self, job: QueueJob) -> None:
        """Add a job at the end; it begins immediately if nothing prevents it."""
        self._halted = False
        self.playing = self.playing or job.target is None
        self._library.add(job)

    @Slot(bool)
    def play(self, playing: bool) -> None:
        """Start or pause playing items in turn."""
        self._halted = False
        self.playing = playing
        if not playing:
            self._desk.withdraw()
        self._go_on()

    @Slot()
    def halt(self) -> None:
        """Begin nothing until the next request; items that are stopped meanwhile wait again."""
        self._halted = True

    @Slot(object)
    def retry(self, item: QueueItem) -> None:
        """Set an item to waiting, so that it runs again."""
        self._halted = False
        self._mark(item.number, QueueState.WAITING)

    @Slot(object)
    def cancel(self, item: QueueItem) -> None:
        """Cancel an item that has begun or is waiting."""
        if item.number in self._begun:
            self._canceled.add(item.number)
            self._desk.cancel(item.number)
        elif self._is_open(item.number):
            self._mark(item.number, QueueState.FAILED, CANCELED)

    @Slot(object)
    def remove(self, item: QueueItem) -> None:
        """Remove an item from the queue, regardless of its state."""
        self._removed.add(item.number)
        self._items = self._left(self._items)
        if self._begun.pop(item.number, None) is not None:
            self._desk.cancel(item.number)
        self._library.remove(item.number)

    @Slot(object)
    def _on_listed(self, listed: QueueListed) -> None:
        self._removed.intersection_update(each.number for each in listed.items)
        self._items = tuple(map(self._by_now, self._left(listed.items)))
        self._go_on()

    def _left(self, items: tuple[QueueItem, ...]) -> tuple[QueueItem, ...]:
        """Return the items that were not removed after they were listed."""
        return tuple(each for each in items if each.number not in self._removed)

    def _is_open(self, number: int) -> bool:
        """Return whether an item is waiting or working; the panel may show an older state."""
        return any(
            each.number == number and each.state in (QueueState.WAITING, QueueState.WORKING) for each in self._items
        )

    def _by_now(self, item: QueueItem) -> QueueItem:
        """Return the item with the state that was set after it was listed, if any."""
        state = self._marked.get(item.number, item.state)
        if state is item.state:
            self._marked.pop(item.number, None)
        return replace(item, state=state)

    def _mark(self, number: int, state: QueueState, message: str = "") -> None:
        self._marked[number] = state
        self._items = tuple(replace(each, state=state) if each.number == number else each for each in self._items)
        self._library.mark(number, state, message)

    @Slot()
    def _go_on(self) -> None:
        for item in self._items:
            heard = item.job.target is None
            waits = item.state is QueueState.WAITING and item.number not in self._begun
            if waits and not self._halted and (self.playing or not heard) and self._desk.has_place(item.job):
                self._begun[item.number] = item.job
                self._mark(item.number, QueueState.WORKING)
                self._desk.begin_job(item.number, item.job)
        self.changed.emit()

    @Slot(int, object)
    def _on_ended(self, number: int, error: Exception | None) -> None:
        by_hand = number in self._canceled
        self._canceled.discard(number)
        job = self._begun.pop(number, None)
        if job is None:  # the item was removed
            return
        canceled = isinstance(error, Canceled)
        if error is None:
            self._mark(number, QueueState.DONE)
        elif canceled and not by_hand and (self._halted or job.target is None):  # not by the item's Cancel button
            self.playing = False
            self._mark(number, QueueState.WAITING)
        else:
            self._mark(number, QueueState.FAILED, CANCELED if canceled else str(error))
