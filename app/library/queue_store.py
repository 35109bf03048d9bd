"""The queue in the database: jobs in playing order, each with its state."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from app.library.database import transaction
from app.library.records import QueueItem, QueueJob, QueueState, request_of, speech_settings_of, storable

_COLUMNS = "number, title, text, manner, model, target, document, state, message"


@dataclass(frozen=True)
class QueueListed:
    """The items of the queue, in order."""

    items: tuple[QueueItem, ...]


class QueueStore:
    """The persistent queue. Every change is on disk when its method returns."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def listed(self) -> QueueListed:
        """Return all items, in order."""
        rows = self._database.execute(f"SELECT {_COLUMNS} FROM item ORDER BY place, number")
        return QueueListed(tuple(map(_item, rows)))

    def wait_again(self) -> None:
        """Set items to waiting that were interrupted when the program ended."""
        self._database.execute(
            "UPDATE item SET state = ? WHERE state = ?", (QueueState.WAITING.value, QueueState.WORKING.value)
        )

    def add(self, job: QueueJob) -> None:
        """Add a job at the end."""
        target, document = (path and storable(str(path)) for path in (job.target, job.document))
        title, text, speech_settings = (
            storable(job.title),
            storable(job.request.text),
            speech_settings_of(job.request),
        )
        self._database.execute(
            "INSERT INTO item (place, state, title, text, manner, model, target, document) "
            "VALUES ((SELECT coalesce(max(place), 0) + 1 FROM item), ?, ?, ?, ?, ?, ?, ?)",
            (QueueState.WAITING.value, title, text, speech_settings, job.model, target, document),
        )

    def mark(self, number: int, state: QueueState, message: str = "") -> None:
        """Set the state of an item, with a message if it failed."""
        self._database.execute(
            "UPDATE item SET state = ?, message = ? WHERE number = ?", (state.value, message, number)
        )

    def move(self, number: int, steps: int) -> None:
        """Move an item by `steps` places, down if positive, but not beyond the ends."""
        numbers = [each.number for each in self.listed().items]
        if number not in numbers:
            return
        place = numbers.index(number)
        numbers.insert(min(max(place + steps, 0), len(numbers) - 1), numbers.pop(place))
        with transaction(self._database):
            places = [(place, each) for place, each in enumerate(numbers)]
            self._database.executemany("UPDATE item SET place = ? WHERE number = ?", places)

    def remove(self, number: int) -> None:
        """Remove an item from the queue."""
        self._database.execute("DELETE FROM item WHERE number = ?", (number,))

    def remove_done(self) -> None:
        """Remove all items that are done."""
        self._database.execute("DELETE FROM item WHERE state = ?", (QueueState.DONE.value,))


def _item(row: tuple) -> QueueItem:
    number, title, text, speech_settings, model, target, document, state, message = row
    job = QueueJob(request_of(text, speech_settings), model, target and Path(target), document and Path(document))
    return QueueItem(number, title, job, QueueState(state), message)
