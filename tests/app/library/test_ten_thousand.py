"""Tests that operations on ten thousand entries take at most a few steps for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.library.history import ENTRIES_KEPT, HistoryListed
from app.library.panels import HistoryPanel
from tests.app.library.shelf import MODEL, Shelf, request
from tests.work import calls_of

WORDS = " ".join(["word"] * 200)
MAX_STEPS_PER_ENTRY = 100
"""The limit in SQLite's steps, whose number is the same on every machine."""
STEPS_PER_CALL = 10
MAX_CALLS_PER_ENTRY = 10
"""The limit in function calls while the window shows all entries and looks for the current one."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path_factory.mktemp("shelf") / "library")
    shelf.database.execute("BEGIN")
    for number in range(ENTRIES_KEPT):
        shelf.history.begin(request(f"{number} {WORDS}"), MODEL)
    shelf.database.execute("COMMIT")
    yield shelf
    shelf.database.close()


def find(shelf: Shelf) -> None:
    shelf.history.look_for("9999 WORD")
    assert len(shelf.history.listed().entries) == 1
    shelf.history.look_for("")


def steps_of(shelf: Shelf, work: Callable[[Shelf], object]) -> int:
    calls = [0]

    def count() -> None:
        calls[0] += 1

    shelf.database.set_progress_handler(count, STEPS_PER_CALL)
    work(shelf)
    shelf.database.set_progress_handler(None, 0)
    return calls[0] * STEPS_PER_CALL


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda shelf: shelf.history.listed(), id="list"),
        pytest.param(find, id="find"),
        pytest.param(lambda shelf: shelf.history.begin(request("new"), MODEL), id="enter"),
        pytest.param(lambda shelf: shelf.history.star(17, starred=True), id="star"),
    ],
)
def test_the_database_takes_a_few_steps_for_each_entry(shelf: Shelf, work: Callable[[Shelf], object]) -> None:
    assert 0 < steps_of(shelf, work) < MAX_STEPS_PER_ENTRY * ENTRIES_KEPT


def test_the_window_shows_them_in_a_few_calls(shelf: Shelf, qtbot: QtBot, qapp: QApplication) -> None:
    listed = shelf.history.listed()
    assert len(listed.entries) == ENTRIES_KEPT
    panel = HistoryPanel()
    qtbot.addWidget(panel)
    panel.resize(260, 600)
    panel.show_entries(listed)
    panel.show()
    panel.entries.setCurrentIndex(panel.entries.model().index(9_000, 0))

    def show_others() -> None:
        panel.show_entries(HistoryListed(listed.entries[1:], 0))
        panel.grab()

    assert calls_of(show_others) < MAX_CALLS_PER_ENTRY * ENTRIES_KEPT
