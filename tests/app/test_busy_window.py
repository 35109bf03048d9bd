"""A window is killed at random moments of typing, speaking, queueing and saving: what is older than 2 s is there."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
import soundfile
from PySide6.QtCore import QSettings

from app.library.database import FILE, SOUNDS
from app.recent_texts import RecentTexts
from app.settings import Settings
from tests.app.busy_window import SAMPLES, SENTENCES

LOST_SECONDS = 2.0
SHORTEST_SECONDS, LONGEST_SECONDS = 0.2, 4.5
NUMBERS_PER_RUN = 1000
KINDS = ("typed", "queued", "spoken")


@dataclass(frozen=True)
class Done:
    """What was done, with its number, so many seconds before the kill."""

    what: str
    number: int
    ago_seconds: float


class Home:
    """The folder in which the window is busy, and what of it survives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "files").mkdir()

    def busy(self, first_number: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.app.busy_window", str(self.folder), str(first_number)]
        environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    def be_killed(self, first_number: int, after_seconds: float, kinds: int) -> list[Done]:
        """What was done in a window that is killed so long after things of so many kinds were."""
        firsts: dict[str, float] = {}
        told: list[tuple[str, int, float]] = []
        with self.busy(first_number) as process:
            assert process.stdout is not None
            while len(firsts) < kinds or time.monotonic() < sorted(firsts.values())[kinds - 1] + after_seconds:
                what, number = process.stdout.readline().split()
                told.append((what, int(number), time.monotonic()))
                firsts.setdefault(what, told[-1][-1])
            process.kill()
            end = time.monotonic()
        return [Done(what, number, end - moment) for what, number, moment in told]

    def go_on(self) -> None:
        """Let everything in the queue be made."""
        with self.busy(-1) as process:
            assert process.stdout is not None
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

    def missing(self, done: list[Done]) -> list[Done]:
        """What was done, is older than 2 s, and is not there."""
        queued = {int(Path(target).stem) for (target,) in self.query("SELECT target FROM item")}
        spoken = {int(title.split()[1].strip(".")) for (title,) in self.query("SELECT title FROM entry")}
        typed = {int(word) for word in self.typed().split()}
        here = {"typed": typed, "queued": queued, "spoken": spoken}
        return [each for each in done if each.ago_seconds > LOST_SECONDS and each.number not in here[each.what]]

    def not_whole(self) -> list[str]:
        """Files under their final names that are not whole."""
        files = [*(self.folder / "files").iterdir(), *(self.folder / "library" / SOUNDS).glob("*")]
        return [path.name for path in files if not path.name.startswith(".") and not is_whole(path)]


def is_whole(path: Path) -> bool:
    """Sounds of the history may be of a speech that another one has replaced after some of its sentences."""
    try:
        samples, _ = soundfile.read(path)
    except soundfile.SoundFileError:
        return False
    return len(samples) in [SAMPLES * count for count in range(1, SENTENCES + 1)]


def kill(home: Home, kills: int, chance: random.Random) -> Counter[str]:
    """Kill windows at random moments, and at last one in which things of all kinds are older than 2 s."""
    counts: Counter[str] = Counter()
    moments = [(chance.uniform(SHORTEST_SECONDS, LONGEST_SECONDS), 1) for _ in range(kills - 1)]
    for run, (after_seconds, kinds) in enumerate([*moments, (LONGEST_SECONDS, len(KINDS))]):
        done = home.be_killed(run * NUMBERS_PER_RUN, after_seconds, kinds)
        assert home.missing(done) == []
        assert home.not_whole() == []
        assert home.query("PRAGMA integrity_check") == [("ok",)]
        expected = "".join(
            f"{each.number} " for each in done if each.what == "typed" and each.ago_seconds > LOST_SECONDS
        )
        assert RecentTexts(home.folder / "texts").texts[0].text.startswith(expected)
        counts.update(each.what for each in done)
        counts.update(f"{each.what}, older than 2 s" for each in done if each.ago_seconds > LOST_SECONDS)
    return counts


@pytest.mark.parametrize("kills", [5, pytest.param(50, marks=pytest.mark.long)])
def test_a_killed_window_loses_nothing_older_than_two_seconds(kills: int, tmp_path: Path) -> None:
    home = Home(tmp_path)
    counts = kill(home, kills, random.Random(kills))
    print(kills, "kills:", dict(counts))  # noqa: T201
    assert min(counts[f"{what}, older than 2 s"] for what in KINDS) > 0
    home.go_on()
    files = {Path(target).name for (target,) in home.query("SELECT target FROM item")}
    assert {path.name for path in (tmp_path / "files").glob("*.flac")} == files
    assert home.not_whole() == []
