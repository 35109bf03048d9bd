import errno
import os
from pathlib import Path

import pytest

from engine.errors import OutputError
from engine.validator.whole_file import whole_file


def test_the_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with whole_file(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file_and_no_rubbish(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def write_half() -> None:
        with whole_file(path) as file:
            file.write(b"half")
            raise KeyError("stopped")

    with pytest.raises(KeyError):
        write_half()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="nowhere does not exist"), whole_file(tmp_path / "nowhere" / "a"):
        pass


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="disk is full"), whole_file(tmp_path / "a"):
        raise OSError(errno.ENOSPC, "refused")
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with whole_file(path) as file:
        file.write(b"through")
    assert os.read(reading, 100) == b"through"
    os.close(reading)
    assert path.is_fifo()
