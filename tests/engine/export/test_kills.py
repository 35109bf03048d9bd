"""Tests that the export of a 40-chapter book survives being killed repeatedly."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from mutagen.mp4 import MP4

from tests.engine.export.fast_export import CHAPTERS

ROOT = Path(__file__).resolve().parents[3]


def exporting(path: Path, told_to_go_on: int) -> subprocess.Popen[str]:
    """Start the export in a process that prints its steps."""
    command = [sys.executable, "-m", "tests.engine.export.fast_export", str(path)]
    return subprocess.Popen(
        command, cwd=ROOT, env=dict(os.environ), stdin=told_to_go_on, stdout=subprocess.PIPE, text=True
    )


def export_whole(path: Path) -> None:
    with exporting(path, subprocess.DEVNULL) as process:
        process.communicate()
    assert process.returncode == 0


def kill(path: Path, step: str, fraction: float) -> None:
    """Kill the export in the first step of this kind at which `fraction` of the work left at its start is done."""
    with exporting(path, subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for told in process.stdout:
            process.stdin.write("\n")
            process.stdin.flush()
            done, what = told.split(maxsplit=1)
            if what.startswith(step) and float(done) >= fraction:
                process.kill()
                break
    assert process.returncode != 0
    assert not path.exists()


@pytest.mark.parametrize("seed", [0])
def test_random_kills_during_speaking_and_writing_do_not_change_the_bytes(
    seed: int, tmp_path: Path, cache: Path
) -> None:
    drawn = random.Random(seed)
    export_whole(tmp_path / "whole.m4b")
    assert len(MP4(tmp_path / "whole.m4b").chapters) == CHAPTERS
    path = tmp_path / "killed.m4b"
    for step in ("Speaking", "Speaking", "Writing", "Writing"):
        kill(path, step, drawn.uniform(0, 0.8))
    export_whole(path)
    assert path.read_bytes() == (tmp_path / "whole.m4b").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["killed.m4b", "whole.m4b"]
    assert not list(cache.rglob("exports/*.flac"))
