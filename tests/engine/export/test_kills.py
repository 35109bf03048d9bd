"""A book of 500,000 characters in 40 chapters, whose export is killed again and again."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mutagen.mp4 import MP4

from tests.engine.export.fast_export import CHAPTER_CHARACTERS, CHAPTERS, book

ROOT = Path(__file__).resolve().parents[3]
KILLS = 10


def begun(path: Path) -> subprocess.Popen[str]:
    """The export, under way."""
    command = [sys.executable, "-m", "tests.engine.export.fast_export", str(path)]
    exporting = subprocess.Popen(command, cwd=ROOT, env=dict(os.environ), stdout=subprocess.PIPE, text=True)
    assert exporting.stdout is not None
    with exporting.stdout as told:
        assert told.readline() == "begun\n"
    return exporting


def killed(exporting: subprocess.Popen[str], seconds: float) -> bool:
    """Whether it could be killed after so many seconds: else it has ended before, as it should."""
    time.sleep(seconds)
    exporting.kill()
    return exporting.wait() != 0


@pytest.mark.parametrize("seed", [0])
def test_killed_at_ten_random_points_it_gives_the_same_bytes(seed: int, tmp_path: Path, cache: Path) -> None:
    drawn = random.Random(seed)
    began = time.monotonic()
    assert begun(tmp_path / "whole.m4b").wait() == 0
    whole_seconds = time.monotonic() - began
    assert len(MP4(tmp_path / "whole.m4b").chapters) == CHAPTERS
    assert book(CHAPTERS, CHAPTER_CHARACTERS).characters >= 500_000
    path, kills = tmp_path / "killed.m4b", 0
    while kills < KILLS:
        path.unlink(missing_ok=True)  # it was whole before it could be killed: once more from the beginning
        kills += killed(begun(path), drawn.uniform(0, 0.4 * whole_seconds))
    assert begun(path).wait() == 0
    assert path.read_bytes() == (tmp_path / "whole.m4b").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["killed.m4b", "whole.m4b"]
    assert not list(cache.rglob("exports/*.flac"))
