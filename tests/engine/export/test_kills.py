"""Tests that the export of a 40-chapter book survives being killed repeatedly."""

import random
import subprocess
import sys
from pathlib import Path

from mutagen.mp4 import MP4

from tests.engine.export.books import FastSpeaker, run
from tests.engine.export.fast_export import CHAPTERS, SAMPLES_PER_CHARACTER, job_for

ROOT = Path(__file__).resolve().parents[3]


def exporting(path: Path) -> subprocess.Popen[str]:
    """Start the export in a process that prints its steps."""
    command = [sys.executable, "-m", "tests.engine.export.fast_export", str(path)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def kill(path: Path, step: str, fraction: float) -> None:
    """Kill the export in the first step of this kind at which `fraction` of the work left at its start is done."""
    with exporting(path) as process:
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


def test_random_kills_during_speaking_and_writing_do_not_change_the_bytes(tmp_path: Path, cache: Path) -> None:
    drawn = random.Random(0)
    run(job_for(tmp_path / "whole.m4b"), FastSpeaker(SAMPLES_PER_CHARACTER))
    assert len(MP4(tmp_path / "whole.m4b").chapters) == CHAPTERS
    path = tmp_path / "killed.m4b"
    for step in ("Speaking", "Speaking", "Writing"):
        kill(path, step, drawn.uniform(0, 0.8))
    run(job_for(path), FastSpeaker(SAMPLES_PER_CHARACTER))
    assert path.read_bytes() == (tmp_path / "whole.m4b").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["killed.m4b", "whole.m4b"]
    assert not list(cache.rglob("exports/*.flac"))
