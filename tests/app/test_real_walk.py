"""A demanding reader walks through the real window: it shows what it plays, and the position is never lost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.system.paths import project_folder
from tests.app.test_real_window import environment
from tests.app.virtual_desk import OWN_SHARE, SoundServer, virtual_display
from tests.patience import PATIENCE_SECONDS

NEXT_WITHIN_SECONDS = 3.0


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with virtual_display() as name:
        yield name


class Reader:
    """A user of a real window, with settings and books in a folder."""

    def __init__(self, display: str, folder: Path) -> None:
        self.folder = folder
        self.server = SoundServer(folder)
        home = {"XDG_DATA_HOME": str(folder / "data"), "XDG_CACHE_HOME": str(folder / "cache")}
        self.environment = environment(display, self.server, folder) | home

    def start(self, scenario: str) -> subprocess.CompletedProcess[str]:
        with self.server.running():
            return subprocess.run(
                [*OWN_SHARE, sys.executable, "-m", "tests.app.real_walk", scenario, str(self.folder)],
                start_new_session=True,
                cwd=project_folder(),
                env=self.environment,
                capture_output=True,
                text=True,
                timeout=PATIENCE_SECONDS,
                check=False,
            )

    def walk(self, scenario: str) -> dict[str, Any]:
        finished = self.start(scenario)
        assert finished.returncode == 0, finished.stderr
        assert "Traceback" not in finished.stderr, finished.stderr
        report: dict[str, Any] = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
        return report


@pytest.fixture
def reader(display: str, tmp_path: Path) -> Reader:
    return Reader(display, tmp_path)


def number_of(words: str) -> int:
    """Return the number of a sentence, such as 3 for “Chapter 1 says sentence 3”."""
    return int(words.rstrip(".").rsplit(" ", 1)[1])


def test_reading_a_book_continues_regardless_of_other_actions(reader: Reader) -> None:
    seen = reader.walk("read_on")
    assert seen["stopped"]["button"] == "Play"
    assert abs(number_of(seen["went on"]["heard"]) - number_of(seen["stopped"]["heard"])) <= 1
    assert seen["chapter chosen"]["shown"].startswith("First 3")
    assert seen["chapter chosen"]["title"] == "First 3 · First"
    assert seen["clicked"]["shown"].startswith("First 3")
    assert seen["clicked"]["followed"]
    assert seen["undone"]["shown"].startswith("First 3")
    assert seen["undone"]["playing"] == "playing"
    assert seen["found"]["button"] == "Play"
    assert number_of(seen["found and played"]["heard"]) in (2, 3)
    assert seen["queue"]["title"] == "c.html"
    assert seen["history"]["title"]
    assert seen["queue"]["shown"] == seen["history"]["shown"] == seen["clicked"]["shown"]
    assert seen["place before items"] == seen["place after items"]
    assert seen["dropped"]["shown"].startswith("Second 1")
    assert (seen["dropped"]["sound"], seen["dropped"]["title"]) == (0, "")
    assert seen["opened again"]["shown"].startswith("First 3")
    assert number_of(seen["opened again and played"]["heard"]) in (2, 3, 4)
    assert seen["closed"]["shown"].startswith("Typed. This text is mine.")


def test_views_beside_the_text_do_not_interfere_with_it(reader: Reader) -> None:
    seen = reader.walk("look_around")
    assert 0.45 < seen["progress"] < 0.55
    assert not seen["diagnosed"]
    assert seen["waveform beside diagnostics"]
    assert not seen["chip"]
    assert not seen["way back while in sight"]
    assert not seen["focus"]
    assert seen["header after focus"]
    assert seen["voice"] == "bm_george"
    assert any(scope.startswith("Book") for scope in seen["scopes"])
    assert any(scope.startswith("Chapter") for scope in seen["scopes"])
    assert "taken.wav" in seen["asked"]
    assert seen["after Return"] == "old"
    assert seen["failures"][1] == 2
    assert seen["failures"][0].startswith("The first.")


def test_after_a_crash_play_resumes_within_a_sentence(reader: Reader) -> None:
    assert reader.start("read_until_killed").returncode == -9
    heard = (reader.folder / "heard").read_text(encoding="utf-8")
    seen = reader.walk("go_on_after_that")
    assert seen["went on"]["shown"].startswith("First 2")
    assert abs(number_of(seen["went on"]["heard"]) - number_of(heard)) <= 1


def test_a_text_of_ones_own_is_read_on_after_an_edit(reader: Reader) -> None:
    seen = reader.walk("write_own")
    assert seen["typed"] == "This text is mine. I have typed it myself. It has three sentences."
    assert seen["after an edit"]["shown"].startswith("Before. This text")
    assert seen["typed over"]["playing"] == "stopped"
    assert seen["typed over"]["sound"] == 0
    assert seen["clicked in it"]["shown"].startswith("Over it.")


def test_a_two_megabyte_text_is_shown_and_the_next_speech_starts_soon(reader: Reader) -> None:
    seen = reader.walk("read_two_megabytes")
    assert seen["long"]["expected hours"] > 5
    assert seen["next after seconds"] < NEXT_WITHIN_SECONDS
