"""A book of 500,000 characters in 40 chapters, whose export is killed again and again."""

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mutagen.mp4 import MP4

from tests.engine.export.fast_export import CHAPTER_CHARACTERS, CHAPTERS, book

ROOT = Path(__file__).resolve().parents[3]
KILLS = 10
COMMAND = [sys.executable, "-m", "tests.engine.export.fast_export"]


def export(path: Path) -> int:
    """How many steps it takes to export all of it that is not made yet."""
    done = subprocess.run([*COMMAND, str(path)], cwd=ROOT, check=True, capture_output=True, text=True)
    found = re.search(r"(\d+) steps", done.stdout)  # not the words of a library
    assert found is not None
    return int(found[1])


def killed(path: Path, steps: int) -> bool:
    """Whether an export could be killed after so many steps: else it has ended before, as it should."""
    command = [*COMMAND, str(path), str(steps)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as exporting:
        assert exporting.stdout is not None
        for line in exporting.stdout:
            if line == "so far\n":
                exporting.kill()
    return exporting.returncode != 0


@pytest.mark.parametrize("seed", [0])
def test_killed_at_ten_random_points_it_gives_the_same_bytes(seed: int, tmp_path: Path, cache: Path) -> None:
    drawn = random.Random(seed)
    steps = export(tmp_path / "whole.m4b")
    assert len(MP4(tmp_path / "whole.m4b").chapters) == CHAPTERS
    assert book(CHAPTERS, CHAPTER_CHARACTERS).characters >= 500_000
    path, kills = tmp_path / "killed.m4b", 0
    while kills < KILLS:
        path.unlink(missing_ok=True)  # it was whole before it could be killed: once more from the beginning
        kills += killed(path, drawn.randint(1, round(0.4 * steps)))
    export(path)
    assert path.read_bytes() == (tmp_path / "whole.m4b").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["killed.m4b", "whole.m4b"]
    assert not list(cache.rglob("exports/*.flac"))
