"""The queue in the database: wishes in the sequence in which they are to be spoken, each with its state."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from app.library.database import transaction
from app.library.records import Item, QueueJob, State, manner_of, request_of, storable

_COLUMNS = "number, title, text, manner, model, target, document, state, message"


@dataclass(frozen=True)
class QueueListed:
    """The items of the queue, in its order."""

    items: tuple[Item, ...]


class QueueStore:
    """Every change is on disk when its call returns."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def listed(self) -> QueueListed:
        """All items."""
        rows = self._database.execute(f"SELECT {_COLUMNS} FROM item ORDER BY place, number")
        return QueueListed(tuple(map(_item, rows)))

    def wait_again(self) -> None:
        """What was being made when the program ended waits again."""
        self._database.execute("UPDATE item SET state = ? WHERE state = ?", (State.WAITING.value, State.WORKING.value))

    def add(self, wish: QueueJob) -> None:
        """Add a wish at the end."""
        target, document = (path and storable(str(path)) for path in (wish.target, wish.document))
        title, text, manner = storable(wish.title), storable(wish.request.text), manner_of(wish.request)
        self._database.execute(
            "INSERT INTO item (place, state, title, text, manner, model, target, document) "
            "VALUES ((SELECT coalesce(max(place), 0) + 1 FROM item), ?, ?, ?, ?, ?, ?, ?)",
            (State.WAITING.value, title, text, manner, wish.model, target, document),
        )

    def mark(self, number: int, state: State, message: str = "") -> None:
        """Note what has become of an item; a failed one says why."""
        self._database.execute(
            "UPDATE item SET state = ?, message = ? WHERE number = ?", (state.value, message, number)
        )

    def move(self, number: int, steps: int) -> None:
        """Move an item by so many places, down if positive, but not beyond the ends."""
        numbers = [each.number for each in self.listed().items]
        if number not in numbers:
            return
        place = numbers.index(number)
        numbers.insert(min(max(place + steps, 0), len(numbers) - 1), numbers.pop(place))
        with transaction(self._database):
            places = [(place, each) for place, each in enumerate(numbers)]
            self._database.executemany("UPDATE item SET place = ? WHERE number = ?", places)

    def remove(self, number: int) -> None:
        """Take an item out of the queue."""
        self._database.execute("DELETE FROM item WHERE number = ?", (number,))

    def remove_done(self) -> None:
        """Take out everything that is done."""
        self._database.execute("DELETE FROM item WHERE state = ?", (State.DONE.value,))


def _item(row: tuple) -> Item:
    number, title, text, manner, model, target, document, state, message = row
    wish = QueueJob(request_of(text, manner), model, target and Path(target), document and Path(document))
    return Item(number, title, wish, State(state), message)
