import re
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.run_folders import RunFolders
from engine.errors import OutputError
from tests.patience import PATIENCE_MS


def ended_process_id() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_nothing_is_created_before_it_is_needed(tmp_path: Path) -> None:
    folders = RunFolders(tmp_path / "cache")
    folders.close()
    assert not (tmp_path / "cache").exists()


def test_every_run_has_a_separate_folder(tmp_path: Path) -> None:
    folders = RunFolders(tmp_path / "cache")
    first, second = folders.make(), folders.make()
    assert first != second
    (first / "a.npy").write_bytes(b"1")
    (second / "a.npy").write_bytes(b"2")
    folders.delete(first)
    folders.close()
    assert not list((tmp_path / "cache").iterdir())


def test_deleting_one_leaves_the_others(tmp_path: Path, qtbot: QtBot) -> None:
    folders = RunFolders(tmp_path)
    first, second = folders.make(), folders.make()
    folders.delete(first)
    qtbot.waitUntil(lambda: not first.exists(), timeout=PATIENCE_MS)
    assert second.is_dir()


def test_folders_of_crashed_sessions_are_deleted_and_those_of_running_ones_stay(tmp_path: Path) -> None:
    left, running = tmp_path / f"session-{ended_process_id()}-x", tmp_path / "session-1-x"
    for folder in (left, running):
        (folder / "run-1").mkdir(parents=True)
    folders = RunFolders(tmp_path)
    folders.make()
    folders.close()
    assert list(tmp_path.iterdir()) == [running]


def test_an_unwritable_cache_is_reported_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=re.escape(str(tmp_path / "file" / "cache"))):
        RunFolders(tmp_path / "file" / "cache").make()
