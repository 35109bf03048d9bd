import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.recent_texts import RecentTexts
from tests.patience import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="folders are moved by Linux's variables")


class Home:
    """Folders of a user in which `python -m app` runs as real processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts = RecentTexts(folder / "data" / "kokoro-desk" / "texts")
        self.socket = folder / "data" / "kokoro-desk" / "window.socket"
        self.settings = folder / "config" / "Kokoro Desk" / "Kokoro Desk.conf"
        self.settings.parent.mkdir(parents=True)
        self.settings.write_text("[General]\ntext=A draft.\n")

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        folders = {"XDG_DATA_HOME": str(self.folder / "data"), "XDG_CONFIG_HOME": str(self.folder / "config")}
        environment = os.environ | folders | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(Path.cwd())}
        command = [sys.executable, "-m", "app", *arguments]
        return subprocess.Popen(command, env=environment, cwd=self.folder, stderr=subprocess.PIPE, text=True)

    def socket_made_at(self) -> float:
        return self.socket.stat().st_ctime if self.socket.exists() else 0.0

    @contextmanager
    def open(self) -> Iterator[subprocess.Popen[str]]:
        """Open a window that answers requests, and kill it in the end."""
        left_by_another = self.socket_made_at()
        process = self.start()
        try:
            wait_until(lambda: self.socket_made_at() > left_by_another, "the window's socket")
            yield process
        finally:
            process.kill()
            process.communicate()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def ended(process: subprocess.Popen[str]) -> int:
    process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode


def test_a_second_start_hands_its_file_to_the_open_window_and_exits(home: Home) -> None:
    (home.folder / "story.txt").write_text("Once upon a time.")
    with home.open() as first:
        assert ended(home.start("story.txt")) == 0
        wait_until(lambda: "story.txt" in home.settings.read_text(), "the file in the first window")
        assert [each.text for each in home.texts.texts] == ["A draft."]
        assert first.poll() is None


def test_after_a_kill_the_next_start_is_the_first(home: Home) -> None:
    with home.open():
        pass
    assert home.socket.exists()  # as left by the killed one
    with home.open() as first:
        assert ended(home.start()) == 0
        assert first.poll() is None


def test_a_screenshot_uses_a_separate_window(home: Home) -> None:
    with home.open():
        assert ended(home.start("--screenshot", "a.png")) == 0
    assert (home.folder / "a.png").exists()
