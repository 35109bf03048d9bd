"""Tests of JSON from files that may be damaged."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import OutputError
from engine.system import paths
from engine.system.atomic_write import (
    atomic_write,
    ensure_folder,
    ensure_writable,
    is_running,
    remove_leftovers,
    write_atomically,
)
from engine.system.json_text import json_value


def test_the_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "a.bin"
    with atomic_write(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file_and_no_rubbish(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def write_half() -> None:
        with atomic_write(path) as file:
            file.write(b"half")
            raise KeyError("stopped")

    with pytest.raises(KeyError):
        write_half()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_our_own_files_are_written_whole_too(tmp_path, monkeypatch):
    path = tmp_path / "x"
    write_atomically(path, b"old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_content_is_on_the_disk_before_the_file_has_its_name(tmp_path, monkeypatch):
    path, on_disk = tmp_path / "x", []

    def sync(file: int) -> None:
        on_disk.append((os.fstat(file).st_size, path.exists()))

    monkeypatch.setattr(os, "fsync", sync)
    write_atomically(path, b"content")
    assert on_disk == [(7, False)]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(OutputError, match=r"nowhere .*Create it"), atomic_write(tmp_path / "nowhere" / "a"):
        pass


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(OutputError, match="is a folder"):
        ensure_writable(tmp_path)


def test_a_folder_of_files_may_be_missing_but_is_no_file(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    ensure_folder(tmp_path)
    ensure_folder(tmp_path / "new" / "one")
    for folder in (tmp_path / "file", tmp_path / "file" / "one"):
        with pytest.raises(OutputError, match=r"file .*a folder"):
            ensure_folder(folder)
    with pytest.raises(OutputError, match="too long"):
        ensure_folder(tmp_path / (300 * "a"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputError, match="read-only"):
        ensure_folder(tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_read_only_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputError, match="read-only"):
        ensure_writable(tmp_path / "a")


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "disk is full"), (errno.EROFS, "permission"), (errno.EIO, "Couldn’t write")],
)
def test_write_errors_state_their_cause(tmp_path, number, words):
    with pytest.raises(OutputError, match=words), atomic_write(tmp_path / "a"):
        raise OSError(number, "refused")
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with atomic_write(path) as file:
        file.write(b"through")
    assert os.read(reading, 100) == b"through"
    os.close(reading)
    assert path.is_fifo()


def test_resources_are_beside_the_packages():
    assert (paths.project_folder() / "engine" / "system" / "paths.py").is_file()
    assert paths.starter_folder().parent == paths.resources_folder()


def test_built_modules_are_in_the_users_cache():
    assert paths.cache_folder() in paths.built_modules_folder().parents
    assert paths.cache_folder().name == "kokoro-desk"


def test_only_leftovers_of_killed_processes_are_removed(tmp_path):
    path = tmp_path / "a[1].wav"
    code = "import os; from engine.system.atomic_write import atomic_write; from pathlib import Path\n"
    code += f"with atomic_write(Path({str(path)!r})): os._exit(0)"
    subprocess.run([sys.executable, "-c", code], check=True)
    (left,) = tmp_path.iterdir()
    ended = left.name.split(".")[-2]
    kept = {
        left.name.replace(ended, str(os.getpid())), left.name.replace(ended, "x"), left.name.replace("a[1]", "other"),
        "a[1].wav",
    }  # fmt: skip
    for name in kept:
        (tmp_path / name).touch()
    remove_leftovers(path)
    assert {path.name for path in tmp_path.iterdir()} == kept


@pytest.mark.parametrize("letter", ["a", "é", "語", "𝄞"])
def test_a_name_may_be_as_long_as_the_system_allows(tmp_path, letter):
    path = tmp_path / (letter * (255 // len(letter.encode())))
    with atomic_write(path) as file:
        file.write(b"content")
    assert path.read_bytes() == b"content"


def test_a_name_that_is_too_long_is_refused_before_the_work(tmp_path):
    with pytest.raises(OutputError, match=r"is too long\. Choose a shorter one"):
        ensure_writable(tmp_path / f"{300 * 'a'}.wav")
    with pytest.raises(OutputError, match="too long"):
        ensure_writable(tmp_path / (300 * "a") / "a.wav")


def test_this_process_runs_and_one_that_has_ended_does_not():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert is_running(os.getpid())
    assert not is_running(ended.pid)
    assert not is_running(0)


def test_a_process_of_a_different_user_counts_as_running(monkeypatch):
    def forbidden(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    assert is_running(7)


def test_a_value_is_read():
    assert json_value('{"a": [1, null]}') == {"a": [1, None]}
    assert json_value(b'"\xc3\xa9"') == "é"


@pytest.mark.parametrize("text", ["", "{", b"\xff"])
def test_invalid_json_is_refused(text):
    with pytest.raises(ValueError, match=r"Expecting|decode"):
        json_value(text)


@pytest.mark.parametrize("begin", ["[", '{"a":'])
def test_too_deeply_nested_json_is_refused(begin):
    with pytest.raises(ValueError, match="nested too deeply"):
        json_value(begin * 100_000)
