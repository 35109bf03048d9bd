"""With ten thousand entries, nothing that the window's own thread does takes long."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.library.history import ENTRIES_KEPT, HistoryListed
from app.library.history_panel import HistoryPanel
from tests.app.library.shelf import MODEL, Shelf, request

WINDOW_MAY_HALT_SECONDS = 0.2
THREAD_MAY_TAKE_SECONDS = 1.0
"""Each is ten times what it takes, or more."""
WORDS = " ".join(["word"] * 200)


def seconds_of(work: Callable[[], object]) -> float:
    """Of this thread, whatever else the machine is doing."""
    begun = time.thread_time()
    work()
    return time.thread_time() - begun


def fastest(work: Callable[[], object]) -> float:
    return min(seconds_of(work) for _ in range(3))


def test_ten_thousand_entries_halt_nothing(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "library")
    shelf.database.execute("BEGIN")
    for number in range(ENTRIES_KEPT):
        shelf.history.begin(request(f"{number} {WORDS}"), MODEL)
    shelf.database.execute("COMMIT")
    listed = shelf.history.listed()
    assert len(listed.entries) == ENTRIES_KEPT

    panel = HistoryPanel()
    qtbot.addWidget(panel)
    panel.resize(260, 600)
    panel.show_entries(listed)
    panel.show()
    panel.entries.setCurrentIndex(panel.entries.model().index(9_000, 0))
    fewer = HistoryListed(listed.entries[1:], 0)

    def show_others() -> None:
        panel.show_entries(fewer if panel.entries.model().rowCount() == ENTRIES_KEPT else listed)
        panel.grab()

    def find() -> None:
        shelf.history.look_for("9999 WORD")
        assert len(shelf.history.listed().entries) == 1
        shelf.history.look_for("")

    shown = fastest(show_others)
    thread = {
        "list": fastest(shelf.history.listed),
        "find": fastest(find),
        "enter": fastest(lambda: shelf.history.begin(request("another"), MODEL)),
        "star": fastest(lambda: shelf.history.star(17, starred=True)),
    }
    print(f"shown in {1000 * shown:.0f} ms;", {name: f"{1000 * each:.1f} ms" for name, each in thread.items()})  # noqa: T201
    assert shown < WINDOW_MAY_HALT_SECONDS
    assert max(thread.values()) < THREAD_MAY_TAKE_SECONDS
    shelf.database.close()
