"""Tests that operations on ten thousand entries take at most a few steps for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.library.history import ENTRIES_KEPT, HistoryListed
from app.library.panels import HistoryPanel
from tests.app.library.example_library import MODEL, ExampleLibrary, request
from tests.work import calls_of

WORDS = " ".join(["word"] * 200)
MAX_STEPS_PER_ENTRY = 100
"""The limit in SQLite's steps, whose number is the same on every machine."""
STEPS_PER_CALL = 10
MAX_CALLS_PER_ENTRY = 10
"""The limit in function calls while the window shows all entries and looks for the current one."""


@pytest.fixture(scope="module")
def example_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExampleLibrary]:
    example_library = ExampleLibrary(tmp_path_factory.mktemp("shelf") / "library")
    example_library.database.execute("BEGIN")
    for number in range(ENTRIES_KEPT):
        example_library.history.add_entry(request(f"{number} {WORDS}"), MODEL)
    example_library.database.execute("COMMIT")
    yield example_library
    example_library.database.close()


def find(example_library: ExampleLibrary) -> None:
    example_library.history.look_for("9999 WORD")
    assert len(example_library.history.listed().entries) == 1
    example_library.history.look_for("")


def steps_of(example_library: ExampleLibrary, work: Callable[[ExampleLibrary], object]) -> int:
    calls = [0]

    def count() -> None:
        calls[0] += 1

    example_library.database.set_progress_handler(count, STEPS_PER_CALL)
    work(example_library)
    example_library.database.set_progress_handler(None, 0)
    return calls[0] * STEPS_PER_CALL


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda example_library: example_library.history.listed(), id="list"),
        pytest.param(find, id="find"),
        pytest.param(lambda example_library: example_library.history.add_entry(request("new"), MODEL), id="enter"),
        pytest.param(lambda example_library: example_library.history.star(17, starred=True), id="star"),
    ],
)
def test_the_database_takes_a_few_steps_for_each_entry(
    example_library: ExampleLibrary, work: Callable[[ExampleLibrary], object]
) -> None:
    assert 0 < steps_of(example_library, work) < MAX_STEPS_PER_ENTRY * ENTRIES_KEPT


def test_the_window_shows_them_in_a_few_calls(
    example_library: ExampleLibrary, qtbot: QtBot, qapp: QApplication
) -> None:
    listed = example_library.history.listed()
    assert len(listed.entries) >= ENTRIES_KEPT
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
