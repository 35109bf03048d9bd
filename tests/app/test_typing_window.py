import os
import subprocess
import sys
import time
from pathlib import Path

from PySide6.QtCore import QSettings

from app.recent_texts import RecentTexts
from app.settings import Settings

TYPED_SECONDS = 4.0
LOST_SECONDS = 2.0


def type_and_kill(folder: Path, seconds: float) -> list[tuple[float, int]]:
    """When each number was typed, in seconds before the end."""
    command = [sys.executable, "-m", "tests.app.typing_window", str(folder)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        typed = [(time.monotonic(), int(process.stdout.readline()))]
        while time.monotonic() < typed[0][0] + seconds:
            typed.append((time.monotonic(), int(process.stdout.readline())))
        process.kill()
        end = time.monotonic()
    return [(end - moment, number) for moment, number in typed]


def test_a_killed_window_loses_at_most_two_seconds_of_steady_typing(tmp_path: Path) -> None:
    typed = type_and_kill(tmp_path, TYPED_SECONDS)
    must_be_there = [number for ago, number in typed if ago > LOST_SECONDS]
    assert len(must_be_there) > 10
    expected = "".join(f"{number} " for number in must_be_there)
    settings = Settings(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    assert (settings.text or "").startswith(expected)
    assert [each.text.startswith(expected) for each in RecentTexts(tmp_path / "texts").texts] == [True]
