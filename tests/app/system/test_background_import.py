"""Modules imported beside the window."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread, current_thread, main_thread
from threading import enumerate as enumerate_threads

import pytest
from pytestqt.qtbot import QtBot

from app.system.background_import import BackgroundImport

NAME = "imported_beside_the_window"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of a module that notes the thread it was imported in."""
    file = tmp_path / f"{NAME}.py"
    file.write_text("import threading\nTHREAD = threading.current_thread()\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield file
    sys.modules.pop(NAME, None)


@pytest.mark.usefixtures("module")
def test_a_module_is_imported_in_another_thread_and_announced_in_this_one(qtbot: QtBot) -> None:
    importing, heard_in = BackgroundImport(NAME), []
    importing.finished.connect(lambda: heard_in.append(current_thread()))
    with qtbot.waitSignal(importing.finished):
        importing.start()
    assert sys.modules[NAME].THREAD is not main_thread()
    assert heard_in == [main_thread()]


def threads_that_import() -> list[Thread]:
    return [thread for thread in enumerate_threads() if NAME in thread.name]


@pytest.mark.usefixtures("module")
def test_it_begins_once(qtbot: QtBot) -> None:
    importing, heard = BackgroundImport(NAME), []
    importing.finished.connect(lambda: heard.append(NAME))
    with qtbot.waitSignal(importing.finished):
        importing.start()
        importing.start()
    for thread in threads_that_import():
        thread.join()
    qtbot.wait_for_timers()
    assert heard == [NAME]


def test_a_module_that_cannot_be_imported_is_tried_again_by_whoever_needs_it(qtbot: QtBot, module: Path) -> None:
    module.write_text("raise ImportError('a part is missing')\n", encoding="utf-8")
    importing = BackgroundImport(NAME)
    with qtbot.waitSignal(importing.finished):
        importing.start()
    with pytest.raises(ImportError, match="a part is missing"):
        importlib.import_module(NAME)
