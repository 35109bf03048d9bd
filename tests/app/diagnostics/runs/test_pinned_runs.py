"""Pinned runs as files."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.diagnostics.runs.pinned_runs import LONGEST_NAME, UNNAMED, PinnedRuns, file_name
from engine.errors import InvalidRequest, OutputError


def pinned(pins: PinnedRuns, name: str, age: int = 0) -> Path:
    path = pins.new_path(name)
    path.write_bytes(b"zip")
    os.utime(path, (1e9 - age, 1e9 - age))
    return path


def test_they_are_still_there_after_a_restart_newest_first(tmp_path: Path) -> None:
    old, new = (pinned(PinnedRuns(tmp_path / "pins"), name, age) for name, age in (("Old", 5), ("New", 1)))
    assert PinnedRuns(tmp_path / "pins").paths() == (new, old)
    assert [path.stem for path in (new, old)] == ["New", "Old"]


def test_without_a_folder_there_are_none(tmp_path: Path) -> None:
    assert PinnedRuns(tmp_path / "pins").paths() == ()
    assert not (tmp_path / "pins").exists()


def test_equal_names_are_numbered(tmp_path: Path) -> None:
    pins = PinnedRuns(tmp_path)
    assert [pinned(pins, "Before").stem for _ in range(3)] == ["Before", "Before (2)", "Before (3)"]


def test_a_run_can_be_renamed_and_removed(tmp_path: Path) -> None:
    pins = PinnedRuns(tmp_path)
    path = pins.rename(pinned(pins, "Before"), "After: all/of it")
    assert path.stem == "After all of it"
    assert pins.rename(path, "After all of it") == path
    pins.remove(path)
    assert pins.paths() == ()
    pins.remove(path)


def test_only_pinned_runs_can_be_removed(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.zip"
    theirs.write_bytes(b"")
    with pytest.raises(InvalidRequest, match="not a pinned run"):
        PinnedRuns(tmp_path / "pins").remove(theirs)
    assert theirs.exists()


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "pins").write_bytes(b"a file")
    with pytest.raises(OutputError, match="cannot be pinned"):
        PinnedRuns(tmp_path / "pins").new_path("Run")
    pins = PinnedRuns(tmp_path)
    with pytest.raises(OutputError, match="could not be renamed"):
        pins.rename(tmp_path / "gone.zip", "New")


@given(st.text(max_size=200))
def test_any_name_can_be_a_file(name: str) -> None:
    made = file_name(name)
    assert made
    assert len(made) <= LONGEST_NAME
    assert not set(made) & set('/\\:*?"<>|\0\n')
    assert made not in (".", "..")


def test_a_name_of_nothing_gets_one() -> None:
    assert file_name(" // ") == UNNAMED
