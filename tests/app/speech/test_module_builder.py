import json
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.speech import module_builder
from app.speech.activity import Activity, Readiness
from app.speech.module_builder import ModuleBuilder, build_command
from tests.patience import PATIENCE_MS
from tests.processes import exists

IDLE = Activity(Readiness.READY)
BUSY = Activity(Readiness.READY, making=True)
Build = Callable[..., ModuleBuilder]
BEGIN_AFTER_MS = 20


def answer(comparison: object) -> tuple[str, ...]:
    return (sys.executable, "-c", f"print({json.dumps({'comparison': comparison})!r})")


@pytest.fixture
def build(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    monkeypatch.setattr(module_builder, "BEGIN_AFTER_MS", BEGIN_AFTER_MS)
    builders: list[ModuleBuilder] = []

    def builder(*command: str, choose: Callable[[], tuple[str, ...]] | None = None) -> ModuleBuilder:
        builders.append(ModuleBuilder(choose or (lambda: command)))
        return builders[-1]

    yield builder
    for one in builders:
        one.shut_down(PATIENCE_MS)


def test_faster_modules_are_announced_once(build: Build, qtbot: QtBot) -> None:
    builder = build(*answer({"built_is_faster": True, "times_faster": 1.5}))
    improved = QSignalSpy(builder.improved)
    builder.follow(IDLE)
    qtbot.waitUntil(lambda: improved.count() == 1)
    assert improved.at(0) == [1.5]
    builder.follow(BUSY)
    builder.follow(IDLE)
    qtbot.wait_for_timers(BEGIN_AFTER_MS)
    assert builder.process_id is None
    assert improved.count() == 1


@pytest.mark.parametrize("comparison", [None, {"built_is_faster": False, "times_faster": 1.01}])
def test_nothing_is_said_where_nothing_is_gained(
    build: Build, qtbot: QtBot, tmp_path: Path, comparison: object
) -> None:
    begun = tmp_path / "begun"
    python, option, program = answer(comparison)
    builder = build(python, option, f"open({str(begun)!r}, 'w'); {program}")
    improved = QSignalSpy(builder.improved)
    builder.follow(IDLE)
    qtbot.waitUntil(lambda: begun.exists() and builder.process_id is None)
    assert improved.count() == 0


def test_nothing_is_said_of_a_model_that_has_given_way_meanwhile(build: Build, qtbot: QtBot, tmp_path: Path) -> None:
    may_end = tmp_path / "may end"
    wait = f"import pathlib, time\nwhile not pathlib.Path({str(may_end)!r}).exists(): time.sleep(0.01)\n"
    *python, tell = answer({"built_is_faster": True, "times_faster": 1.5})
    commands = [(*python, wait + tell)]
    builder = build(choose=lambda: commands[-1])
    improved = QSignalSpy(builder.improved)
    builder.follow(IDLE)
    qtbot.waitUntil(lambda: builder.process_id is not None)
    commands.append(answer(None))
    may_end.touch()
    qtbot.waitUntil(lambda: builder.process_id is None)
    assert improved.count() == 0


@pytest.mark.parametrize("activity", [BUSY, Activity(Readiness.PREPARING), Activity(Readiness.FAILED)])
def test_nothing_begins_while_something_is_to_be_done_or_nothing_can_be(
    build: Build, qtbot: QtBot, activity: Activity
) -> None:
    builder = build(*answer(None))
    builder.follow(IDLE)
    builder.follow(activity)
    qtbot.wait_for_timers(BEGIN_AFTER_MS)
    assert builder.process_id is None


def state_of(process_id: int | None) -> str:
    return Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is not halted")
def test_what_has_begun_is_halted_while_speech_is_made_and_ends_with_the_window(build: Build, qtbot: QtBot) -> None:
    builder = build(sys.executable, "-c", "import sys; sys.stdin.read()")
    builder.follow(IDLE)
    qtbot.waitUntil(lambda: builder.process_id is not None)
    process_id = builder.process_id
    builder.follow(BUSY)
    qtbot.waitUntil(lambda: state_of(process_id) == "T")
    builder.follow(replace(IDLE, playback=Playback.PLAYING))
    qtbot.waitUntil(lambda: state_of(process_id) != "T")
    builder.follow(BUSY)
    builder.shut_down(PATIENCE_MS)
    assert process_id is not None
    assert not exists(process_id)


def test_a_process_that_does_not_end_is_killed(build: Build, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_builder, "KILLED_WITHIN_MS", PATIENCE_MS)
    builder = build(sys.executable, "-c", "import time; time.sleep(600)")
    builder.follow(IDLE)
    qtbot.waitUntil(lambda: builder.process_id is not None)
    process_id = builder.process_id
    assert builder.shut_down(100)
    assert process_id is not None
    assert not exists(process_id)


def test_a_process_too_starved_to_end_is_told_of(build: Build, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = build(sys.executable, "-c", "import time; time.sleep(600)")
    builder.follow(IDLE)
    qtbot.waitUntil(lambda: builder.process_id is not None)
    [process] = builder.findChildren(QProcess)
    with monkeypatch.context() as patch:
        patch.setattr(QProcess, "waitForFinished", lambda process, timeout_ms: False)
        assert not builder.shut_down(100)
    assert process.waitForFinished(PATIENCE_MS)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ((sys.executable, "-c", "raise SystemExit('error: There is no C compiler.')"), "There is no C compiler."),
        (("/nonexistent",), "could not be started"),
    ],
)
def test_a_failure_is_logged_and_no_error(
    build: Build, qtbot: QtBot, caplog: pytest.LogCaptureFixture, command: tuple[str, ...], words: str
) -> None:
    builder = build(*command)
    with caplog.at_level(logging.WARNING):
        builder.follow(IDLE)
        qtbot.waitUntil(lambda: bool(caplog.messages))
    assert words in caplog.messages[0]
    assert builder.process_id is None


def test_another_model_is_built_for_too(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_builder, "BEGIN_AFTER_MS", BEGIN_AFTER_MS)
    commands = [answer({"built_is_faster": True, "times_faster": times}) for times in (1.5, 2.0)]
    in_use = [commands[0]]
    builder = ModuleBuilder(lambda: in_use[0])
    improved = QSignalSpy(builder.improved)
    builder.follow(IDLE)
    qtbot.waitUntil(lambda: improved.count() == 1)
    in_use[0] = commands[1]
    builder.follow(IDLE)
    qtbot.waitUntil(lambda: improved.count() == 2)
    assert improved.at(1) == [2.0]


def test_the_command_is_for_the_model_and_device_in_use() -> None:
    command = build_command("kokoro-82m", "cpu")
    assert command[1:] == (
        "-m", "engine", "compile", "--model", "kokoro-82m", "--in-background", "cpu", "--json",
    )  # fmt: skip


def test_nothing_begins_after_the_end(build: Build, qtbot: QtBot) -> None:
    builder = build(sys.executable, "-c", "import time; time.sleep(600)")
    builder.shut_down(100)
    builder.follow(IDLE)
    qtbot.wait_for_timers(BEGIN_AFTER_MS)
    assert builder.process_id is None
