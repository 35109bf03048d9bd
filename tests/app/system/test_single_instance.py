import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.system import single_instance
from app.system.single_instance import NoAnswer, SingleInstance

SECOND = "import sys; from pathlib import Path; from app.system.single_instance import SingleInstance; "
SECOND += "sys.exit(SingleInstance(Path(sys.argv[1])).become_first(sys.argv[2]))"
KILLED = "import os, sys; from pathlib import Path; from app.system.single_instance import SingleInstance; "
KILLED += "first = SingleInstance(Path(sys.argv[1])); first.become_first(''); os.kill(os.getpid(), 9)"


def test_a_second_start_hands_its_message_over(qtbot: QtBot, tmp_path: Path) -> None:
    first = SingleInstance(tmp_path)
    assert first.become_first("")
    received: list[str] = []
    first.received.connect(received.append)
    long = "Grüße 🙂 " * 5000
    for message in ("One.", "Two.", long):
        second = subprocess.Popen([sys.executable, "-c", SECOND, str(tmp_path), message])
        qtbot.waitUntil(lambda process=second: process.poll() is not None)
        assert second.returncode == 0  # not the first
    assert received == ["One.", "Two.", long]
    first.end()


def test_files_left_by_a_killed_first_instance_are_taken_over(qapp: object, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert (tmp_path / "window.socket").exists()
    first = SingleInstance(tmp_path)
    assert first.become_first("")
    first.end()


def test_a_new_instance_becomes_first_after_the_old_one_ends(qapp: object, tmp_path: Path) -> None:
    for _ in range(2):
        instance = SingleInstance(tmp_path)
        assert instance.become_first("")
        instance.end()


def test_a_silent_first_instance_is_reported(qapp: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_instance, "ANSWER_WITHIN_SECONDS", 0.3)
    first = SingleInstance(tmp_path)
    assert first.become_first("")  # its events are not processed while this test waits
    with pytest.raises(NoAnswer):
        SingleInstance(tmp_path).become_first("Hello?")
    first.end()


@pytest.mark.parametrize("place", ["file", "file/folder", "long" * 40])  # longer than a socket's address may be
def test_without_a_lock_or_socket_every_instance_is_the_first(
    qapp: object, tmp_path: Path, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    (tmp_path / "file").write_text("no folder")
    instances = [SingleInstance(tmp_path / place) for _ in range(2)]
    assert [instance.become_first("") for instance in instances] == [True, True]
    assert "Several windows" in caplog.text
