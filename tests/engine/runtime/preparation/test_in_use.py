"""A thing in use is marked; a mark whose process has ended tells of a crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.runtime.preparation import in_use
from engine.runtime.preparation.in_use import crashed_in_use, is_in_use, marked_in_use

CRASHES = """
import os, pathlib, sys
from engine.runtime.preparation import in_use
in_use.cache_folder = lambda: pathlib.Path(sys.argv[1])
with in_use.marked_in_use("thing"):
    os.abort()
"""


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(in_use, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def test_a_crash_is_found_out_once(cache: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", CRASHES, str(cache)], check=False)
    assert ended.returncode < 0
    assert not crashed_in_use("another")
    assert crashed_in_use("thing")
    assert not crashed_in_use("thing")


def test_what_is_in_use_by_a_running_process_has_not_crashed(cache: Path) -> None:
    with marked_in_use("thing"):
        assert len(list(cache.iterdir())) == 1
        assert not crashed_in_use("thing")
    assert list(cache.iterdir()) == []


def test_an_error_is_no_crash(cache: Path) -> None:
    with pytest.raises(ValueError, match="no"), marked_in_use("thing"):
        raise ValueError("no")
    assert list(cache.iterdir()) == []


def test_a_mark_that_names_no_process_is_a_crash(cache: Path) -> None:
    cache.mkdir()
    (cache / "thing-in-use-x").touch()
    assert crashed_in_use("thing")


def test_a_process_of_another_user_is_running(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    cache.mkdir()
    (cache / "thing-in-use-7-7").touch()
    assert not crashed_in_use("thing")


def test_where_no_mark_can_be_written_the_thing_is_used_all_the_same(cache: Path) -> None:
    cache.write_text("not a folder")
    with marked_in_use("thing"):
        pass
    assert not crashed_in_use("thing")


def test_a_cache_that_is_deleted_meanwhile_does_no_harm(cache: Path) -> None:
    with marked_in_use("thing"):
        for path in cache.iterdir():
            path.unlink()
        cache.rmdir()


def test_what_is_used_twice_is_in_use_until_both_have_ended(cache: Path) -> None:
    with marked_in_use("thing"):
        with marked_in_use("thing"):
            assert is_in_use("thing")
        assert is_in_use("thing")
        assert not is_in_use("another")
    assert not is_in_use("thing")


def test_what_a_crashed_process_used_is_not_in_use(cache: Path) -> None:
    subprocess.run([sys.executable, "-c", CRASHES, str(cache)], check=False)
    assert not is_in_use("thing")
