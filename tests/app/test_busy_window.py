"""Kills a window at random moments of typing, speaking, queueing and saving: all saved data is still there."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import soundfile
from PySide6.QtCore import QSettings

from app.library.database import FILE, SOUNDS
from app.recent_texts import RecentTexts
from app.settings import Settings
from tests.app.busy_window import SAMPLES, SENTENCES, number_in

MAX_LINES = 200
NUMBERS_PER_RUN = 1000
KINDS = ("typed", "queued", "spoken")
Done = tuple[str, int]
"""The kind of something done or saved, with its number."""
IsLate = Callable[[list[Done]], bool]
"""Tells from all its output whether it is time to kill the window."""


class Home:
    """The folder in which the window is busy, and the data that survives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "files").mkdir()

    def busy(self, first_number: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.app.busy_window", str(self.folder), str(first_number)]
        environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    def be_killed(self, first_number: int, is_late: IsLate) -> list[Done]:
        """Return all output of a window until it is killed."""
        told: list[Done] = []
        with self.busy(first_number) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line.endswith("\n"):  # otherwise it was killed in the meantime
                    what, _, number = line.rpartition(" ")
                    told.append((what, int(number)))
                if is_late(told):
                    process.kill()
        return told

    def go_on(self) -> None:
        """Let everything in the queue be generated."""
        with self.busy(-1) as process:
            line = process.stdout.readline()
            process.kill()
        assert line.startswith("idle ")

    def query(self, words: str) -> list[tuple]:
        database = sqlite3.connect(self.folder / "library" / FILE)
        rows = database.execute(words).fetchall()
        database.close()
        return rows

    def typed(self) -> str:
        return Settings(QSettings(str(self.folder / "s.ini"), QSettings.Format.IniFormat)).text or ""

    def latest_text(self) -> str:
        return RecentTexts(self.folder / "texts").texts[0].text

    def missing(self, done: list[Done]) -> list[Done]:
        """Return things that were reported as saved but are missing."""
        queued = {int(Path(target).stem) for (target,) in self.query("SELECT target FROM item")}
        spoken = {number_in(title) for (title,) in self.query("SELECT title FROM entry")}
        typed = {int(word) for word in self.typed().split()}
        here = {"kept typed": typed, "kept queued": queued, "kept spoken": spoken}
        return [(what, number) for what, number in done if what in here and number not in here[what]]

    def not_whole(self) -> list[str]:
        """Return incomplete files under their final names."""
        files = [*(self.folder / "files").iterdir(), *(self.folder / "library" / SOUNDS).glob("*")]
        return [path.name for path in files if not path.name.startswith(".") and not is_whole(path)]


def is_whole(path: Path) -> bool:
    """Return whether a file is complete; the history's audio may be replaced after some sentences."""
    try:
        samples, _ = soundfile.read(path)
    except soundfile.SoundFileError:
        return False
    return len(samples) in [SAMPLES * count for count in range(1, SENTENCES + 1)]


def kill(home: Home, kills: int, chance: random.Random) -> Counter[str]:
    """Kill windows at random moments, and finally one in which things of all kinds have been saved."""
    counts: Counter[str] = Counter()
    moments = [partial(has_said, chance.randint(1, MAX_LINES)) for _ in range(kills - 1)]
    for run, is_late in enumerate([*moments, has_kept_of_all_kinds]):
        done = home.be_killed(run * NUMBERS_PER_RUN, is_late)
        assert home.missing(done) == []
        assert home.not_whole() == []
        assert home.query("PRAGMA integrity_check") == [("ok",)]
        expected = "".join(f"{number} " for what, number in done if what == "kept typed")
        assert (home.latest_text() if expected else "").startswith(expected)
        counts.update(what for what, _ in done)
    return counts


def has_said(lines: int, told: list[Done]) -> bool:
    return len(told) >= lines


def has_kept_of_all_kinds(told: list[Done]) -> bool:
    return {f"kept {what}" for what in KINDS} <= {what for what, _ in told}


@pytest.mark.parametrize("kills", [2, pytest.param(50, marks=pytest.mark.long)])
def test_a_killed_window_loses_nothing_that_it_has_kept(kills: int, tmp_path: Path) -> None:
    home = Home(tmp_path)
    counts = kill(home, kills, random.Random(kills))
    print(kills, "kills:", dict(counts))  # noqa: T201
    assert min(counts[f"kept {what}"] for what in KINDS) > 0
    home.go_on()
    files = {Path(target).name for (target,) in home.query("SELECT target FROM item")}
    assert {path.name for path in (tmp_path / "files").glob("*.flac")} == files
    assert home.not_whole() == []
